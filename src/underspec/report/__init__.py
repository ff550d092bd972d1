"""Tables for people and machines."""
