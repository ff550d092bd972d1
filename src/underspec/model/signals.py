"""What went wrong with a model call, by the API's own signals: status, error code, class. Never by words."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import Any


class Signal(StrEnum):
    """Why a call failed. The first group is the endpoint's doing, the second the request's."""

    RATE_LIMIT = "rate_limit"
    OVERLOAD = "overload"
    SERVER = "server"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    CREDENTIALS = "credentials"
    NOT_FOUND = "not_found"
    OTHER = "other"

    TOO_LARGE = "too_large"
    BAD_REQUEST = "bad_request"

    @property
    def storm(self) -> bool:
        """Whether it says: later, not now."""
        return self in (Signal.RATE_LIMIT, Signal.OVERLOAD)

    @property
    def by_request(self) -> bool:
        """Whether another endpoint would say the same of the same request."""
        return self in (Signal.TOO_LARGE, Signal.BAD_REQUEST)

    @property
    def transient(self) -> bool:
        """Whether trying again may help."""
        return self.storm or self in (Signal.SERVER, Signal.TIMEOUT, Signal.CONNECTION)


_BY_STATUS = {
    400: Signal.BAD_REQUEST,
    401: Signal.CREDENTIALS,
    402: Signal.CREDENTIALS,
    403: Signal.CREDENTIALS,
    404: Signal.NOT_FOUND,
    408: Signal.TIMEOUT,
    413: Signal.TOO_LARGE,
    422: Signal.BAD_REQUEST,
    429: Signal.RATE_LIMIT,
    503: Signal.OVERLOAD,
    504: Signal.TIMEOUT,
    529: Signal.OVERLOAD,
}
# Codes that APIs send where a stream has begun with status 200, or in the place of a status.
_BY_CODE = {
    "rate_limit_exceeded": Signal.RATE_LIMIT,
    "rate_limit_error": Signal.RATE_LIMIT,
    "ThrottlingException": Signal.RATE_LIMIT,
    "TooManyRequestsException": Signal.RATE_LIMIT,
    "RESOURCE_EXHAUSTED": Signal.RATE_LIMIT,
    "overloaded_error": Signal.OVERLOAD,
    "UNAVAILABLE": Signal.OVERLOAD,
    "ServiceUnavailableException": Signal.OVERLOAD,
    "server_error": Signal.SERVER,
    "api_error": Signal.SERVER,
    "context_length_exceeded": Signal.TOO_LARGE,
}
# By name, so that no provider's library has to be loaded to recognise its errors.
_BY_CLASS = {
    "APITimeoutError": Signal.TIMEOUT,
    "TimeoutException": Signal.TIMEOUT,
    "AttemptTimeoutError": Signal.TIMEOUT,
    "StreamIdleTimeoutError": Signal.TIMEOUT,
    "APIConnectionError": Signal.CONNECTION,
    "TransportError": Signal.CONNECTION,
    "NoStreamDataError": Signal.CONNECTION,
}
_DEEP = 5


def signal_of(error: BaseException) -> Signal:
    """The signal that ``error``, or what it was raised from, carries."""
    looked_at: BaseException | None = error
    for _ in range(_DEEP):
        if looked_at is None:
            break
        if (found := _of_one(looked_at)) is not None:
            return found
        looked_at = looked_at.__cause__
    return Signal.OTHER


def _of_one(error: BaseException) -> Signal | None:
    status = _status(error)
    if status is not None and (found := _BY_STATUS.get(status)):
        return found
    for name in ("code", "type"):
        value = getattr(error, name, None)
        if isinstance(value, str) and value in _BY_CODE:
            return _BY_CODE[value]
    if status is not None and 400 <= status < 600:
        return Signal.SERVER if status >= 500 else Signal.BAD_REQUEST
    for kind in type(error).__mro__:
        if kind.__name__ in _BY_CLASS:
            return _BY_CLASS[kind.__name__]
    if isinstance(error, (TimeoutError, asyncio.TimeoutError)):
        return Signal.TIMEOUT
    return Signal.CONNECTION if isinstance(error, ConnectionError) else None


def _status(error: BaseException) -> int | None:
    for name in ("status_code", "code", "status"):
        value = getattr(error, name, None)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    response: Any = getattr(error, "response", None)
    if isinstance(response, dict):  # botocore
        value = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        return value if isinstance(value, int) else None
    return None


def retry_after_of(error: BaseException) -> float | None:
    """Seconds that the API asks to wait, by its Retry-After header; None where it does not say (or not in seconds)."""
    own = getattr(error, "retry_after", None)
    if isinstance(own, (int, float)) and own >= 0:
        return float(own)
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    try:
        seconds = float(headers.get("retry-after")) if headers is not None else -1.0
    except (TypeError, ValueError, AttributeError):
        return None
    return seconds if 0 <= seconds < float("inf") else None
