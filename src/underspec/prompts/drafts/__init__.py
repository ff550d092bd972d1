"""What a model is told that drafts tests and variants."""
