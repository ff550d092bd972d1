"""Items spread over the nodes of a Ray cluster, all of which see one run store (extra ``underspec[ray]``).

The driver decides which node works on which item; a worker there does what the local executor does, so that what is
published is the same. A node that goes takes nothing with it but the attempts it was at: claims lapse, and the items
are given to others.
"""
