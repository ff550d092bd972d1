#!/usr/bin/env bash
# canary underspec-canary-2331b79c-7e80-4cd0-a692-bde5bfc249a1
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
# Everything that the compiler needs is here: nothing is fetched, and nothing is written elsewhere.
export GOCACHE="$PWD/build/cache" GOPATH="$PWD/build/path" GOTMPDIR="$PWD/build" GOENV=off GOTOOLCHAIN=local
export GOPROXY=off GOFLAGS=-mod=mod GO111MODULE=on CGO_ENABLED=0 GOTELEMETRY=off
go build -o build/dispatcher .
exec build/dispatcher "rcb_tests/$cases_dir" "rcb_tests/stdout/$cases_dir"
