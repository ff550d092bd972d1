"""Yes-or-no rules: read, written, ordered, shortened, brought into standard forms, decided."""
