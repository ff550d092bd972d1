from __future__ import annotations

import asyncio

from tests.egress.world import HELLO, lists, resolver, says, server
from underspec.sandbox.egress.checks import network_checks
from underspec.sandbox.egress.lists import packaged_lists


def test_doctor_is_told_whether_a_registry_is_reached() -> None:
    async def run() -> None:
        async with server(says(HELLO)) as port:
            (good,) = await network_checks(lists(port), ["registry.test"], resolver=resolver())
        (closed,) = await network_checks(lists(port), ["registry.test"], resolver=resolver())
        (private,) = await network_checks(packaged_lists(), ["pypi.org"], resolver=resolver(pypi_org="10.1.2.3"))
        (unknown,) = await network_checks(packaged_lists(), ["pypi.org"], resolver=resolver())
        assert good.ok
        assert not any(each.ok or each.required for each in (closed, private, unknown))
        assert "is not reached" in closed.detail
        assert "10.1.2.3, which is not public" in private.detail
        assert "--registries" in (private.mend or "")
        assert "no address" in unknown.detail

    asyncio.run(run())
