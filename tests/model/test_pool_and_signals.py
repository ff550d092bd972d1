"""Which endpoint is used next, and what an error says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.model.pool import LONGEST_ASIDE_SECONDS, Pool
from underspec.model.signals import Signal, retry_after_of, signal_of


class Clock:
    time = 0.0

    def __call__(self) -> float:
        return self.time


class ApiError(Exception):
    def __init__(self, message: str = "", **fields: object) -> None:
        super().__init__(message)
        self.__dict__.update(fields)


def test_endpoints_take_turns() -> None:
    pool = Pool(3, now=Clock())
    assert [pool.pick() for _ in range(4)] == [0, 1, 2, 0]


def test_a_failing_endpoint_is_put_aside_and_comes_back() -> None:
    clock = Clock()
    pool = Pool(2, now=clock)
    pool.failed(0, Signal.SERVER)
    assert [pool.pick() for _ in range(3)] == [1, 1, 1]
    clock.time += 5
    assert {pool.pick(), pool.pick()} == {0, 1}


def test_it_is_aside_for_longer_each_time_up_to_a_bound_and_forgiven_once_it_answers() -> None:
    clock = Clock()
    pool = Pool(2, now=clock)
    asides = []
    for _ in range(10):
        pool.failed(0, Signal.CONNECTION)
        began = clock.time
        while 0 in pool.aside():
            clock.time += 1
        asides.append(clock.time - began)
    assert asides == sorted(asides)
    assert asides[1] > asides[0]
    assert asides[-1] == LONGEST_ASIDE_SECONDS
    pool.answered(0)
    pool.failed(0, Signal.CONNECTION)
    clock.time += 5
    assert pool.aside() == ()


@pytest.mark.parametrize("signal", [Signal.TOO_LARGE, Signal.BAD_REQUEST])
def test_what_the_request_did_puts_no_endpoint_aside(signal: Signal) -> None:
    pool = Pool(2, now=Clock())
    for place in (0, 1):
        pool.failed(place, signal)
    assert pool.aside() == ()


def test_what_the_endpoint_asks_for_is_kept() -> None:
    clock = Clock()
    pool = Pool(1, now=clock)
    pool.failed(0, Signal.RATE_LIMIT, retry_after=42)
    clock.time += 41
    assert pool.aside() == (0,)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(list(Signal)), st.floats(0, 400)), max_size=40))
def test_a_request_always_finds_an_endpoint_and_never_tries_one_twice(
    history: list[tuple[int, Signal, float]],
) -> None:
    clock = Clock()
    pool = Pool(4, now=clock)
    for place, signal, seconds in history:
        pool.failed(place, signal)
        clock.time += seconds
    tried: set[int] = set()
    found = pool.pick()
    assert found is not None
    while found is not None:
        assert found not in tried
        tried.add(found)
        found = pool.pick(tried)


@pytest.mark.parametrize(
    ("status", "signal"),
    [
        (400, Signal.BAD_REQUEST),
        (401, Signal.CREDENTIALS),
        (404, Signal.NOT_FOUND),
        (413, Signal.TOO_LARGE),
        (418, Signal.BAD_REQUEST),
        (429, Signal.RATE_LIMIT),
        (500, Signal.SERVER),
        (503, Signal.OVERLOAD),
        (529, Signal.OVERLOAD),
    ],
)
def test_a_status_says_what_is_wrong(status: int, signal: Signal) -> None:
    assert signal_of(ApiError(status_code=status)) is signal
    assert signal_of(ApiError(code=status)) is signal


def test_codes_sent_in_a_stream_say_it_too() -> None:
    assert signal_of(ApiError(code="rate_limit_exceeded")) is Signal.RATE_LIMIT
    assert signal_of(ApiError(type="overloaded_error")) is Signal.OVERLOAD
    botocore = ApiError(response={"ResponseMetadata": {"HTTPStatusCode": 429}})
    assert signal_of(botocore) is Signal.RATE_LIMIT


def test_words_say_nothing() -> None:
    for words in ("1429 lines", "429 Too Many Requests", "rate limit exceeded", "refused", "overloaded"):
        assert signal_of(ApiError(words)) is Signal.OTHER


def test_what_an_error_was_raised_from_counts() -> None:
    error = RuntimeError("wrapped")
    error.__cause__ = ApiError(status_code=429)
    assert signal_of(error) is Signal.RATE_LIMIT
    error.__cause__ = ConnectionResetError()
    assert signal_of(error) is Signal.CONNECTION
    error.__cause__ = TimeoutError()
    assert signal_of(error) is Signal.TIMEOUT


@pytest.mark.parametrize(
    ("value", "seconds"), [("7", 7.0), ("0.5", 0.5), ("soon", None), ("-1", None), ("inf", None), ("nan", None)]
)
def test_retry_after_is_read_where_it_is_a_number_of_seconds(value: str, seconds: float | None) -> None:
    class Response:
        headers = {"retry-after": value}

    assert retry_after_of(ApiError(response=Response())) == seconds
