"""Started as ``python -I -S __main__.py FD KIND`` (or ``probe``): a bare interpreter finds the package and begins."""

import sys

# Last, so that nothing that lies beside the package stands in for the standard library.
sys.path.append(__file__.rsplit("/", 4)[0])

if sys.argv[1] == "probe":
    from underspec.sandbox.keeper.probe import main as probe

    probe()
else:
    from underspec.sandbox.keeper.loop import main as keep

    keep(int(sys.argv[1]), sys.argv[2])
