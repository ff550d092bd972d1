"""What a model is told that writes the complete requirement (ICAE III-B, Appendix A; our own words)."""
