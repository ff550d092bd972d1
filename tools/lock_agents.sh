#!/bin/sh
# Renews the locks of agents' layers after their recipes name other versions. Needs uv and npm; runs no package.
# Hashes of archives (`integrity`) in the recipes are the registry's: `npm view NAME@VERSION dist.integrity`.
set -eu
cd "$(dirname "$0")/../src/underspec/sandbox/images/agents/recipes"

version() { sed -n 's/^version = "\(.*\)"$/\1/p' "$1.toml" | head -n 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python_lock() { # $1: recipe; then requirements
  recipe=$1
  shift
  printf '%s\n' "$@" >"$work/in"
  # Only OpenHands' browser tool needs func-timeout, which is published as source alone.
  echo 'func-timeout ; python_version < "3"' >"$work/overrides"
  uv pip compile "$work/in" --override "$work/overrides" --python-version 3.13 --python-platform x86_64-manylinux_2_36 \
    --only-binary :all: --generate-hashes --no-annotate --no-header --quiet --output-file "$recipe.lock"
}
python_lock mini-swe-agent "mini-swe-agent==$(version mini-swe-agent)"
python_lock openhands "openhands-sdk==$(version openhands)" "openhands-tools==$(version openhands)"

cat >"$work/package.json" <<JSON
{"name": "underspec-agent-pi", "private": true,
 "dependencies": {"@mariozechner/pi-coding-agent": "$(version pi)"}}
JSON
(cd "$work" && npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund)
cp "$work/package-lock.json" pi.package-lock.json
