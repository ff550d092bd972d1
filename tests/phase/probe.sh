# Runs as an agent would, inside its sandbox, and prints every place where one of the needles on standard input is seen.
# $1: "quick" looks only at names below /usr, "full" reads every file there as well; $2...: ports that the host listens on.
export LC_ALL=C
depth="$1"
shift
needles="$(mktemp)"
cat > "$needles"

report() { while IFS= read -r line; do printf 'FOUND %s: %s\n' "$1" "$line"; done; }

# Every file that is not under /usr, whatever is mounted where; then every name anywhere. Devices are bound over plain
# files, which find takes them for, and some never end: of /dev only what is shared memory is read.
find / /dev/shm \( -path /proc -o -path /dev -o -path /sys -o -path /usr -o -path "$needles" \) -prune -o -type f -readable -print0 2>/dev/null |
  xargs -0 -r grep -laiF -f "$needles" -- 2>/dev/null | report "content of a file"
find / -path /proc -prune -o -print 2>/dev/null | grep -iF -f "$needles" | report "name of a file"
if [ "$depth" = full ]; then
  grep -rlaiF -f "$needles" /usr 2>/dev/null | report "content of a file in /usr"
fi

# Environments, command lines and open files of every process that can be looked at.
for process in /proc/[0-9]*; do
  tr '\0' '\n' < "$process/environ" 2>/dev/null | grep -iF -f "$needles" | report "environment of $process"
  tr '\0' ' ' < "$process/cmdline" 2>/dev/null | grep -iF -f "$needles" | report "command line of $process"
  ls -l "$process/fd" 2>/dev/null | grep -iF -f "$needles" | report "open file of $process"
done
grep -iF -f "$needles" /proc/self/mountinfo | report "mount table"

# Sockets by path and by abstract name, interfaces, and the host's own ports.
awk 'NR > 1 && NF > 7 {print "SOCKET " $8}' /proc/net/unix
find / -path /proc -prune -o -type s -print 2>/dev/null | sed 's/^/SOCKET /'
awk -F: 'NR > 2 {gsub(/ /, "", $1); print "INTERFACE " $1}' /proc/net/dev
for port in "$@"; do
  (exec 3<> "/dev/tcp/127.0.0.1/$port") 2>/dev/null && echo "CONNECTED $port"
done
rm -f "$needles"
echo PROBED
