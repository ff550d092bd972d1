# canary underspec-canary-7f7b1542-14d7-5b91-ba06-f7f7eda1f43e
"""Starts the service: ``python3 -m lending --db PATH --port PORT``."""

import argparse

from lending.store import Store
from lending.web import serve

parser = argparse.ArgumentParser(prog="lending")
parser.add_argument("--db", required=True)
parser.add_argument("--port", type=int, required=True)
arguments = parser.parse_args()
serve(Store(arguments.db), arguments.port)
