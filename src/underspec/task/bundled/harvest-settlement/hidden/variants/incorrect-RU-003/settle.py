# canary underspec-canary-974e0fcb-294a-53f5-9f9e-2065fc412d64
"""Settles deliveries: reads two tables, writes two tables and a workbook."""

import argparse
import sys
from pathlib import Path

from settlement.reading import FileProblem, read_deliveries, read_prices
from settlement.settling import settle
from settlement.writing import write_all

parser = argparse.ArgumentParser()
for name in ("--deliveries", "--prices", "--out"):
    parser.add_argument(name, required=True, type=Path)
arguments = parser.parse_args()
try:
    prices = read_prices(arguments.prices)
    deliveries = read_deliveries(arguments.deliveries)
except FileProblem as problem:
    print(problem, file=sys.stderr)
    sys.exit(4)
lines, rejects = settle(deliveries, prices)
write_all(arguments.out, lines, rejects)
