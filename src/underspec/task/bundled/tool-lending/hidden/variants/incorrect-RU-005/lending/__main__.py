# canary underspec-canary-73cffac8-f6a4-5e7e-9863-c7176721c257
"""Starts the service: ``python3 -m lending --db PATH --port PORT``."""

import argparse

from lending.store import Store
from lending.web import serve

parser = argparse.ArgumentParser(prog="lending")
parser.add_argument("--db", required=True)
parser.add_argument("--port", type=int, required=True)
arguments = parser.parse_args()
serve(Store(arguments.db), arguments.port)
