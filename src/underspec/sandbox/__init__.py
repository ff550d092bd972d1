"""Where code runs: the Sandbox protocol, its backends and images."""
