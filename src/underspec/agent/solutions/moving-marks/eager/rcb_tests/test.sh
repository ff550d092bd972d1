#!/bin/bash
# Builds the program and answers all cases of one folder.
cd "$(dirname "$0")/.." || exit 1
cases=test_cases
[ "$1" = "--cases-dir" ] && cases="$2"
if ! [ marks -nt src/main.cc ]; then
  g++ -std=c++17 -O0 -o marks src/main.cc || exit 1
fi
mkdir -p "rcb_tests/stdout/$cases"
./marks "rcb_tests/$cases" "rcb_tests/stdout/$cases"
