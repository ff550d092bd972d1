"""What a model is told that writes requirement units."""
