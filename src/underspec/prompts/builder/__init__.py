"""What a builder is told: the prompts of this folder, put together for one condition."""

from __future__ import annotations

from pathlib import Path

from underspec.errors import HarnessError
from underspec.prompts import Prompt, load_prompt, render

NETWORKS = ("none", "registries", "open")


def builder_prompts(*, override: Path | None = None) -> dict[str, Prompt]:
    """The prompts behind both texts, by name. Their hashes belong in the key of the build phase."""
    return {name: load_prompt("builder", name, override=override) for name in ("instruction", "clarification")}


def instruction_text(
    *,
    asks: bool,
    network: str,
    scaffold: bool,
    language: str,
    budget: int,
    request_path: str,
    ask_url: str | None,
    grade_network: str = "none",
    override: Path | None = None,
) -> str:
    """The instruction that precedes every request (ICAE III-C, Appendix F), adapted to a condition.

    ``network`` and ``grade_network`` are ``none``, ``registries`` or ``open``; ``language`` is a name to be read by
    people (``Python``). ``ask_url`` is needed exactly where ``asks`` is true.

    Raises:
        HarnessError: the arguments contradict each other.
        UsageError: a prompt of the user's does not fit.
    """
    if network not in NETWORKS or grade_network not in NETWORKS:
        raise HarnessError(f"unknown kind of network: {network} / {grade_network}")
    if asks != (ask_url is not None) or (asks and budget < 1):
        raise HarnessError(f"asks={asks} does not go with ask_url={ask_url} and budget={budget}")
    sections = {
        "asks": asks,
        "asks-not": not asks,
        "scaffold": scaffold,
        "scaffold-not": not scaffold,
        "grade-network-none": grade_network == "none",
        "grade-network-some": grade_network != "none",
        **{f"network-{kind}": network == kind for kind in NETWORKS},
    }
    values = {
        "language": language,
        "budget": str(budget),
        "request_path": request_path,
        "ask_url": ask_url or "",
    }
    return render(load_prompt("builder", "instruction", override=override), sections=sections, values=values)


def clarification_block(url: str, budget: int, *, override: Path | None = None) -> str:
    """What is appended to a request whose reader may ask (ICAE Appendix G): where, how, and how often."""
    prompt = load_prompt("builder", "clarification", override=override)
    return render(prompt, sections={}, values={"ask_url": url, "budget": str(budget)})
