"""The unit in which an amount is read best."""

from .settings import setting
from .units import BIT, BYTE, LETTERS, UNITS, prefixed


def readable(amount, system=None):
    family = amount.unit.family
    if abs(amount.bytes) < 1 and setting("best.below_one_byte") == "bits":
        return amount.to(UNITS["b"])
    if system is None:
        system = amount.unit.system if setting("best.system") == "own" else setting("best.system")
    step = 1024 if system == "binary" else 1000
    measure = abs(amount.bytes if setting("best.measured_in") == "bytes" else amount.roots)
    place = 0
    while place < len(LETTERS) and measure >= float(step ** (place + 1)):
        place += 1
    if place == 0 and family == BYTE and setting("best.below_first_step") == "unchanged":
        return amount
    return amount.to(prefixed(place, family if family == BIT else BYTE, system))
