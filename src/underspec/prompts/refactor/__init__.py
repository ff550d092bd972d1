"""What a model is told that turns a repository's tests into black-box cases (ICAE III-B, Appendix A; our own words)."""
