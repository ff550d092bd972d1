"""What a model is told that screens commissions."""
