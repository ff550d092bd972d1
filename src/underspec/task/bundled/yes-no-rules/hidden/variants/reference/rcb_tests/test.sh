#!/usr/bin/env bash
# canary underspec-canary-af744227-dbfb-50e2-8fac-d93ecbe9d25f
# Usage: bash rcb_tests/test.sh [--cases-dir public_test_cases|test_cases|enhanced_test_cases]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cases_dir=test_cases
while [ $# -gt 0 ]; do
  case "$1" in
    --cases-dir) cases_dir="$2"; shift 2 ;;
    *) echo "unknown option: $1" >&2; exit 2 ;;
  esac
done
PYTHONDONTWRITEBYTECODE=1 exec python3 rcb_tests/run_cases.py "$cases_dir"
