#!/usr/bin/env bash
# Usage: bash rcb_tests/test.sh [--cases-dir public_test_cases|test_cases|enhanced_test_cases]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
suite=test_cases
if [ "${1:-}" = --cases-dir ]; then suite=$2; fi
cd "$root"
exec python3 -B rcb_tests/run_cases.py "$suite"
