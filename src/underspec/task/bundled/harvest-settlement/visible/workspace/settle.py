"""Not written yet."""

import sys

sys.exit("the settlement is not written yet")
