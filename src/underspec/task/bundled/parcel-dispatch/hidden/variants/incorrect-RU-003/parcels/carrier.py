# canary underspec-canary-4af3083c-be5b-5466-acad-95f67ee154d5
"""The carrier's interface, asked with patience."""

import http.client
import json
import time
import urllib.error
import urllib.request

ATTEMPTS = 4


class Refused(Exception):
    pass


class Failed(Exception):
    pass


class Carrier:
    def __init__(self, url, pause):
        self._url = url
        self._pause = pause

    def hand_over(self, order):
        """The carrier's number of the parcel."""
        pause = self._pause
        for attempt in range(ATTEMPTS):
            status, headers, answer = self._ask(order)
            if status in (201, 409):
                return answer.get("parcel")
            if status is not None and 400 <= status < 500 and status != 429:
                raise Refused(answer.get("reason") or "unknown")
            if attempt < ATTEMPTS - 1:
                told = headers.get("Retry-After", "") if status == 429 else ""
                time.sleep(int(told) if told.isdigit() else pause)
            pause *= 2
        raise Failed(order.number)

    def _ask(self, order):
        request = urllib.request.Request(
            self._url + "/parcels",
            json.dumps(order.body).encode(),
            {"Content-Type": "application/json", "Idempotency-Key": order.key},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, response.headers, self._answer(response)
        except urllib.error.HTTPError as response:
            return response.code, response.headers, self._answer(response)
        except (OSError, http.client.HTTPException):
            return None, {}, {}

    def _answer(self, response):
        try:
            answer = json.loads(response.read())
        except (ValueError, OSError, http.client.HTTPException):
            return {}
        return answer if isinstance(answer, dict) else {}
