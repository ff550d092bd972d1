# canary underspec-canary-54f69482-bac4-5f5b-9e52-f8fc64e64978
"""Hands the orders of the outbox to the carrier."""

import argparse
import json
import sys

from parcels.carrier import Carrier, Failed, Refused
from parcels.outbox import OutboxProblem, read_outbox
from parcels.state import State, StateProblem


def dispatch(orders, carrier, state):
    summary = {"sent": [], "rejected": [], "failed": [], "skipped": 0}
    waiting = [order for order in orders if state.is_waiting(order)]
    summary["skipped"] = len(orders) - len(waiting)
    for order in sorted((order for order in waiting if order.is_sound), key=lambda order: order.sequence):
        try:
            parcel = carrier.hand_over(order)
        except Refused as refusal:
            summary["rejected"].append({"order": order.number, "reason": str(refusal)})
            state.rejected(order)
        except Failed:
            summary["failed"].append(order.number)
        else:
            summary["sent"].append({"order": order.number, "parcel": parcel})
            state.sent(order)
    for order in waiting:
        if not order.is_sound:
            summary["rejected"].append({"order": order.number, "reason": order.problem})
            state.rejected(order)
    return summary


def main():
    parser = argparse.ArgumentParser()
    for name in ("--outbox", "--state", "--summary", "--url"):
        parser.add_argument(name, required=True)
    parser.add_argument("--pause-ms", type=int, default=1000)
    given = parser.parse_args()
    try:
        orders = read_outbox(given.outbox)
        state = State(given.state)
    except (OutboxProblem, StateProblem) as problem:
        print(problem, file=sys.stderr)
        return 3
    summary = dispatch(orders, Carrier(given.url, given.pause_ms / 1000), state)
    with open(given.summary, "w", encoding="utf-8") as stream:
        json.dump(summary, stream, ensure_ascii=False, indent=2)
    return 1 if summary["rejected"] or summary["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
