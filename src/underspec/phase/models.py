"""The models of one phase: all write one ledger and obey one watch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from underspec.model.ledger import FILE, Ledger
from underspec.model.limits import Limits, PhaseWatch
from underspec.model.models import adopt_model, open_model
from underspec.model.roles import Role
from underspec.model.spec import ModelSpec
from underspec.phase.work import Work

if TYPE_CHECKING:
    from inspect_ai.model import Model


@dataclass(frozen=True)
class PhaseModels:
    """Opens models for one phase."""

    phase: str
    work: Work
    ledger: Ledger
    watch: PhaseWatch

    def open(self, spec: ModelSpec, role: Role) -> Model:
        """A model for one role; see :func:`underspec.model.models.open_model`."""
        return open_model(
            spec, role=role, phase=self.phase, ledger=self.ledger, watch=self.watch, prices=self.work.prices
        )

    def adopt(self, model: Model, role: Role) -> Model:
        """The same for a model that is already open; see :func:`underspec.model.models.adopt_model`."""
        return adopt_model(
            model, role=role, phase=self.phase, ledger=self.ledger, watch=self.watch, prices=self.work.prices
        )


@contextlib.contextmanager
def phase_models(phase: str, work: Work, limits: Limits) -> Iterator[PhaseModels]:
    """The models of a phase under ``limits``. Their ledger lies in the attempt: what was paid stays on record, whatever
    becomes of the attempt."""
    ledger = Ledger.open(work.attempt / FILE)
    try:
        yield PhaseModels(phase, work, ledger, PhaseWatch(limits, run_cost=work.run_cost))
    finally:
        ledger.close()


def identity_of(spec: ModelSpec | None) -> Any:
    """What of a model belongs into a phase's key. Where it is served does not; a script counts by its content."""
    if spec is None:
        return None
    document = spec.model_dump(mode="json", exclude={"endpoints", "retries", "attempt_seconds"}, exclude_defaults=True)
    if spec.script is not None:
        document["name"] = f"script:{spec.fingerprint()}"
    return document
