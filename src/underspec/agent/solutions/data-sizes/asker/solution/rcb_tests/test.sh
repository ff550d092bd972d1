#!/usr/bin/env bash
# Usage: bash rcb_tests/test.sh [--cases-dir FOLDER]
set -eu
cd "$(dirname "$0")/.."
folder=test_cases
if [ "${1:-}" = "--cases-dir" ]; then
  folder="$2"
fi
PYTHONDONTWRITEBYTECODE=1 exec python3 rcb_tests/run_cases.py "$folder"
