#!/usr/bin/env bash
# Usage: bash rcb_tests/test.sh [--cases-dir FOLDER]
set -eu
cd "$(dirname "$0")/.."
folder=test_cases
if [ "${1:-}" = "--cases-dir" ]; then
  folder="$2"
fi
if [ ! -x moving-marks ] || [ -n "$(find src -newer moving-marks)" ]; then
  g++ -std=c++17 -O0 -o moving-marks src/main.cpp
fi
mkdir -p "rcb_tests/stdout/$folder"
exec ./moving-marks "rcb_tests/$folder" "rcb_tests/stdout/$folder"
