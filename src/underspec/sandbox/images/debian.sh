#!/bin/sh
# Makes a Debian root tree. $1: empty folder; $2: suite; $3: variant; $4: mirror, or nothing for debootstrap's own; then
# packages. Runs as root in mount, process, IPC and host name namespaces of its own, so nothing mounted or started
# here outlives it. Leaves the installed packages in `packages` beside the tree.
set -eu
umask 022
root=$1 suite=$2 variant=$3 mirror=$4
shift 4

debootstrap --variant="$variant" --force-check-gpg "$suite" "$root" ${mirror:+"$mirror"}

# No service is to start while packages are configured.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
mount -t proc proc "$root/proc"
chroot "$root" apt-get -q update
chroot "$root" apt-get -q -y --no-install-recommends -o Dpkg::Options::=--force-unsafe-io install "$@"
chroot "$root" apt-get -q clean
umount "$root/proc"
rm "$root/usr/sbin/policy-rc.d"
# The locale is C.UTF-8 everywhere, and sorts the list alike.
chroot "$root" dpkg-query -W -f '${Package}\t${Version}\n' >"$root/../packages"
