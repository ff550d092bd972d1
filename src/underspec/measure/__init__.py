"""What the numbers mean: pure functions over artifacts."""
