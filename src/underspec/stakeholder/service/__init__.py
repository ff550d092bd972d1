"""The stakeholder as a service: many sessions in one database file, asked over HTTP."""
