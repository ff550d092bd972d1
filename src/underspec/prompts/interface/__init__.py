"""What a model is told that fixes an interface."""
