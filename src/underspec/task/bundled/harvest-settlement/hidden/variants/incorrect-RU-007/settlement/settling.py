# canary underspec-canary-5ab55ec7-5ac9-5321-8167-e6a7c5096a47
"""From deliveries to what is paid; exact until it is rounded."""

from fractions import Fraction

from settlement.reading import day, kilograms, moisture

BASE = 14
CENT = Fraction(1, 100)


class Rejected(Exception):
    pass


def half_up(value):
    return (2 * value + 1) // 2


def last_lines(deliveries):
    """The line that counts of each ticket, in the order of lines."""
    last = {row["ticket"]: (line, row) for line, row in deliveries}
    return sorted(last.values(), key=lambda pair: pair[0])


def counted(weight, water):
    if water > BASE:
        weight = weight * (100 - water) / (100 - BASE)
    return half_up(weight)


def price_on(prices, when):
    valid = [entry for entry in prices if entry[0] <= when]
    if not valid:
        raise Rejected("no_price")
    return max(valid, key=lambda entry: entry[0])[1]


def _parse(parse, text, reason):
    try:
        return parse(text)
    except ValueError:
        raise Rejected(reason) from None


def judge(row, prices):
    """Counted kilograms and amount; None for a cancelled ticket."""
    if not row["grower"]:
        raise Rejected("no_grower")
    when = _parse(day, row["day"], "bad_day")
    weight = _parse(kilograms, row["weight"], "bad_weight")
    if weight == 0:
        return None
    water = _parse(moisture, row["moisture"], "bad_moisture")
    price = price_on(prices.get(row["variety"], []), when)
    net = counted(weight, water)
    return net, net * price


def settle(deliveries, prices):
    """Lines of the settlement with cents as whole numbers, the total last; and rejects."""
    growers, rejects = {}, []
    for line, row in last_lines(deliveries):
        try:
            judged = judge(row, prices)
        except Rejected as reason:
            rejects.append((line, row["ticket"], str(reason)))
            continue
        if judged is not None:
            growers.setdefault(row["grower"], []).append(judged)
    lines = []
    for grower, parts in growers.items():
        cents = half_up(sum(amount for _, amount in parts) / CENT)
        lines.append((grower, len(parts), sum(net for net, _ in parts), cents))
    lines.sort(key=lambda line: (-line[3], line[0]))
    total = ("TOTAL", *(sum(line[place] for line in lines) for place in (1, 2, 3)))
    return [*lines, total], rejects
