"""What a model is told that extracts requirements."""
