"""The way out of sandboxes."""
