"""The twelve languages: their names, file endings, grammars, and where a module gets its name from.

Imports nothing heavy: each worker process loads this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["file", "folder", "namespace", "tree"]


@dataclass(frozen=True)
class Language:
    """One language.

    ``endings`` are matched without regard to case; ``grammars`` name the tree-sitter grammar by ending, "" being the
    others'. ``unit`` is the scope in which one qualified name is one definition, however often it is written down
    (overloads, partial classes, a declaration and its definition). ``modules`` says that files are namespaces, named
    by their path without the folders in ``roots``. ``interpreters`` are what a script without ending names in its
    first line. ``declarations`` are endings of files that only repeat what a file beside them defines.
    """

    name: str
    key: str
    aliases: tuple[str, ...]
    endings: tuple[str, ...]
    grammars: tuple[tuple[str, str], ...]
    unit: Unit
    modules: bool = False
    roots: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    declarations: tuple[str, ...] = ()

    def grammar(self, ending: str) -> str:
        """The grammar for a file with this ending (lower case, "" for none)."""
        known = dict(self.grammars)
        return known.get(ending) or known[""]


_CPP_SOURCES = (".cpp", ".cc", ".cxx", ".c++", ".cp", ".c", ".ixx", ".cppm", ".cu")
_CPP_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".txx", ".tcc", ".inc", ".cuh")
_CPP = _CPP_SOURCES + _CPP_HEADERS
_SCRIPTS = (".js", ".mjs", ".cjs", ".jsx")
_TYPED = (".ts", ".mts", ".cts", ".tsx")

LANGUAGES: tuple[Language, ...] = (
    Language("C#", "csharp", ("cs", "c-sharp"), (".cs", ".csx"), (("", "csharp"),), unit="namespace"),
    Language(
        "C++",
        "cpp",
        ("c++", "cxx", "cc", "c"),
        _CPP,
        (("", "cpp"),),
        unit="tree",
    ),
    Language("Dart", "dart", (), (".dart",), (("", "dart"),), unit="file", modules=True, roots=("lib", "src")),
    Language("Go", "go", ("golang",), (".go",), (("", "go"),), unit="folder"),
    Language("Java", "java", (), (".java",), (("", "java"),), unit="namespace"),
    Language(
        "JavaScript",
        "javascript",
        ("js", "node", "ecmascript"),
        _SCRIPTS,
        (("", "javascript"),),
        unit="file",
        modules=True,
        roots=("src", "lib", "source"),
        index=("index",),
        interpreters=("node", "nodejs"),
    ),
    Language("Kotlin", "kotlin", ("kt",), (".kt", ".kts"), (("", "kotlin"),), unit="namespace"),
    Language(
        "PHP",
        "php",
        (),
        (".php", ".phtml", ".php3", ".php4", ".php5", ".php7", ".phps", ".inc"),
        (("", "php"),),
        unit="namespace",
        interpreters=("php",),
    ),
    Language(
        "Python",
        "python",
        ("py", "python3"),
        (".py", ".pyw", ".pyi"),
        (("", "python"),),
        unit="file",
        modules=True,
        roots=("src", "lib", "python"),
        index=("__init__",),
        interpreters=("python", "python2", "python3", "pypy3"),
        declarations=(".pyi",),
    ),
    Language(
        "Ruby",
        "ruby",
        ("rb",),
        (".rb", ".rbw", ".ru", ".rake", ".thor"),
        (("", "ruby"),),
        unit="namespace",
        interpreters=("ruby", "jruby"),
    ),
    Language(
        "Rust",
        "rust",
        ("rs",),
        (".rs",),
        (("", "rust"),),
        unit="file",
        modules=True,
        roots=("src",),
        index=("mod", "lib", "main"),
    ),
    Language(
        "TypeScript",
        "typescript",
        ("ts",),
        _TYPED,
        (("", "typescript"), (".tsx", "tsx")),
        unit="file",
        modules=True,
        roots=("src", "lib", "source"),
        index=("index",),
        interpreters=("ts-node", "deno", "tsx"),
        declarations=(".d.ts", ".d.mts", ".d.cts"),
    ),
)

_BY_WORD = {word: one for one in LANGUAGES for word in (one.name.lower(), one.key, *one.aliases)}


def find_language(word: str) -> Language | None:
    """The language of that name or alias, in any case; None when it is none of the twelve."""
    return _BY_WORD.get(word.strip().lower())


def ending_of(name: str) -> str:
    """``.py`` of ``Main.PY``; empty where the name has no ending."""
    stem, dot, ending = name.rpartition(".")
    return f".{ending.lower()}" if dot and stem else ""


def module_of(path: str, language: Language) -> str:
    """The dotted name under which a file is a module: ``src/pkg/sub/__init__.py`` is ``pkg.sub``.

    Folders that only hold sources (``src``, and ``lib`` at the front) have no part in it. Empty for the root of all,
    as ``src/lib.rs`` or ``index.js`` are.
    """
    *folders, name = path.split("/")
    while folders and folders[0] in language.roots:
        del folders[0]
    folders = [folder for folder in folders if folder != "src"]
    stem = name[: -len(ending_of(name))] if ending_of(name) else name
    stem = stem.removesuffix(".d")
    parts = folders if stem in language.index else [*folders, stem]
    return ".".join(parts)
