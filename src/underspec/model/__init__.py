"""Which models work: roles, specifications, prices, ledger, limits. Inspect is loaded when a model is opened."""
