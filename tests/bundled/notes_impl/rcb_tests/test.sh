#!/usr/bin/env bash
# Usage: bash rcb_tests/test.sh [--cases-dir FOLDER]
set -eu
cd "$(dirname "$0")/.."
[ "${1:-}" = "--cases-dir" ] || set -- --cases-dir test_cases
PYTHONDONTWRITEBYTECODE=1 exec python3 rcb_tests/run.py "$2"
