from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.egress.world import HELLO, client_hello, hello_with, lists, name_extension, resolver, says, server, world
from underspec.errors import HarnessError
from underspec.sandbox.egress.policy import Kind
from underspec.sandbox.egress.source import Source


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1000):
        writer.write(data)
        await writer.drain()
    writer.write_eof()


def get(target: str, *headers: str, method: str = "GET") -> bytes:
    return "\r\n".join((f"{method} {target} HTTP/1.1", "Host: whatever", *headers, "", "")).encode()


def connect(target: str) -> bytes:
    return f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode()


def test_a_plain_request_is_handed_on_with_the_host_that_was_checked(tmp_path: Path) -> None:
    async def run() -> None:
        heard: list[bytes] = []
        async with server(says(HELLO, heard)) as port, world(tmp_path, lists(port)) as there:
            answer = await there.ask(
                get(
                    f"http://registry.test:{port}/simple/?key=secret",
                    "Accept: text/html",
                    "Connection: keep-alive, X-Mine",
                    "X-Mine: dropped",
                    "Proxy-Authorization: Basic c2VjcmV0",
                    "Proxy-Connection: keep-alive",
                    "Upgrade: h2c",
                )
            )
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert answer.endswith(b"\r\n\r\nhello")
        assert b"Connection: close" in answer
        head = heard[0].decode().lower()
        assert head.startswith(f"get /simple/?key=secret http/1.1\r\nhost: registry.test:{port}\r\n")
        assert "accept: text/html" in head
        assert not re.search("x-mine|proxy|upgrade|whatever|keep-alive", head)
        (line,) = there.lines()
        assert line.pop("up") == len(heard[0])
        assert line.pop("down") == len(HELLO)
        assert line.pop("seconds") >= 0
        assert line.pop("at")
        assert line == {
            "part": "here",
            "method": "GET",
            "scheme": "http",
            "host": "registry.test",
            "port": port,
            "path": "/simple/",
            "outcome": "allowed",
            "rule": "registry:test",
        }
        assert "secret" not in there.log_path.read_text()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("request_body", "heard_body"),
    [
        (b"Content-Length: 3\r\n\r\nabc", b"\r\n\r\nabc"),
        (b"Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: v\r\n\r\n", b"\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
        (b"Content-Length: 3\r\nExpect: 100-continue\r\n\r\nabc", b"\r\n\r\nabc"),
        (b"Connection: content-length\r\nContent-Length: 3\r\n\r\nabc", b"\r\n\r\nabc"),
    ],
)
def test_a_body_arrives_as_it_was_sent(tmp_path: Path, request_body: bytes, heard_body: bytes) -> None:
    async def run() -> None:
        heard: list[bytes] = []
        async with server(says(HELLO, heard)) as port, world(tmp_path, lists(port)) as there:
            request = f"POST http://registry.test:{port}/x HTTP/1.1\r\nHost: x\r\n".encode() + request_body
            answer = await there.ask(request)
        assert answer.endswith(b"hello")
        assert heard[0].endswith(heard_body)
        assert len(re.findall(rb"(?i)content-length|transfer-encoding", heard[0])) == 1

    asyncio.run(run())


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", b"3\r\nabc\r\n0\r\n\r\n"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            b"3\r\nabc\r\n0\r\n\r\n",
        ),
        (b"HTTP/1.0 200 OK\r\n\r\nuntil the end", b"d\r\nuntil the end\r\n0\r\n\r\n"),
        (b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + HELLO, b"hello"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere.test/\r\nContent-Length: 0\r\n\r\n", b""),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", b""),
    ],
)
def test_an_answer_arrives_as_it_was_sent(tmp_path: Path, answer: bytes, body: bytes) -> None:
    async def run() -> None:
        async with server(says(answer)) as port, world(tmp_path, lists(port)) as there:
            got = await there.ask(get(f"http://registry.test:{port}/"))
        assert got.partition(b"\r\n\r\n")[2] == body

    asyncio.run(run())


def test_the_answer_to_a_question_about_the_head_has_no_body(tmp_path: Path) -> None:
    async def run() -> None:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        async with server(says(answer)) as port, world(tmp_path, lists(port)) as there:
            got = await there.ask(get(f"http://registry.test:{port}/", method="HEAD"))
            refused = await there.ask(get("http://elsewhere.test/", method="HEAD"))
        assert b"content-length: 5" in got.lower()
        assert got.endswith(b"\r\n\r\n")
        assert refused.startswith(b"HTTP/1.1 403 ")
        assert refused.endswith(b"\r\n\r\n")

    asyncio.run(run())


def test_a_second_request_on_a_connection_is_never_served(tmp_path: Path) -> None:
    async def run() -> None:
        heard: list[bytes] = []
        async with server(says(HELLO, heard)) as port, world(tmp_path, lists(port)) as there:
            hidden = get(f"http://registry.test:{port}/second")
            answer = await there.ask(get(f"http://registry.test:{port}/first") + hidden)
        assert answer.count(b"HTTP/1.1") == 1
        assert len(heard) == 1
        assert b"second" not in heard[0]

    asyncio.run(run())


@pytest.mark.parametrize(
    "request_",
    [
        b"POST http://registry.test/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST http://registry.test/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        b"POST http://registry.test/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"POST http://registry.test/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 4\r\n\r\nabcd",
        b"GET http://registry.test/ HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n",
        b"GET http://registry.test/ HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\0: d\r\n\r\n",
        b"GET http://user:password@registry.test/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET https://registry.test/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET ftp://registry.test/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: registry.test\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: registry.test\r\n\r\n",
        b"CONNECT registry.test HTTP/1.1\r\nHost: registry.test\r\n\r\n",
        b"CONNECT http://registry.test:443 HTTP/1.1\r\nHost: registry.test\r\n\r\n",
        b"CONNECT registry.test:443/x HTTP/1.1\r\nHost: registry.test\r\n\r\n",
        b"CONNECT registry.test:443 HTTP/1.1\r\nHost: registry.test\r\nContent-Length: 3\r\n\r\nabc",
        b"GET http://registry.test:0/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET http://registry.test:99999/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET http://registry.test:443:80/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\0\0",
        b"nonsense\r\n\r\n",
    ],
)
def test_what_could_be_read_in_two_ways_or_in_none_is_refused(tmp_path: Path, request_: bytes) -> None:
    async def run() -> None:
        async def resolve(host: str) -> list[object]:
            raise AssertionError(host)

        async with world(tmp_path, lists(80), resolve=resolve) as there:  # type: ignore[arg-type]
            answer = await there.ask(request_)
            assert re.match(rb"HTTP/1.1 (400|403|501) ", answer)
            assert there.proxy.failure is None

    asyncio.run(run())


@pytest.mark.parametrize(
    ("request_", "rule", "said"),
    [
        (get("http://elsewhere.test/x"), "no-registry", "elsewhere.test:80/x is none of the package registries"),
        (connect("elsewhere.test:443"), "no-registry", "elsewhere.test:443 is none of the package registries"),
        (connect("raw.blocked.test:443"), "blocked:test", "raw.blocked.test:443 is blocked in this sandbox"),
        (connect("registry.test:22"), "port", "registry.test:22 is reached at port"),
        (connect("10.0.0.1:443"), "address", "10.0.0.1:443 is an address"),
        (connect("[::1]:443"), "address", "[::1]:443 is an address"),
        (get("http://169.254.169.254/latest/meta-data/"), "address", "169.254.169.254:80/latest/meta-data/"),
    ],
)
def test_a_refusal_says_in_its_status_line_and_body_what_is_refused(
    tmp_path: Path, request_: bytes, rule: str, said: str
) -> None:
    async def run() -> None:
        async with world(tmp_path, lists(80)) as there:
            answer = (await there.ask(request_)).decode()
        status, _, rest = answer.partition("\r\n")
        assert status.startswith(f"HTTP/1.1 403 Forbidden: {said}")
        assert rest.partition("\r\n\r\n")[2].startswith(f"underspec: {said}")
        (line,) = there.lines()
        assert (line["outcome"], line["rule"]) == ("refused", rule)

    asyncio.run(run())


def test_the_tasks_own_package_is_refused_as_any_blocked_host_is(tmp_path: Path) -> None:
    async def run() -> None:
        source = Source("https://code.example/a/quux", "pypi", "quux-lib")
        heard: list[bytes] = []
        async with server(says(HELLO, heard)) as port, world(tmp_path, lists(port), source=source) as there:
            own = await there.ask(get(f"http://registry.test:{port}/simple/quux-lib/"))
            other = await there.ask(get(f"http://blocked.test:{port}/simple/quux-lib/"))
            honest = await there.ask(get(f"http://registry.test:{port}/simple/other/"))
        said = [re.sub(rb"(registry|blocked)\.test|Content-Length: \d+", b"", answer) for answer in (own, other)]
        assert said[0] == said[1]
        assert honest.endswith(b"hello")
        assert len(heard) == 1
        assert [line["rule"] for line in there.lines()] == ["task-source", "blocked:test", "registry:test"]

    asyncio.run(run())


@pytest.mark.parametrize("addresses", ["10.0.0.1", "127.0.0.2", "169.254.169.254", "::1", "::ffff:10.0.0.1 fe80::1"])
def test_a_name_that_leads_to_a_private_address_is_refused_and_nobody_connected_to(
    tmp_path: Path, addresses: str
) -> None:
    async def run() -> None:
        async with world(tmp_path, lists(80), kind="open", resolve=resolver(rebound_example=addresses)) as there:
            plain = await there.ask(get("http://rebound.example/"))
            tunnelled = await there.ask(connect("rebound.example:443"))
        for answer in (plain, tunnelled):
            assert answer.startswith(b"HTTP/1.1 403 Forbidden: rebound.example is not on the public internet")
        assert [line["rule"] for line in there.lines()] == ["private-address"] * 2

    asyncio.run(run())


def test_a_name_is_looked_up_once_for_each_request_and_what_was_checked_is_connected_to(tmp_path: Path) -> None:
    async def run() -> None:
        asked: list[str] = []
        knows = resolver()

        async def resolve(host: str) -> object:
            asked.append(host)
            return await knows(host) if len(asked) == 1 else await resolver(registry_test="10.0.0.1")(host)

        async with server(says(HELLO)) as port, world(tmp_path, lists(port), resolve=resolve) as there:  # type: ignore[arg-type]
            answer = await there.ask(get(f"http://registry.test:{port}/"))
        assert answer.endswith(b"hello")
        assert asked == ["registry.test"]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", b"broke off"),
        (b"220 mail.test ESMTP\r\n", b"is no HTTP"),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", b""),
        (b"HTTP/1.1 200 OK\r\nA: " + b"x" * 200_000 + b"\r\n\r\n", b"is no HTTP"),
    ],
)
def test_an_answer_that_is_none_is_said(tmp_path: Path, answer: bytes, said: bytes) -> None:
    async def run() -> None:
        async with server(says(answer)) as port, world(tmp_path, lists(port)) as there:
            got = await there.ask(get(f"http://registry.test:{port}/"))
        assert got.startswith(b"HTTP/1.1 502 Bad Gateway: registry.test: ")
        assert said in got
        (line,) = there.lines()
        assert (line["outcome"], line["rule"]) == ("failed", "no-answer")

    asyncio.run(run())


def test_an_answer_that_breaks_off_is_seen_to_break_off(tmp_path: Path) -> None:
    async def run() -> None:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"
        async with server(says(answer)) as port, world(tmp_path, lists(port)) as there:
            with contextlib.suppress(ConnectionResetError):
                got = await there.ask(get(f"http://registry.test:{port}/"))
                assert got.endswith(b"half")
            assert there.proxy.failure is None

    asyncio.run(run())


def test_hosts_that_cannot_be_found_or_reached_are_failures_and_not_refusals(tmp_path: Path) -> None:
    async def run() -> None:
        async with server(says(HELLO)) as port:
            pass  # nobody listens there any more
        async with world(tmp_path, lists(port, "registry.test", "gone.example")) as there:
            closed = await there.ask(get(f"http://registry.test:{port}/"))
            unknown = await there.ask(get(f"http://gone.example:{port}/"))
        assert closed.startswith(b"HTTP/1.1 502 Bad Gateway: registry.test cannot be reached")
        assert unknown.startswith(b"HTTP/1.1 502 Bad Gateway: gone.example has no address")
        assert [(line["outcome"], line["rule"]) for line in there.lines()] == [
            ("failed", "unreachable"),
            ("failed", "unresolved"),
        ]

    asyncio.run(run())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate of its own for registry.test, in one file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-subj", "/CN=registry.test", "-addext", "subjectAltName=DNS:registry.test", "-days", "2"]
    subprocess.run(
        [*command, "-keyout", str(path), "-out", str(path.with_suffix(".crt"))], check=True, capture_output=True
    )
    path.write_bytes(path.read_bytes() + path.with_suffix(".crt").read_bytes())
    return path


def trusting(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate.with_suffix(".crt")))


@contextlib.asynccontextmanager
async def tls_server(certificate: Path, answer: bytes) -> AsyncIterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async with server(handler, context) as port:
        yield port


def test_a_tunnel_carries_tls_from_end_to_end(tmp_path: Path, certificate: Path) -> None:
    async def run() -> None:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + b"x" * 300_000
        async with tls_server(certificate, answer) as port, world(tmp_path, lists(port)) as there:
            reader, writer = await asyncio.open_connection("127.0.0.1", there.port)
            writer.write(connect(f"registry.test:{port}"))
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection established\r\n\r\n"
            await writer.start_tls(trusting(certificate), server_hostname="registry.test")
            writer.write(get("/simple/"))
            assert await reader.readexactly(len(answer)) == answer
            writer.transport.abort()
            await asyncio.sleep(0.1)
            (line,) = there.lines()
        assert (line["scheme"], line["host"], line["outcome"]) == ("https", "registry.test", "allowed")
        assert "path" not in line
        assert line["down"] > len(answer)
        assert line["up"] > 300

    asyncio.run(run())


@pytest.mark.parametrize(
    ("beginning", "rule"),
    [
        (client_hello("elsewhere.test"), "server-name"),
        (client_hello(None), "server-name"),
        (b"SSH-2.0-client\r\n", "no-tls"),
        (get("/simple/"), "no-tls"),
        (client_hello("registry.test")[:50], "no-tls"),
    ],
    ids=["another name", "no name", "another protocol", "plain", "half a hello"],
)
def test_a_tunnel_is_for_tls_and_for_the_host_that_was_asked_for(tmp_path: Path, beginning: bytes, rule: str) -> None:
    async def run() -> None:
        heard = bytearray()

        async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heard.extend(await reader.read())

        async with server(handler) as port, world(tmp_path, lists(port)) as there:
            answer = await there.ask(connect(f"registry.test:{port}") + beginning, end=True)
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert answer.endswith(b"\r\n\r\n\x15\x03\x03\0\2\2\x70")
        assert heard == b""
        (line,) = there.lines()
        assert (line["outcome"], line["rule"]) == ("refused", rule)

    asyncio.run(run())


@pytest.mark.parametrize(("kind", "passes"), [("registries", False), ("open", True)])
def test_a_hello_that_may_hide_another_passes_only_where_all_hosts_are_open(
    tmp_path: Path, kind: Kind, passes: bool
) -> None:
    async def run() -> None:
        hello = hello_with(name_extension(b"registry.test"), (0xFE0D, b"\0"))
        async with server(echo) as port, world(tmp_path, lists(port), kind=kind) as there:
            answer = await there.ask(connect(f"registry.test:{port}") + hello, end=True)
        assert answer.endswith(hello) is passes
        (line,) = there.lines()
        assert line["rule"] == ("registry:test" if passes else "encrypted-hello")

    asyncio.run(run())


def test_a_tunnel_whose_hello_comes_in_small_pieces_is_carried(tmp_path: Path) -> None:
    async def run() -> None:
        hello = client_hello("registry.test")
        async with server(echo) as port, world(tmp_path, lists(port)) as there:
            reader, writer = await asyncio.open_connection("127.0.0.1", there.port)
            writer.write(connect(f"registry.test:{port}"))
            await reader.readuntil(b"\r\n\r\n")
            for place in range(0, len(hello), 100):
                writer.write(hello[place : place + 100])
                await asyncio.sleep(0.01)
            assert await reader.readexactly(len(hello)) == hello
            writer.transport.abort()

    asyncio.run(run())


def test_one_side_of_a_tunnel_may_end_before_the_other(tmp_path: Path) -> None:
    async def run() -> None:
        async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            got = await reader.read()  # until the client has ended
            writer.write(b"got %d" % len(got))
            writer.write_eof()
            await writer.drain()

        hello = client_hello("registry.test")
        async with server(handler) as port, world(tmp_path, lists(port)) as there:
            answer = await there.ask(connect(f"registry.test:{port}") + hello + b"more", end=True)
        assert answer.endswith(b"got %d" % (len(hello) + 4))

    asyncio.run(run())


def test_a_log_that_takes_no_more_ends_the_network_and_is_a_failure_of_ours(tmp_path: Path) -> None:
    async def run() -> None:
        async with server(says(HELLO)) as port, world(tmp_path, lists(port)) as there:

            def broken(*_: object) -> None:
                raise OSError("no log")

            there.log.add = broken  # type: ignore[assignment, method-assign]
            await there.ask(get(f"http://registry.test:{port}/"))
            await asyncio.sleep(0.2)
            assert isinstance(there.proxy.failure, HarnessError)
            answer = await there.ask(get(f"http://registry.test:{port}/"))
            assert answer.startswith(b"HTTP/1.1 503 ")

    asyncio.run(run())
