"""Acceptance: private tests drive a deliverable over its delivery interface (SWE-Clar 2.3, B.3).

Two sandboxes, and the harness between them. In one, the task's tests run, and write JUnit XML; nothing of the
deliverable is in it. In the other, new for each test, the deliverable runs; nothing of the tests is in it but what they
send. So what would be forged is out of reach: a deliverable can kill, patch, print or leave whatever it likes, and all
that comes of it is what a test is told that its command printed. One sandbox with two users would not do: a sandbox of
an ordinary user has one id.
"""

RUNNER_VERSION = 1
"""Raise it when the runner, or what it gives to tests, may make the same tests say something else."""
