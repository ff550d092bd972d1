"""Looks every pinned package up in the vulnerability database of its index, by pip-audit; fails where one is known.

Where the database cannot be asked (no network, or an index without one), that is said, and nothing is claimed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).parent.parent / "requirements-dev.lock"  # all that the others hold, and more


def main() -> int:
    """Returns 1 where a package has a known vulnerability."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(LOCK), "--require-hashes", "--disable-pip"]
    done = subprocess.run(
        [*command, "--format", "json", "--progress-spinner", "off"], capture_output=True, text=True, timeout=600
    )
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        last = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
        print(f"audit: the vulnerability database cannot be asked ({last.split(':')[0][:80]})", file=sys.stderr)
        return 0
    looked_up = [each for each in packages if "skip_reason" not in each]
    bad = [each for each in looked_up if each["vulns"]]
    for each in bad:
        for found in each["vulns"]:
            mend = f"; fixed in {', '.join(found['fix_versions'])}" if found["fix_versions"] else ""
            print(f"audit: {each['name']} {each['version']}: {found['id']}{mend}", file=sys.stderr)
    print(f"audit: {len(looked_up)} of {len(packages)} packages looked up, {len(bad)} with known vulnerabilities")
    if len(looked_up) < len(packages):
        print(f"audit: the index has no record of {len(packages) - len(looked_up)}; nothing is known of these")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
