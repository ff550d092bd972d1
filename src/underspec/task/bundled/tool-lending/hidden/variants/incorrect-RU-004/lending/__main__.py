# canary underspec-canary-48a67a0c-5861-57b1-a03b-cc92005fb1a4
"""Starts the service: ``python3 -m lending --db PATH --port PORT``."""

import argparse

from lending.store import Store
from lending.web import serve

parser = argparse.ArgumentParser(prog="lending")
parser.add_argument("--db", required=True)
parser.add_argument("--port", type=int, required=True)
arguments = parser.parse_args()
serve(Store(arguments.db), arguments.port)
