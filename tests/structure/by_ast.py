"""What Python's own parser finds in a file, for comparison."""

from __future__ import annotations

import ast


def qualified_methods(source: bytes) -> list[tuple[str, str]]:
    """(dotted chain of classes, name) of each named function, in order of appearance, duplicates included."""
    found: list[tuple[str, str]] = []

    class Visitor(ast.NodeVisitor):
        owners: tuple[str, ...] = ()

        def visit_ClassDef(self, node: ast.ClassDef) -> None:
            outer, self.owners = self.owners, (*self.owners, node.name)
            self.generic_visit(node)
            self.owners = outer

        def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
            found.append((".".join(self.owners), node.name))
            self.generic_visit(node)

        visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    Visitor().visit(ast.parse(source))
    return found
