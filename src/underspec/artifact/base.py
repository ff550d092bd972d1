"""The base of every artifact: frozen, closed to unknown fields, with an integer schema version."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from underspec.artifact.canonical import canonical_json
from underspec.artifact.files import NotRegularError, read_regular
from underspec.errors import StoreError

_MEND = "remove the folder that holds it and run the same command again"


def json_path(location: tuple[int | str, ...]) -> str:
    """Render a pydantic error location as a JSON path: ``('cases', 3, 'input')`` -> ``$.cases[3].input``."""
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)


class Artifact(BaseModel):
    """A typed file that one phase writes and others read.

    Subclasses declare ``schema_version: Literal[n] = n``. Bytes are canonical JSON, so that equal artifacts are
    equal files; nothing that depends on time or host may stand in one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    def to_bytes(self) -> bytes:
        """Canonical JSON (RFC 8785) and a final newline."""
        return canonical_json(self.model_dump(mode="json")) + b"\n"

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a published artifact's file.

        Raises:
            StoreError: it is missing, damaged, or of another kind or version; names the file and the field.
        """
        try:
            data = read_regular(path)
        except FileNotFoundError as error:
            raise StoreError("a file of a published artifact is missing", file=str(path), mend=_MEND) from error
        except (IsADirectoryError, NotRegularError) as error:
            raise StoreError("not a file", file=str(path), mend=_MEND) from error
        return cls.from_bytes(data, file=str(path))

    @classmethod
    def from_bytes(cls, data: bytes, *, file: str) -> Self:
        """Parse an artifact.

        Raises:
            StoreError: the bytes are no artifact of this kind and version; names ``file`` and the field.
        """
        try:
            return cls.model_validate_json(data)
        except ValidationError as error:
            first: Any = error.errors()[0]
            raise StoreError(
                f"not a valid {cls.__name__}: {first['msg']}",
                file=file,
                where=json_path(first["loc"]),
                mend=_MEND,
            ) from error
