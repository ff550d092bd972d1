# canary underspec-canary-0d87afca-3090-5340-8110-9cb8e33d0bbe
"""How these tests put requests to the software, and read its answers."""

import json


def answers(delivery, *requests):
    """What is answered to each request, None where there is no answer."""
    document = {"description": "requests", "cases": [{"input": request} for request in requests]}
    files = {"rcb_tests/test_cases/requests.json": json.dumps(document)}
    delivery.run("bash", "rcb_tests/test.sh", "--cases-dir", "test_cases", files=files)
    stored = (f"rcb_tests/stdout/test_cases/requests@{index:03}.txt" for index in range(len(requests)))
    read = [delivery.read(path) for path in stored]
    return [None if content is None else content.decode("utf-8", "replace") for content in read]


def amount(value, unit):
    return f"value={value}\nunit={unit}\n"


def number(value):
    return f"number={value}\n"


def error(category):
    return f"error={category}\n"


def check(delivery, *pairs):
    """Every request has the answer beside it."""
    found = answers(delivery, *(request for request, _ in pairs))
    for (request, wanted), answer in zip(pairs, found, strict=True):
        assert answer == wanted, f"{json.dumps(request)} is answered {answer!r} and not {wanted!r}"
