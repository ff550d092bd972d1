"""Trees of settings, addressed by paths."""
