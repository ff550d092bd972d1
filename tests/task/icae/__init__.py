"""Importing published data, tested with data made here in the published shape."""
