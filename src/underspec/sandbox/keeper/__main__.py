"""Started as ``python -I -S __main__.py FD``: a bare interpreter finds the package, and the loop takes over."""

import sys

# Last, so that nothing that lies beside the package stands in for the standard library.
sys.path.append(__file__.rsplit("/", 4)[0])

from underspec.sandbox.keeper.loop import main

main(int(sys.argv[1]))
