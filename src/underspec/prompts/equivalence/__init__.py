"""What the judge of semantic equivalence is told (ICAE III-C, Appendix D; our own words)."""
