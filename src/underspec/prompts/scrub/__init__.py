"""What a model is told that looks for names."""
