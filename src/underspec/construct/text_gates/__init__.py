"""Gates over texts: pure functions from texts and records to findings. Nothing is run here but the embedded router."""
