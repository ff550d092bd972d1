"""What the inside cannot see, reach or do."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import tempfile
from pathlib import Path

from underspec.errors import AgentError
from underspec.sandbox.conformance.expect import bash, equal, expect, output, python, started
from underspec.sandbox.protocol import CHANNEL_PORT, SandboxBackend

_NETWORK = """
import socket
print([name for _, name in socket.if_nameindex()])
s = socket.socket(); s.settimeout(2)
try: s.connect(("192.0.2.1", 80)); print("connected")
except OSError as e: print(e.strerror)
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
c = socket.create_connection(s.getsockname()); print("loopback works")
"""
_CALLS = r"""
import ctypes, fcntl, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, *a):
    if libc.syscall(*a) >= 0: print("ALLOWED", name)
x86 = os.uname().machine == "x86_64"
n = dict(mount=(165, 40), umount2=(166, 39), pivot_root=(155, 41), unshare=(272, 97), setns=(308, 268), clone=(56, 220),
    keyctl=(250, 219), bpf=(321, 280), perf=(298, 241), init_module=(175, 105), by_handle=(304, 265), syslog=(103, 116),
    userfaultfd=(323, 282), io_uring=(425, 425), open_tree=(428, 428), fsopen=(430, 430))
n = {name: numbers[0 if x86 else 1] for name, numbers in n.items()}
attempt("mount", n["mount"], b"tmpfs", b"/tmp", b"tmpfs", 0, None)
attempt("bind", n["mount"], b"/", b"/mnt", None, 4096, None)
attempt("umount", n["umount2"], b"/tmp", 2)
attempt("pivot_root", n["pivot_root"], b"/", b"/tmp")
for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
    attempt(f"unshare {flag:x}", n["unshare"], flag)
attempt("clone", n["clone"], 0x10000000 | 17, 0, 0, 0, 0)
attempt("setns", n["setns"], os.open("/proc/self/ns/net", os.O_RDONLY), 0)
for call in ("keyctl", "bpf", "perf", "init_module", "by_handle", "syslog", "userfaultfd", "io_uring", "open_tree",
             "fsopen"):
    attempt(call, n[call], 0, 0, 0, 0, 0)
try: os.mknod("/tmp/device", 0o020666, 0x101); print("ALLOWED mknod")
except PermissionError: pass
try: fcntl.ioctl(os.openpty()[0], 0x5412, b"x"); print("ALLOWED typing into a terminal")
except PermissionError: pass
for family in (17, 40):
    try: socket.socket(family, socket.SOCK_RAW if family == 17 else socket.SOCK_STREAM); print("ALLOWED family", family)
    except OSError: pass
for request in (16, 0x4206):
    if libc.ptrace(request, 1, 0, 0) == 0: print("ALLOWED tracing process 1")
for name in ("root", "cwd", "exe"):
    try: os.readlink(f"/proc/1/{name}"); print("ALLOWED looking into process 1", name)
    except OSError: pass
for name in ("environ", "mem", "maps"):
    try: open(f"/proc/1/{name}").read(1); print("ALLOWED reading process 1", name)
    except OSError: pass
print("done")
"""
_KERNEL = """
for f in /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sys/net/ipv4/ip_forward /proc/sys/kernel/hostname
do [ -e $f ] && echo 1 2>/dev/null > $f && echo "WRITTEN $f"; done 2>/dev/null
for f in kcore keys kallsyms kmsg timer_list sysrq-trigger; do head -c1 /proc/$f 2>/dev/null; done
for f in $(find /proc -maxdepth 1 -type f ! -perm -004); do
  [ -n "$(head -c1 $f 2>/dev/null | tr '\\0' x)" ] && echo "READ $f"
done
ls -A /sys /proc/acpi /proc/scsi /proc/irq /proc/bus /proc/fs 2>/dev/null | grep -v '^/\\|^$'
find /dev -type b -o -type c | grep -vxE '/dev/(full|null|ptmx|pts/ptmx|pts/[0-9]+|random|tty|urandom|zero)'
true
"""
_ELSEWHERE = """
for d in $(find / -xdev -type d -not -path '/usr/*' 2>/dev/null; cut -d' ' -f2 /proc/mounts); do
  case $d in /workspace*|/tmp*|/var/tmp*|/root*|/run*|/dev/shm*|/proc*) continue;; esac
  if : > "$d/probe" 2>/dev/null; then echo "$d"; fi
done
true
"""


async def there_is_no_network_but_loopback(backend: SandboxBackend) -> None:
    """There is a loopback of the sandbox's own, and no way to the host's servers or beyond."""
    async with started(backend) as sandbox:
        said = (await python(sandbox, _NETWORK)).stdout.decode().splitlines()
        equal(said, ["['lo']", "Network is unreachable", "loopback works"])
        token = secrets.token_hex(8)
        with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
            abstract.bind(f"\0{token}")
            abstract.listen()
            for family, address in (("AF_INET", tcp.getsockname()), ("AF_UNIX", f"\0{token}")):
                script = f"import socket; s = socket.socket(socket.{family}); print(s.connect_ex({address!r}))"
                equal((await python(sandbox, script)).stdout, b"111\n")


async def the_channel_is_served_from_outside(backend: SandboxBackend) -> None:
    """A socket of the sandbox's loopback is served by the harness, and is not open on the host."""

    async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.readline()).upper())
        await writer.drain()
        writer.close()

    async with started(backend) as sandbox:
        listener = await sandbox.listen(CHANNEL_PORT)
        async with await asyncio.start_server(shout, sock=listener):
            script = f"exec 3<>/dev/tcp/127.0.0.1/{CHANNEL_PORT}; printf 'hello\\n' >&3; cat <&3"
            equal(await asyncio.gather(*(output(sandbox, script) for _ in range(3))), ["HELLO\n"] * 3)
        probe = await sandbox.listen(CHANNEL_PORT + 1)
        with contextlib.closing(probe), contextlib.suppress(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", CHANNEL_PORT + 1)
            expect(False, "the sandbox's port is open on the host")


async def a_server_inside_is_reached_from_outside(backend: SandboxBackend) -> None:
    """The harness can connect to a server inside, and is told when there is none."""
    script = "import socket; s = socket.create_server(('127.0.0.1', 8000)); print(end='up', flush=True)\n"
    script += "c, _ = s.accept(); c.sendall(c.recv(9).upper())"
    async with started(backend) as sandbox:
        try:
            (await sandbox.connect(8000)).close()
            expect(False, "connected, and nobody listens")
        except AgentError:
            pass
        up = asyncio.Event()
        serving = asyncio.create_task(sandbox.exec(["python3", "-c", script], on_stdout=lambda _: up.set()))
        await asyncio.wait_for(up.wait(), 30)
        reader, writer = await asyncio.open_connection(sock=await sandbox.connect(8000))
        writer.write(b"hello")
        equal(await reader.read(), b"HELLO")
        writer.close()
        expect((await serving).ok, "the server inside failed")


async def no_secret_of_the_host_is_visible(backend: SandboxBackend) -> None:
    """Neither the host's files nor its environment, arguments, users or names are seen inside."""
    token = f"canary{secrets.token_hex(8)}"
    os.environ["UNDERSPEC_CONFORMANCE_CANARY"] = token
    try:
        with tempfile.NamedTemporaryFile(prefix=token) as file:
            async with started(backend) as sandbox:
                seen = await output(
                    sandbox, "cat /proc/*/environ /proc/*/cmdline /proc/mounts 2>/dev/null | tr '\\0' ' '; env"
                )
                expect(token not in seen, "the environment")
                expect(str(Path.cwd()) not in seen, "the working folder")
                found = await output(
                    sandbox,
                    f"ls -d {file.name} /proc/[0-9]*/root{file.name} /proc/[0-9]*/cwd{file.name} 2>/dev/null;"
                    "ls -d /etc/shadow /etc/machine-id /etc/ssh /home/* /boot /var/run/docker.sock /run/* 2>/dev/null;"
                    "true",
                )
                equal(found, "")
                users = await output(sandbox, "cut -d: -f1 /etc/passwd; cat /etc/hostname /etc/resolv.conf /etc/hosts")
                equal(users, "root\nnobody\nsandbox\n127.0.0.1 localhost sandbox\n::1 localhost\n")
                expect("underspec" not in await output(sandbox, "cat /proc/self/cgroup"), "control groups")
    finally:
        del os.environ["UNDERSPEC_CONFORMANCE_CANARY"]


async def nothing_more_can_be_done_as_root(backend: SandboxBackend) -> None:
    """Root inside can neither mount, unshare, trace process 1, make devices, nor use risky kernel interfaces."""
    async with started(backend) as sandbox:
        equal((await python(sandbox, _CALLS)).stdout.decode().strip(), "done")
        status = await output(sandbox, "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status")
        fields = dict(line.split(":\t") for line in status.splitlines())
        kept = sum(1 << number for number in (0, 1, 3, 4, 5, 6, 7, 10, 18))
        equal(
            [int(fields[name], 16) for name in ("CapPrm", "CapEff", "CapBnd", "CapInh", "CapAmb")], [kept] * 3 + [0, 0]
        )
        equal((fields["NoNewPrivs"], fields["Seccomp"]), ("1", "2"))


async def kernel_interfaces_are_covered(backend: SandboxBackend) -> None:
    """What /proc, /sys and /dev would tell of the host or let change is covered or read-only."""
    async with started(backend) as sandbox:
        equal(await output(sandbox, _KERNEL), "")


async def there_is_nowhere_else_to_write(backend: SandboxBackend) -> None:
    """Nothing can be written outside the few writable places."""
    async with started(backend) as sandbox:
        equal(await output(sandbox, _ELSEWHERE), "")
        expect(not (await bash(sandbox, "touch /usr/bin/env || chmod 777 /usr")).ok, "/usr was changed")


async def two_sandboxes_do_not_see_each_other(backend: SandboxBackend) -> None:
    """Files, processes and sockets of one sandbox are not there in another."""
    async with started(backend) as one, started(backend) as two:
        await two.put("/tmp/mine", b"two")
        await bash(two, "setsid sleep 4321 > /dev/null 2>&1 &")
        expect(one.id != two.id, one.id)
        seen = await output(one, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '; ls /tmp")
        expect("4321" not in seen and "mine" not in seen, seen)


CHECKS = (
    there_is_no_network_but_loopback,
    the_channel_is_served_from_outside,
    a_server_inside_is_reached_from_outside,
    no_secret_of_the_host_is_visible,
    nothing_more_can_be_done_as_root,
    kernel_interfaces_are_covered,
    there_is_nowhere_else_to_write,
    two_sandboxes_do_not_see_each_other,
)
