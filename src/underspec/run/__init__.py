"""Conditions, the plan, the run store and executors."""
