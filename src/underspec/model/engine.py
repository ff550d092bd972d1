"""The model engine, Inspect AI, which is an extra: loaded when a model is opened and not before."""

from __future__ import annotations

from underspec.errors import EnvironmentLacksError

MEND = "install underspec[models]; in a checkout: make models"


def require_engine() -> None:
    """Load the engine.

    Raises:
        EnvironmentLacksError: it is not installed; says what to install (exit 3).
    """
    try:
        import inspect_ai.model  # noqa: F401
    except ImportError as error:
        raise EnvironmentLacksError(f"models need the package {error.name or 'inspect_ai'}", mend=MEND) from error
