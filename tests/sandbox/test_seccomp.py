"""The seccomp filter, judged by interpreting it as the kernel does."""

from __future__ import annotations

import errno
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from underspec.sandbox.keeper import seccomp

ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOWED, PRETENDED = "allowed", "pretended"


def judge(machine: str, number: int, *arguments: int, arch: int | None = None) -> str:
    """What the filter says to one call: ``allowed`` or the name of an error."""
    program = seccomp.build_filter(machine)
    code = [struct.unpack("=HBBI", program[at : at + 8]) for at in range(0, len(program), 8)]
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, arch or ARCH[machine], 0, *padded)
    accumulator, at = 0, 0
    while True:
        operation, yes, no, value = code[at]
        at += 1
        if operation == 0x20:
            accumulator = struct.unpack("<I", data[value : value + 4])[0]
        elif operation == 0x06:
            return ALLOWED if value == 0x7FFF0000 else errno.errorcode.get(value & 0xFFFF, PRETENDED)
        else:
            met = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[operation]
            at += yes if met else no


@pytest.mark.parametrize(
    ("machine", "numbers"),
    [
        ("x86_64", {"read": 0, "execve": 59, "fork": 57, "ptrace": 101, "chroot": 161, "chmod": 90, "kill": 62}),
        ("aarch64", {"read": 63, "execve": 221, "ptrace": 117, "chroot": 51, "fchmod": 52, "kill": 129}),
    ],
)
def test_ordinary_calls_are_allowed(machine: str, numbers: dict[str, int]) -> None:
    assert {name: judge(machine, number) for name, number in numbers.items()} == dict.fromkeys(numbers, ALLOWED)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_listed_call_is_refused_on_each_machine(machine: str) -> None:
    column = 0 if machine == "x86_64" else 1
    for name, numbers in seccomp._REFUSED.items():
        number = numbers[column]
        if number is not None:
            assert judge(machine, number, 1, 1, 1) == "EPERM", name
    for name, numbers in seccomp._ABSENT.items():
        number = numbers[column]
        assert number is not None
        assert judge(machine, number) == "ENOSYS", name


@pytest.mark.parametrize(("machine", "clone", "unshare"), [("x86_64", 56, 272), ("aarch64", 220, 97)])
def test_threads_and_forks_are_allowed_and_namespaces_are_not(machine: str, clone: int, unshare: int) -> None:
    fork, thread = 0x01200011, 0x003D0F00
    assert judge(machine, clone, fork) == judge(machine, clone, thread) == judge(machine, unshare, 0x200) == ALLOWED
    for flag in (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert judge(machine, clone, fork | flag) == "EPERM"
        assert judge(machine, unshare, flag) == "EPERM"


@pytest.mark.parametrize(("machine", "ioctl"), [("x86_64", 16), ("aarch64", 29)])
def test_input_cannot_be_pushed_into_a_terminal(machine: str, ioctl: int) -> None:
    assert judge(machine, ioctl, 0, 0x5412) == judge(machine, ioctl, 0, 0x541C) == "EPERM"
    # The kernel looks at the low half of the request alone.
    assert judge(machine, ioctl, 0, 0x1_0000_5412) == "EPERM"
    assert judge(machine, ioctl, 0, 0x5413) == ALLOWED


@pytest.mark.parametrize(("machine", "socket", "pair"), [("x86_64", 41, 53), ("aarch64", 198, 199)])
def test_only_socket_families_that_know_namespaces_exist(machine: str, socket: int, pair: int) -> None:
    allowed = [family for family in range(64) if judge(machine, socket, family, 1, 0) == ALLOWED]
    assert allowed == [1, 2, 10, 16]
    assert judge(machine, socket, 16, 3, 9) == "EAFNOSUPPORT"  # netlink, but to the audit system
    assert [family for family in range(64) if judge(machine, pair, family) == ALLOWED] == [1]


@pytest.mark.parametrize(("machine", "personality"), [("x86_64", 135), ("aarch64", 92)])
def test_only_harmless_personalities_exist(machine: str, personality: int) -> None:
    assert judge(machine, personality, 0xFFFFFFFF) == judge(machine, personality, 0) == ALLOWED
    assert judge(machine, personality, 0x0100000) == judge(machine, personality, 0x0400000) == "EPERM"


@pytest.mark.parametrize(("machine", "old", "new"), [("x86_64", 160, 302), ("aarch64", 164, 261)])
def test_the_limit_on_cores_stays_and_the_caller_is_told_that_it_changed(machine: str, old: int, new: int) -> None:
    core, files, pointer, high_pointer = 4, 7, 0x7FFF, 0x7FFF_0000_0000
    assert judge(machine, old, core, pointer) == PRETENDED
    assert judge(machine, new, 0, core, pointer, 0) == judge(machine, new, 0, core, high_pointer, 0) == PRETENDED
    assert judge(machine, new, 0, core, 0, pointer) == ALLOWED  # only asked for
    assert judge(machine, new, 1, files, pointer, 0) == judge(machine, new, 77, core, 0, pointer) == "EPERM"
    assert judge(machine, old, files, pointer) == judge(machine, new, 0, files, pointer, 0) == ALLOWED


@settings(deadline=None)
@given(number=st.integers(0, 2**32 - 1), machine=st.sampled_from(["x86_64", "aarch64"]))
def test_calls_of_other_architectures_and_unknown_calls_do_not_exist(number: int, machine: str) -> None:
    assert judge(machine, number, arch=0x40000003) == "ENOSYS"
    if number >= 463:
        assert judge(machine, number) == "ENOSYS"
    assert judge("x86_64", number | 0x40000000) == "ENOSYS"


def test_an_unknown_machine_has_no_filter() -> None:
    with pytest.raises(KeyError):
        seccomp.build_filter("z80")
