#!/usr/bin/env bash
# Usage: bash rcb_tests/test.sh [--cases-dir FOLDER]
set -eu
cd "$(dirname "$0")/.."
dir=test_cases
if [ "${1:-}" = "--cases-dir" ]; then
  dir="$2"
fi
exec php -n rcb_tests/run_cases.php "$dir"
