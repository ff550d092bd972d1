#!/usr/bin/env bash
set -eu
cd "$(dirname "$0")/.."
dir=test_cases
[ "${1:-}" = "--cases-dir" ] && dir=$2
exec python3 -B rcb_tests/run_cases.py "$dir"
