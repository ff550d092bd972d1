"""The model that works in a stage: opened when first asked, metered in the stage's ledger, bounded by ``max_cost``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from underspec.model.cost_counter import CostCounter
from underspec.model.ledger import FILE, Ledger
from underspec.model.limits import Limits, PhaseWatch
from underspec.model.prices import load_prices
from underspec.model.roles import Role
from underspec.model.spec import ModelSpec
from underspec.model.structured import Shape, ask_structured, told

if TYPE_CHECKING:
    from inspect_ai.model import Model

T = TypeVar("T")


@dataclass
class StageModel:
    """One model for one stage. Close it at the end."""

    spec: ModelSpec
    stage: str
    folder: Path
    cost: CostCounter
    _ledger: Ledger | None = field(default=None, repr=False)
    _model: Model | None = field(default=None, repr=False)

    def opened(self) -> Model:
        """The model itself, for what is more than one document.

        Raises:
            EnvironmentLacksError, UsageError: see :func:`underspec.model.models.open_model`.
        """
        if self._model is None:
            from underspec.model.models import open_model

            prices = load_prices()
            if self.cost.limit is not None and self.spec.script is None:
                prices.require(self.spec.name)
            self._ledger = Ledger.open(self.folder / FILE)
            self._model = open_model(
                self.spec,
                role=Role.CONSTRUCTOR,
                phase=f"construct-{self.stage}",
                ledger=self._ledger,
                watch=PhaseWatch(Limits(inactivity=None), run_cost=self.cost),
                prices=prices,
            )
        return self._model

    async def ask(
        self, system: str, user: str, shape: Shape, read: Callable[[dict[str, Any]], T | None], *, again: str
    ) -> T | None:
        """See :func:`underspec.model.structured.ask_structured`."""
        return await ask_structured(self.opened(), told(system, user), shape, read, again=again)

    def close(self) -> None:
        """Let go of the ledger."""
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = self._model = None
