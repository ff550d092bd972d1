#!/usr/bin/env bash
# Usage: bash rcb_tests/test.sh [--cases-dir FOLDER]
set -eu
cd "$(dirname "$0")/.."
dir="${2:-test_cases}"
if [ ! -x labels ] || [ labels.go -nt labels ] || [ main.go -nt labels ]; then
  build="$(mktemp -d)"
  GOCACHE="$build/cache" GOPATH="$build/path" GOFLAGS= GOENV=off GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0 go build -o labels .
  rm -rf "$build"
fi
mkdir -p "rcb_tests/stdout/$dir"
exec ./labels "rcb_tests/$dir" "rcb_tests/stdout/$dir"
