# canary underspec-canary-13e91e45-16a7-5829-ae47-81e26b4603d0
"""Starts the service: ``python3 -m lending --db PATH --port PORT``."""

import argparse

from lending.store import Store
from lending.web import serve

parser = argparse.ArgumentParser(prog="lending")
parser.add_argument("--db", required=True)
parser.add_argument("--port", type=int, required=True)
arguments = parser.parse_args()
serve(Store(arguments.db), arguments.port)
