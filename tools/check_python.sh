# Says what is missing before anything is installed: Python 3.11 or newer, with venv and pip.
python="$1"
if ! command -v "$python" >/dev/null 2>&1; then
  echo "error: $python is not installed" >&2
  echo "  mend: install Python 3.11 or newer, or say where it is: make PYTHON=/path/to/python3" >&2
  exit 3
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "error: $python is $("$python" --version 2>&1), older than 3.11" >&2
  echo "  mend: say where a newer one is: make PYTHON=/path/to/python3.11" >&2
  exit 3
fi
if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
  echo "error: $python has no venv module" >&2
  echo "  mend: apt-get install python3-venv (Debian, Ubuntu), or use another Python" >&2
  exit 3
fi
