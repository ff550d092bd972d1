"""What a model is told that adds cases in four dimensions (ICAE III-B, Appendix B; our own words)."""
