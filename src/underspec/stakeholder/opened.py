"""A router ready to use outside a run: by name, with its model where it works with one."""

from __future__ import annotations

from pathlib import Path

from underspec.errors import UsageError
from underspec.model.ledger import Ledger
from underspec.model.limits import Limits, PhaseWatch
from underspec.model.models import open_model
from underspec.model.prices import Prices
from underspec.model.roles import Role
from underspec.model.spec import ModelSpec
from underspec.stakeholder.router import Router, RouterWithModel, load_router

PHASE = "stakeholder"


def opened_router(
    name: str, *, model: ModelSpec | None = None, ledger: Path | None = None, prices: Prices | None = None
) -> Router:
    """The router ``name``. What its model costs goes into the file ``ledger``, which stays open as long as it does.

    Raises:
        UsageError: there is no such router or model, or the two do not go together.
        EnvironmentLacksError: a package or a key is missing.
        StoreError: the ledger cannot be used.
    """
    router = load_router(name)
    if not isinstance(router, RouterWithModel):
        if model is not None:
            mend = "leave --stakeholder-model out, or give --router model"
            raise UsageError(f"router {name!r} works without a model", mend=mend)
        return router
    if model is None:
        raise UsageError(f"router {name!r} works with a model", mend="give --stakeholder-model provider/name")
    # Nobody's inactivity is watched here: a service may be asked nothing for hours.
    return router.with_model(
        open_model(
            model,
            role=Role.ROUTER,
            phase=PHASE,
            ledger=Ledger.open(ledger) if ledger else None,
            watch=PhaseWatch(Limits(inactivity=None)),
            prices=prices,
        )
    )
