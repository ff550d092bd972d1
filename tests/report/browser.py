"""Looking at a page in a real browser: what fits, what runs, what is fetched."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)

# Run inside the page. `wide` names what sticks out of the window; what an ancestor clips or scrolls does not.
_MEASURE = """
const root = document.documentElement;
const clipped = node => {
  for (let up = node.parentElement; up && up !== document.body; up = up.parentElement)
    if (getComputedStyle(up).overflowX !== 'visible') return true;
  return false;
};
const wide = [], cut = [];
for (const node of document.body.querySelectorAll('*')) {
  const box = node.getBoundingClientRect();
  if (box.width && (box.right > innerWidth + 1 || box.left < -1) && !clipped(node))
    wide.push(node.tagName + '.' + node.getAttribute('class'));
  if (node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX === 'hidden' && node.clientWidth > 1)
    cut.push(node.tagName + '.' + node.getAttribute('class'));
}
const small = [...document.body.querySelectorAll('*')].filter(node => [...node.childNodes].some(
  child => child.nodeType === 3 && child.data.trim()) && parseFloat(getComputedStyle(node).fontSize) < 11);
parent.document.documentElement.setAttribute('data-measured', JSON.stringify({
  width: innerWidth, scroll: root.scrollWidth, height: root.scrollHeight, wide: wide.slice(0, 9), cut: cut.slice(0, 9),
  small: small.slice(0, 9).map(node => node.tagName + '.' + node.getAttribute('class')),
  scripts: document.scripts.length, fetched: performance.getEntriesByType('resource').map(entry => entry.name),
  handlers: [...document.querySelectorAll('*')].filter(node => [...node.attributes].some(
    attribute => attribute.name.startsWith('on'))).length,
  card: getComputedStyle(document.querySelector('.group')).borderTopStyle, pwned: String(window.pwned),
}));
"""


def find_browser() -> str | None:
    """A Chromium, if this machine has one."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


def measure(browser: str, page: str, folder: Path, *, width: int) -> dict[str, Any]:
    """Lay the page out in a window of that width, everything in it opened, and measure.

    The page's own policy stays in force; only our measuring is let in, by its hash.
    """
    digest = base64.b64encode(hashlib.sha256(_MEASURE.encode()).digest()).decode()
    opened = page.replace("<details", "<details open").replace("base-uri", f"script-src 'sha256-{digest}'; base-uri")
    inner = html.escape(opened.replace("</body>", f"<script>{_MEASURE}</script></body>"))
    # A window cannot be as narrow as a phone; a frame can, and its page goes by the frame's width.
    frame = f'<!DOCTYPE html><meta charset="utf-8"><iframe width="{width}" height="900" srcdoc="{inner}"></iframe>'
    path = folder / f"page-{width}.html"
    path.write_text(frame, encoding="utf-8")
    profile = folder / f"profile-{width}"
    done = subprocess.run(
        [browser, *_FLAGS, f"--user-data-dir={profile}", "--window-size=1600,1000", "--dump-dom", path.as_uri()],
        capture_output=True,
        timeout=120,
        check=False,
    )
    shutil.rmtree(profile, ignore_errors=True)
    found = re.search(r'data-measured="([^"]*)"', done.stdout.decode("utf-8", "replace"))
    assert found, (done.returncode, done.stderr.decode("utf-8", "replace")[-2000:])
    measured: dict[str, Any] = json.loads(html.unescape(found.group(1)))
    return measured
