#!/usr/bin/env bash
# canary underspec-canary-7434916a-ae02-457e-bf9d-37377c0ba624
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
mkdir -p build "rcb_tests/stdout/$cases_dir"
g++ -std=c++17 -O0 -o build/dispatcher dispatcher.cpp
exec build/dispatcher "rcb_tests/$cases_dir" "rcb_tests/stdout/$cases_dir"
