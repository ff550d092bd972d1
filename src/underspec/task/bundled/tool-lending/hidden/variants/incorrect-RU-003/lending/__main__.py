# canary underspec-canary-5173ae9e-e39e-5c20-a725-a0da091b7760
"""Starts the service: ``python3 -m lending --db PATH --port PORT``."""

import argparse

from lending.store import Store
from lending.web import serve

parser = argparse.ArgumentParser(prog="lending")
parser.add_argument("--db", required=True)
parser.add_argument("--port", type=int, required=True)
arguments = parser.parse_args()
serve(Store(arguments.db), arguments.port)
