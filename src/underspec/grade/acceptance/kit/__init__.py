"""What private tests are given in their sandbox: ``delivery`` drives what was delivered, ``run`` runs the tests.

Both are shown there as plain files and use Python's standard library alone. They are no part of the package's own
imports.
"""
