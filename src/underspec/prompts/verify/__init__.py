"""What models are told that check a finished task (ICAE III-C, Appendix D; our own words)."""
