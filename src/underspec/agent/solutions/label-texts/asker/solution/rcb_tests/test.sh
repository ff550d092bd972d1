#!/usr/bin/env bash
# Usage: bash rcb_tests/test.sh [--cases-dir FOLDER]
set -eu
cd "$(dirname "$0")/.."
folder=test_cases
if [ "${1:-}" = "--cases-dir" ]; then
  folder="$2"
fi
if [ ! -x label-texts ] || [ -n "$(find . -name '*.go' -newer label-texts)" ]; then
  scratch="$(mktemp -d)"
  GOCACHE="$scratch/cache" GOPATH="$scratch/path" GOFLAGS= GOENV=off GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0 \
    go build -o label-texts .
  rm -rf "$scratch"
fi
mkdir -p "rcb_tests/stdout/$folder"
exec ./label-texts "rcb_tests/$folder" "rcb_tests/stdout/$folder"
