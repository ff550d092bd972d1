"""What is handed on: the typed artifacts between phases, each with an integer schema version."""
