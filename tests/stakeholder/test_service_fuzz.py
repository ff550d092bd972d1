"""Generated requests, right and wrong, against the running service: every answer is as described, and none is a 5xx."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any, cast

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.stakeholder.service_process import OPERATOR, ServiceProcess, service
from underspec.stakeholder.service.openapi import openapi_document

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
OPERATIONS: list[Any] = [
    cast("Any", found).ok()
    for found in schemathesis.openapi.from_dict(openapi_document(["data-sizes"])).get_all_operations()
]
# Nothing can be wrong with a request that has no part.
FUZZED = [
    pytest.param(operation, mode, id=f"{operation.label} {mode.value}")
    for operation in OPERATIONS
    for mode in GenerationMode
    if not (operation.path == "/v1/health" and mode is GenerationMode.NEGATIVE)
]
QUIET: dict[str, Any] = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "suppress_health_check": list(HealthCheck),
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    folder = tmp_path_factory.mktemp("fuzz")
    with service(folder / "db", "--docs", "--published-protocol", "0,0,0", "--rate", "100000") as process:
        yield process
        # Nothing that was sent in this module has shown a mistake of ours.
        said = (folder / "db.stderr").read_text()
        assert said == "", said[-3000:]
        assert process.stop() == 0


@pytest.fixture(scope="module")
def client(running: ServiceProcess) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=running.url, timeout=30) as opened:
        yield opened


def mint(client: httpx.Client) -> dict[str, Any]:
    told = client.post("/v1/sessions", headers={"authorization": f"Bearer {OPERATOR}"}, json={"budget": 10_000}).json()
    assert isinstance(told, dict)
    return told


def fuzz(running: ServiceProcess, client: httpx.Client, operation: Any, mode: GenerationMode, examples: int) -> None:
    minted = mint(client)
    own = {"authorization": f"Bearer {minted['credential']}"}
    client.post("/v1/questions", headers=own, json={"question": "rounding?"})
    right = minted["credential"] if operation.path == "/v1/questions" else OPERATOR

    @settings(max_examples=examples, phases=[Phase.explicit, Phase.generate], **QUIET)
    @given(
        operation.as_strategy(generation_mode=mode),
        st.sampled_from([right, right, right, "", "wrong", minted["credential"], OPERATOR]),
        st.booleans(),
    )
    def one(case: Any, token: str, known: bool) -> None:
        if known and "session" in (case.path_parameters or {}):
            case.path_parameters["session"] = minted["session"]
        response = case.call(base_url=running.url, headers={"Authorization": f"Bearer {token}"}, timeout=10)
        wrong = mode is GenerationMode.NEGATIVE and token == right and not known
        case.validate_response(response, checks=[*CHECKS, *([negative_data_rejection] if wrong else [])])

    one()


@pytest.mark.parametrize(("operation", "mode"), FUZZED)
def test_generated_requests_get_what_the_description_says(
    running: ServiceProcess, client: httpx.Client, operation: Any, mode: GenerationMode
) -> None:
    fuzz(running, client, operation, mode, 15)


@pytest.mark.proof
@pytest.mark.parametrize(("operation", "mode"), FUZZED)
def test_many_generated_requests_get_what_the_description_says(
    running: ServiceProcess, client: httpx.Client, operation: Any, mode: GenerationMode
) -> None:
    fuzz(running, client, operation, mode, 150)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(["data-sizes", "rounding?", "normal", "../x", "\0", "\ud800", OPERATOR, "0" * 32]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    ["append_id", "task_id", "question", "key", "model", "difficulty", "max_interactions", "request_id", "x"]
)
BODIES = st.dictionaries(FIELDS, JSON, max_size=6).map(lambda made: json.dumps(made).encode())
HOSTILE = st.one_of(BODIES, BODIES, BODIES.map(lambda made: made[:-1]), st.binary(max_size=200))


def published_fuzz(running: ServiceProcess, examples: int) -> None:
    ports = running.told["published_protocol"]
    init = httpx.post(ports["init"], json={"key": OPERATOR, "model": "m", "max_interactions": 10_000}).json()
    append_id = init["append_id"]
    with httpx.Client(timeout=10) as client:

        @settings(max_examples=examples, phases=[Phase.explicit, Phase.generate], **QUIET)
        @given(
            st.sampled_from(["init", "ask", "stats"]),
            st.sampled_from(["POST", "POST", "POST", "POST", "GET", "PUT", "DELETE", "HEAD", "OPTIONS"]),
            st.sampled_from(["/", "/", "/", "/x", "/%2e%2e/", "//", "/?append_id=1"]),
            HOSTILE,
            st.booleans(),
            st.booleans(),
        )
        def one(port: str, method: str, path: str, body: bytes, with_id: bool, with_key: bool) -> None:
            try:
                sent = json.loads(body)
            except ValueError:
                sent = None
            if isinstance(sent, dict):
                sent |= {"append_id": append_id} if with_id else {}
                sent |= {"key": OPERATOR} if with_key else {}
                body = json.dumps(sent).encode()
            told = client.request(method, ports[port] + path, content=body)
            assert told.status_code < 500
            if method == "HEAD":
                return
            document = told.json()
            assert isinstance(document["status"]["ok"], bool)
            assert told.status_code == 200 or not document["status"]["ok"]
            if port == "ask":
                assert set(document) == {"data", "status"}
                assert set(document["status"]) <= {"ok", "remaining", "error", "detail"}
                assert document["data"] is None or set(document["data"]) == {"reply"}

        one()


def test_fuzzed_requests_of_the_published_protocol_get_json_and_no_5xx(running: ServiceProcess) -> None:
    published_fuzz(running, 250)


@pytest.mark.proof
def test_many_fuzzed_requests_of_the_published_protocol_get_json_and_no_5xx(running: ServiceProcess) -> None:
    published_fuzz(running, 5_000)


RAW = (
    b"\0\0\0\0\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 100 + b"\r\n\r\n",
    b"POST /v1/questions HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    b"POST /v1/questions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    b"POST /v1/questions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET /v1/health HTTP/1.1\r\n" + b"X: " + b"y" * 20_000 + b"\r\n\r\n",
    b"GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /v1/\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\nContent-Length: 0\r\n\r\n",
)


@pytest.mark.parametrize("data", RAW)
def test_what_is_no_http_gets_a_4xx_in_json(running: ServiceProcess, data: bytes) -> None:
    for port in (running.port, *(int(url.rsplit(":", 1)[1]) for url in running.told["published_protocol"].values())):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(data)
            answer = b""
            while b"\r\n\r\n" not in answer and (chunk := client.recv(4096)):
                answer += chunk
        head = answer.partition(b"\r\n\r\n")[0].lower()
        assert head.startswith(b"http/1.1 4"), answer
        assert b"content-type: application/json" in head


def test_the_description_is_served_as_it_was_tested(client: httpx.Client) -> None:
    assert client.get("/v1/openapi.json").json() == openapi_document(["data-sizes"])
