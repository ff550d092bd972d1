"""Ways to write a right ``test.sh``, each of which must keep its full score, and broken ones (faults 3 and 13).

All run as delivered. Most of these break when a harness rewrites the script, traces it, feeds it by standard input,
sources it, or parses what it says in place of a shell.
"""

from __future__ import annotations

from underspec.selftest.deliverables.pairs import (
    BUILD,
    FULL,
    HONEST,
    MISSING,
    NOTHING,
    Deliverable,
    Pair,
    only,
    script,
    sh,
)

_SELF_CHECK = """\
case $- in *x*|*v*) exit 41;; esac
[ -z "${BASH_ENV:-}" ] || exit 42
[ "$0" = rcb_tests/test.sh ] || exit 43
[ "$#" = 2 ] && [ "$1" = --cases-dir ] || exit 44
[ "$(sha256sum < rcb_tests/test.sh)" = "$(sha256sum < copy-of-test.sh)" ] || exit 45
[ "$PWD" = /workspace ] || exit 46
read -r -t 1 line; [ -z "$line" ] || exit 47
"""

_STRICT = """#!/bin/bash -eu
set -Eeuo pipefail
IFS=$'\\n\\t'
trap 'code=$?; echo "failed at $LINENO" >&2; exit $code' ERR
trap 'rm -rf -- "$scratch"' EXIT
scratch=$(mktemp -d)
root=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
while (($#)); do
  case $1 in
    --cases-dir) cases_dir=$2; shift 2 ;;
    --cases-dir=*) cases_dir=${1#*=}; shift ;;
    *) printf 'unknown: %q\\n' "$1" >&2; exit 64 ;;
  esac
done
: "${cases_dir:?}"
cd "$root"
python3 run.py "$cases_dir" > "$scratch/log" 2>&1
"""

_HEREDOC = r"""#!/usr/bin/env bash
here=$(dirname "$0")
python3 - "$here" "$2" <<'EOF; exit 9'
import json, pathlib, sys
sys.path.insert(0, "/workspace")
import app
here, suite = pathlib.Path(sys.argv[1]), sys.argv[2]
for file in (here / suite).glob("*.json"):
    for i, case in enumerate(json.loads(file.read_text())["cases"]):
        text = app.answer(case["input"])  # $0 ${x} `y` s/a/b/ & | \n \\ set -x
        (here / "stdout" / suite / f"{file.stem}@{i:03}.txt").write_bytes(text.encode())
EOF; exit 9
"""

_ONE_PROCESS_A_CASE = r"""#!/usr/bin/env bash
set -u
cd "$(dirname "$0")/.." || exit 1
out=rcb_tests/stdout/$2
mkdir -p "$out"
for file in rcb_tests/"$2"/*.json; do
  stem=$(basename "$file" .json)
  count=$(python3 -c 'import json,sys; print(len(json.load(open(sys.argv[1]))["cases"]))' "$file")
  for ((i = 0; i < count; i++)); do
    python3 -c 'import json,sys; print(json.dumps(json.load(open(sys.argv[1]))["cases"][int(sys.argv[2])]["input"]))' \
      "$file" "$i" | python3 app.py > "$out/$(printf '%s@%03d.txt' "$stem" "$i")" || true
  done
done
"""

_LAST_LINE_OPEN = 'cd "${0%/*}/.." && exec python3 run.py "$2"'
_REEXEC = (
    '#!/bin/sh\nif [ -z "${AGAIN:-}" ]; then AGAIN=1 exec bash "$0" "$@"; fi\ncd "${0%/*}/.." && python3 run.py "$2"\n'
)
_NON_ASCII = (
    "#!/usr/bin/env bash\n# Überprüfung: 日本 \x01\n"
    'cd "$(dirname "$0")/.."\nname=é; [ ${#name} -ge 1 ] && python3 run.py "$2"\n'
)


def _checked(text: str) -> Deliverable:
    return Deliverable(script(text, **{"copy-of-test.sh": text}), FULL, frozenset())


PAIRS: tuple[Pair, ...] = (
    Pair(
        "has a script with a syntax error",
        Deliverable(script("#!/bin/bash\nif then fi ((\n"), NOTHING, frozenset({MISSING, BUILD})),
        _checked(sh(_SELF_CHECK)),
    ),
    Pair(
        "cannot be built",
        Deliverable(script(only("python3 -m no_such_module || exit 1")), NOTHING, frozenset({MISSING, BUILD})),
        _checked(_STRICT),
    ),
    Pair(
        "calls a program that is not there",
        Deliverable(script(only("no-such-program-anywhere")), NOTHING, frozenset({MISSING, BUILD})),
        _checked(_HEREDOC),
    ),
    Pair(
        "is not a script",
        Deliverable(
            lambda root: script("x")(root) and (root / "rcb_tests" / "test.sh").write_bytes(bytes(range(256))),
            NOTHING,
            None,
        ),
        _checked(_ONE_PROCESS_A_CASE),
    ),
    Pair(
        "ignores which suite is asked for",
        Deliverable(script(only("python3 run.py no_such_suite")), NOTHING, frozenset({MISSING})),
        _checked(_LAST_LINE_OPEN),
    ),
    Pair(
        "asks a question and waits for an answer",
        Deliverable(
            script(only('read -r answer || exit 5; python3 run.py "$2"')), NOTHING, frozenset({MISSING, BUILD})
        ),
        _checked(_REEXEC),
    ),
    Pair("is empty", Deliverable(script(""), NOTHING, frozenset({MISSING})), _checked(_NON_ASCII)),
    Pair(
        "has CRLF line ends",
        Deliverable(script(only("exit 3").replace("\n", "\r\n")), NOTHING, None),
        HONEST,
    ),
)
