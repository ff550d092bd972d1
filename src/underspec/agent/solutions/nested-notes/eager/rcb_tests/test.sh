#!/usr/bin/env bash
# Usage: bash rcb_tests/test.sh [--cases-dir FOLDER]
set -eu
cd "$(dirname "$0")/.."
folder=test_cases
if [ "${1:-}" = "--cases-dir" ]; then
  folder="$2"
fi
exec node rcb_tests/run_cases.js "$folder"
