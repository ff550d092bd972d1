"""Who builds: agents behind one interface, found by entry point."""
