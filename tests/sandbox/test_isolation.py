"""What the inside cannot see, reach or do."""

from __future__ import annotations

import socket
import subprocess
import threading
from pathlib import Path

import pytest

from tests.sandbox.boxes import bash, in_sandbox, needs_bubblewrap, needs_root, output
from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]

SECRET = "canary-5d1f0c"


async def python(sandbox: BubblewrapSandbox, script: str) -> str:
    result = await sandbox.exec(["python3", "-c", script])
    assert result.exit_code == 0, result
    return result.stdout.decode().strip()


@in_sandbox()
async def test_there_is_no_network_but_loopback(sandbox: BubblewrapSandbox) -> None:
    script = """
import os, socket
print([name for _, name in socket.if_nameindex()])
s = socket.socket(); s.settimeout(2)
try: s.connect(("192.0.2.1", 80)); print("connected")
except OSError as e: print(e.strerror)
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
c = socket.create_connection(s.getsockname()); print("loopback works")
"""
    assert (await python(sandbox, script)).splitlines() == ["['lo']", "Network is unreachable", "loopback works"]


@in_sandbox()
async def test_servers_of_the_host_cannot_be_reached(sandbox: BubblewrapSandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{SECRET}")
        abstract.listen()
        for family, address in (("AF_INET", tcp.getsockname()), ("AF_UNIX", f"\0{SECRET}")):
            script = f"import socket; s = socket.socket(socket.{family}); print(s.connect_ex({address!r}))"
            assert await python(sandbox, script) == "111"  # refused: nobody listens in there


@in_sandbox()
async def test_sockets_that_know_no_namespace_cannot_be_made(sandbox: BubblewrapSandbox) -> None:
    script = """
import socket
for family in range(1, 46):
    try: socket.socket(family, socket.SOCK_STREAM if family in (1, 2, 10) else socket.SOCK_RAW).close(); print(family)
    except OSError as e:
        if e.errno not in (97, 22): print(family, e)
"""
    # AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK; notably no AF_VSOCK (40), which would reach a hypervisor.
    assert (await python(sandbox, script)).split() == ["1", "2", "10", "16"]


def test_nothing_of_the_hosts_environment_or_arguments_is_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", SECRET)

    @in_sandbox()
    async def test(sandbox: BubblewrapSandbox) -> None:
        script = "cat /proc/*/environ /proc/*/cmdline /proc/self/status 2>/dev/null | tr '\\0' '\\n'; env; true"
        seen = await output(sandbox, script)
        assert SECRET not in seen
        assert "keeper" not in seen
        assert str(Path.cwd()) not in seen

    test()


@in_sandbox()
async def test_the_hosts_own_files_are_not_there(sandbox: BubblewrapSandbox) -> None:
    passwd = await output(sandbox, "cat /etc/passwd")
    assert [line.split(":")[0] for line in passwd.splitlines()] == ["root", "nobody"]
    absent = "/etc/shadow /etc/machine-id /etc/ssh /home/* /boot /sys /var/lib/* /run/* /etc/resolv.conf.d"
    assert await output(sandbox, f"ls -d {absent} 2>/dev/null; true") == ""
    assert await output(sandbox, "cat /etc/resolv.conf; hostname; cat /etc/hostname") == "sandbox\nsandbox\n"
    assert await output(sandbox, "ls -A /usr/local /usr/src 2>/dev/null") == "/usr/local:\n\n/usr/src:\n"


@in_sandbox()
async def test_no_installed_python_package_can_be_imported(sandbox: BubblewrapSandbox) -> None:
    script = """
import pkgutil, sys
print([m.name for m in pkgutil.iter_modules() if m.module_finder.path.endswith("-packages")])
"""
    assert await python(sandbox, script) == "[]"


@in_sandbox()
async def test_nothing_more_can_be_mounted_or_unshared(sandbox: BubblewrapSandbox) -> None:
    script = r"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, *a):
    r = libc.syscall(*a); e = ctypes.get_errno() if r < 0 else 0
    if r >= 0: print("ALLOWED", name)
    elif e not in (1, 38): print(name, os.strerror(e))
machine = os.uname().machine
n = dict(mount=165, umount2=166, pivot_root=155, unshare=272, setns=308, clone=56, ptrace=101, keyctl=250,
         bpf=321, perf=298, kexec=246, init_module=175, by_handle=304, userfaultfd=323, swapon=167, reboot=169,
         acct=163, settime=227, syslog=103, quotactl=179) if machine == "x86_64" else \
    dict(mount=40, umount2=39, pivot_root=41, unshare=97, setns=268, clone=220, keyctl=219, bpf=280, perf=241,
         kexec=104, init_module=105, by_handle=265, userfaultfd=282, swapon=224, reboot=142, acct=89, settime=112,
         syslog=116, quotactl=60)
n.pop("ptrace", None)
attempt("mount", n["mount"], b"tmpfs", b"/tmp", b"tmpfs", 0, None)
attempt("bind", n["mount"], b"/", b"/mnt", None, 4096, None)
attempt("remount", n["mount"], None, b"/usr", None, 32 | 4096, None)
attempt("umount", n["umount2"], b"/usr/local", 2)
attempt("pivot_root", n["pivot_root"], b"/", b"/tmp")
for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x80):
    attempt(f"unshare {flag:x}", n["unshare"], flag)
attempt("clone into a user namespace", n["clone"], 0x10000000 | 17, 0, 0, 0, 0)
attempt("setns", n["setns"], os.open("/proc/self/ns/net", os.O_RDONLY), 0)
for call in ("keyctl", "bpf", "perf", "kexec", "init_module", "by_handle", "swapon", "reboot", "acct", "settime",
             "syslog", "quotactl", "userfaultfd"):
    attempt(call, n[call], 0, 0, 0, 0, 0)
for call in (425, 426, 427, 428, 429, 430, 431, 432, 433, 435, 442, 463, 467, 1000):
    attempt(call, call, 0, 0, 0, 0, 0, 0)
import fcntl
for request in (0x5412, 0x541C):
    try: fcntl.ioctl(os.openpty()[0], request, b"x"); print("ALLOWED ioctl", request)
    except PermissionError: pass
for device in (0x101, 0x700):
    try: os.mknod("/tmp/device", 0o020666, device); print("ALLOWED mknod")
    except PermissionError: pass
print("done")
"""
    assert await python(sandbox, script) == "done"


@in_sandbox()
async def test_no_right_is_held_that_would_reach_beyond(sandbox: BubblewrapSandbox) -> None:
    status = await output(sandbox, "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status")
    fields = dict(line.split(":\t") for line in status.splitlines())
    expected = sum(1 << number for number in (0, 1, 3, 4, 5, 6, 7, 10, 18))
    for name in ("CapPrm", "CapEff", "CapBnd"):
        assert int(fields[name], 16) == expected
    assert (int(fields["CapInh"], 16), int(fields["CapAmb"], 16)) == (0, 0)
    assert (fields["NoNewPrivs"], fields["Seccomp"]) == ("1", "2")


@needs_root
@in_sandbox()
async def test_root_inside_is_nobody_on_the_host(sandbox: BubblewrapSandbox) -> None:
    mapped = (await output(sandbox, "cat /proc/self/uid_map /proc/self/gid_map")).split()
    assert mapped[0] == mapped[3] == "0"
    assert int(mapped[1]) >= 1000
    assert int(mapped[4]) >= 1000


@in_sandbox()
async def test_process_1_can_be_neither_killed_nor_traced_nor_looked_into(sandbox: BubblewrapSandbox) -> None:
    script = r"""
import ctypes, os, signal
for number in range(1, 65):
    if number not in (32, 33):
        os.kill(1, number)
libc = ctypes.CDLL(None, use_errno=True)
for request in (16, 0x4206):
    assert libc.ptrace(request, 1, 0, 0) == -1
for name in ("root", "cwd", "exe", "fd", "environ", "mem", "maps", "ns/mnt", "map_files", "fd/0", "stack", "io"):
    try:
        path = f"/proc/1/{name}"
        if name in ("root", "cwd", "exe", "ns/mnt", "fd/0"): os.readlink(path)
        elif name in ("fd", "map_files"): os.listdir(path)
        else: open(path).read(1)
        print("SEEN", name)
    except (PermissionError, FileNotFoundError): pass
print(repr(open("/proc/1/cmdline").read().strip("\0")), open("/proc/1/comm").read().strip())
"""
    assert await python(sandbox, script) == "'' init"
    assert (await bash(sandbox, "exit 0")).ok


@in_sandbox()
async def test_killing_everything_from_inside_ends_nothing_but_that(sandbox: BubblewrapSandbox) -> None:
    for _ in range(3):
        await bash(sandbox, "sleep 60 & python3 -c 'import os; os.kill(-1, 9)'; kill -9 -1")
    assert await output(sandbox, "echo alive") == "alive\n"


@in_sandbox()
async def test_a_command_on_its_way_in_cannot_be_caught(sandbox: BubblewrapSandbox) -> None:
    """A process inside watches for new ones and tries to trace and look into them before they exec."""
    spy = r"""
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
tries, caught, until = 0, set(), time.time() + 2
def look(pid):
    for name, fine in (("exe", ("/usr/bin/true",)), ("root", ("/",)), ("cwd", ("/workspace", "/"))):
        place = os.readlink(f"/proc/{pid}/{name}")
        if place not in fine: caught.add((name, place))
while time.time() < until:
    for pid in os.listdir("/proc"):
        if not pid.isdigit() or pid == "1" or int(pid) == os.getpid(): continue
        tries += 1
        try: look(pid)
        except OSError: pass
        if libc.ptrace(0x4206, int(pid), 0, 0) == 0:  # seized, which does not stop it
            try: look(pid)
            except OSError: pass
print(tries > 100, caught)
"""
    await sandbox.put("/tmp/spy.py", spy.encode())
    await bash(sandbox, "setsid python3 /tmp/spy.py > /tmp/spied 2>&1 &")
    for _ in range(60):
        await sandbox.exec(["/usr/bin/true"], timeout=20)
    for _ in range(100):
        if said := await sandbox.get("/tmp/spied", max_bytes=10_000):
            break
        await bash(sandbox, "sleep 0.1")
    assert said == b"True set()\n"


@in_sandbox()
async def test_no_descriptor_or_root_of_any_process_leads_out(sandbox: BubblewrapSandbox) -> None:
    marker = Path(f"/tmp/{SECRET}")
    marker.write_text("host")
    try:
        script = f"""
        ls /proc/[0-9]*/root/tmp/{SECRET} /proc/[0-9]*/cwd/tmp/{SECRET} 2>/dev/null
        for f in /proc/[0-9]*/fd/*; do ls $f/../{SECRET} $f/../../{SECRET} $f/tmp/{SECRET} 2>/dev/null; done
        find / -name '{SECRET}' -not -path '/proc/*' 2>/dev/null
        true
        """
        assert await output(sandbox, script) == ""
    finally:
        marker.unlink()


@in_sandbox()
async def test_changing_root_does_not_lead_out(sandbox: BubblewrapSandbox) -> None:
    script = """
import os
os.mkdir("/tmp/jail")
out = os.open("/", os.O_RDONLY)
os.chroot("/tmp/jail"); os.fchdir(out)
for _ in range(50): os.chdir("..")
os.chroot(".")
print(os.path.exists("/etc/shadow"), open("/etc/passwd").read().count(":root:"))
"""
    assert await python(sandbox, script) == "False 1"  # only our own line


@in_sandbox()
async def test_kernel_interfaces_are_covered_or_read_only(sandbox: BubblewrapSandbox) -> None:
    script = """
    for f in /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sys/net/ipv4/ip_forward \\
             /proc/sys/kernel/hostname /proc/sys/user/max_user_namespaces; do
        [ -e $f ] && echo 1 2>/dev/null > $f && echo "WRITTEN $f"
    done 2>/dev/null
    for f in kcore keys kallsyms kmsg timer_list sysrq-trigger; do
        [ -s /proc/$f ] && echo "SEEN $f"; head -c1 /proc/$f 2>/dev/null
    done
    ls -A /proc/acpi /proc/scsi /proc/irq /proc/bus /proc/fs 2>/dev/null | grep -v :
    ls /sys 2>/dev/null
    cat /proc/sys/user/max_user_namespaces
    """
    assert (await output(sandbox, script)).split() == ["0"]


@in_sandbox()
async def test_devices_are_the_harmless_few(sandbox: BubblewrapSandbox) -> None:
    names = (await output(sandbox, "cd /dev; find . -type c -o -type b | sort | tr '\\n' ' '")).split()
    assert set(names) <= {
        f"./{name}" for name in ("full", "null", "ptmx", "pts/ptmx", "random", "tty", "urandom", "zero")
    }
    assert await output(sandbox, "echo gone > /dev/null; head -c 4 /dev/zero | xxd -p; head -c 4 /dev/urandom | wc -c")
    assert (
        await python(sandbox, "import os; a, b = os.openpty(); os.write(a, b'x\\n'); print(os.read(b, 9))") == "b'x\\n'"
    )


@in_sandbox()
async def test_control_groups_do_not_show_the_hosts_names(sandbox: BubblewrapSandbox) -> None:
    groups = await output(sandbox, "cat /proc/self/cgroup")
    assert "underspec" not in groups
    assert sandbox.id not in groups


def test_two_sandboxes_do_not_see_each_other() -> None:
    @in_sandbox()
    async def test(one: BubblewrapSandbox) -> None:
        @in_sandbox()
        async def other(two: BubblewrapSandbox) -> None:
            await two.put("/tmp/mine", b"two")
            await bash(two, "setsid sleep 321 > /dev/null 2>&1 &")
            assert (await bash(two, "test ! -e /tmp/theirs")).ok

        await one.put("/tmp/theirs", b"one")
        failures: list[BaseException] = []

        def run() -> None:
            try:
                other()
            except AssertionError as error:
                failures.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        for _ in range(5):
            assert "321" not in await output(one, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '; ls /tmp")
        thread.join()
        assert failures == []

    test()


@in_sandbox()
async def test_the_system_shown_cannot_be_changed(sandbox: BubblewrapSandbox) -> None:
    for attempt in ("touch /usr/bin/new", "rm /usr/bin/env", "chmod 777 /usr", "echo x >> /etc/passwd", "touch /new"):
        assert not (await bash(sandbox, attempt)).ok, attempt
    assert Path("/usr/bin/env").stat().st_size > 0


@needs_root
@in_sandbox()
async def test_what_only_root_of_the_host_may_read_root_inside_may_not(sandbox: BubblewrapSandbox) -> None:
    find = [
        "find",
        "/usr",
        "-xdev",
        "-type",
        "f",
        "-user",
        "root",
        "!",
        "-perm",
        "-004",
        "-not",
        "-path",
        "/usr/local/*",
    ]
    private = subprocess.run(find, capture_output=True, text=True, check=True).stdout.split("\n")[0]
    if not private:
        pytest.skip("this machine has no private file in /usr")
    assert b"Permission denied" in (await bash(sandbox, f"cat '{private}'")).stderr
