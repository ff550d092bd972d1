"""What gates show to sandboxes as plain files. They use the standard library alone, and are no part of our imports."""
