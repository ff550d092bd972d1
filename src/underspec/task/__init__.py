"""What is asked: the task folder, its typed parts, loading, validation and release."""
