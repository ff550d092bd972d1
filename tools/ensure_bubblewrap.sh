# Installs bubblewrap where this user may install packages; otherwise says what to install (exit 3).
command -v bwrap >/dev/null 2>&1 && exit 0

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then sudo -n "$@"; else return 1; fi
}

echo "bubblewrap is missing; trying to install it" >&2
if command -v apt-get >/dev/null 2>&1; then
  as_root apt-get install -y -qq bubblewrap >&2 2>/dev/null ||
    { as_root apt-get update -qq >&2 && as_root apt-get install -y -qq bubblewrap >&2; }
elif command -v dnf >/dev/null 2>&1; then
  as_root dnf install -y -q bubblewrap >&2
elif command -v pacman >/dev/null 2>&1; then
  as_root pacman -S --noconfirm bubblewrap >&2
elif command -v apk >/dev/null 2>&1; then
  as_root apk add bubblewrap >&2
elif command -v zypper >/dev/null 2>&1; then
  as_root zypper --non-interactive install bubblewrap >&2
fi
command -v bwrap >/dev/null 2>&1 && exit 0
echo "error: bubblewrap is not installed, and this user may not install it" >&2
echo "  mend: ask for the package 'bubblewrap' (apt-get, dnf, pacman, apk and zypper all have it under that name)" >&2
exit 3
