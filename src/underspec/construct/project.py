"""What is to be constructed: ``construct.toml`` at the top of the working folder. A person may edit it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from underspec.artifact.base import json_path
from underspec.artifact.files import write_atomic
from underspec.errors import UsageError

FILE = "construct.toml"
Kind = Literal["repository", "commission"]


class Project(BaseModel):
    """``source`` is what was given, as the first stage reads it; ``out`` the folder that the finished task goes to.

    ``model`` is any name that :class:`~underspec.model.spec.ModelSpec` takes, for every stage that ``stage_models``
    does not name; without one, stages are done by hand. ``prompts`` is a folder of a user's own prompts. ``repairs``
    bounds how often a gate's findings go back to the model. ``options`` are a stage's own, by its name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    kind: Kind
    task: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{1,62}$")]
    source: str
    out: str
    model: str | None = None
    stage_models: dict[str, str] = {}
    thinking: str | None = None
    prompts: str | None = None
    sandbox: str = "bubblewrap"
    repairs: int = Field(default=3, ge=0, le=50)
    max_cost: float | None = Field(default=None, ge=0)
    options: dict[str, dict[str, Any]] = {}

    def model_of(self, stage: str) -> str | None:
        """The model that works in a stage, None where a person does."""
        return self.stage_models.get(stage, self.model) or None

    def options_of(self, stage: str) -> dict[str, Any]:
        """A stage's own options, which are part of what it reads."""
        return self.options.get(stage, {})


def write_project(folder: Path, project: Project) -> None:
    """Write ``construct.toml``."""
    document = project.model_dump(mode="json", exclude_none=True)
    write_atomic(folder / FILE, tomli_w.dumps(document).encode())


def read_project(folder: Path) -> Project:
    """Read ``construct.toml``.

    Raises:
        UsageError: there is none, or it is damaged; names the field.
    """
    path = folder / FILE
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        return Project.model_validate_json(json.dumps(document))
    except FileNotFoundError as error:
        mend = "name the working folder of an earlier `underspec construct`"
        raise UsageError(f"is no working folder: it has no {FILE}", file=str(folder), mend=mend) from error
    except ValidationError as error:
        first: Any = error.errors()[0]
        raise UsageError(str(first["msg"]), file=str(path), where=json_path(first["loc"])) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, TypeError) as error:
        raise UsageError(f"is damaged: {error}", file=str(path), mend="correct the syntax there") from error
