"""What happens: one file a phase, each reading and writing named artifacts only."""
