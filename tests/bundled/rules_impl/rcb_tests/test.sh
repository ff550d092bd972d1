#!/usr/bin/env bash
# Usage: bash rcb_tests/test.sh [--cases-dir FOLDER]
set -eu
cd "$(dirname "$0")/.."
[ "${1:-}" = "--cases-dir" ] || set -- --cases-dir test_cases
exec node rcb_tests/run.js "$2"
