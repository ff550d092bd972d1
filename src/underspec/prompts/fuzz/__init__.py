"""What a model is told that leaves points out of the requirement (ICAE III-B, Appendices C and E; our own words)."""
