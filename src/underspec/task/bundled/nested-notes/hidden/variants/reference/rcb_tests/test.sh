#!/usr/bin/env bash
# canary underspec-canary-033c20df-f25f-50ed-a3b4-0cbaf66ff083
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
exec node rcb_tests/run_cases.js "$cases_dir"
