"""One set of items from which every table and figure can be made, and how a run of the published size is made."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.report.exhibits.sample import (
    CATEGORIES,
    LANGUAGES,
    asked,
    built,
    clarified,
    evidence_of,
    graded,
    human_scores,
    labelled,
    make_task,
    review,
    structure,
    transcript,
)
from underspec.artifact.condition import Condition
from underspec.artifact.judgements import Label
from underspec.artifact.outcomes import SuiteState
from underspec.report.collect import Collected
from underspec.report.exhibits.evidence import Evidence
from underspec.run.labels import ItemLabels
from underspec.task.model import Task

MODELS = ("acme/alpha-5", "acme/beta-4.8", "orca/gamma-2", "orca/delta-mini", "zed/epsilon", "zed/zeta-flash")
_STATES = (
    (SuiteState.MISMATCH,),
    (SuiteState.MISMATCH, SuiteState.MISSING),
    (SuiteState.EXEC_BUILD,),
    (SuiteState.NO_TEST,),
)
_LABELS = (Label.CORRECT, Label.CORRECT, Label.CORRECT, Label.PARTIAL, Label.INCORRECT)


def repository_tasks(number: int) -> list[Task]:
    """Tasks of several languages, categories and sizes."""
    return [
        make_task(
            f"task-{place:03}",
            language=LANGUAGES[place % len(LANGUAGES)],
            category=CATEGORIES[place % 7 % len(CATEGORIES)],
            lines=300 + 37 * place * place,
            files=4 + place,
            points={
                "L1": ("API",) * (9 + place % 3) + ("Edge case",) * 7 + ("Architecture",) * 3,
                "L2": ("API",) * 5 + ("Edge case",) * 4 + ("Architecture",) * 2,
                "L3": ("API",) * 2 + ("Edge case",) * 3,
            },
        )
        for place in range(number)
    ]


def _built(
    chance: random.Random, condition: Condition, task: str, rate: float, *, epoch: int = 1, fails: float = 0.0
) -> Collected:
    share = min(max(chance.gauss(rate, 0.25), 0.0), 1.0)
    counts = {name: (sum(chance.random() < share for _case in range(size)), size) for name, size in _SIZES.items()}
    states = {suite: _STATES[chance.randrange(len(_STATES))] for suite, (done, size) in counts.items() if done < size}
    hidden = [f"C{place}" for place in range(19)]
    found = [
        chance.sample(hidden, chance.randrange(3))
        for _question in range(min(condition.budget, chance.randrange(4, 25)))
    ]
    return built(
        condition,
        task,
        None,
        epoch=epoch,
        outcomes=graded(task, counts, states=states) if chance.random() >= fails else None,
        session=asked(task, found, hidden=hidden, budget=condition.budget) if condition.asks else None,
        structure=structure(
            chance.choice((0.1, 0.3, 0.6)), files=chance.randrange(2, 12), loc=chance.randrange(50, 700)
        ),
        review=review(chance.random(), chance.random(), chance.random()),
        tokens=chance.randrange(100_000, 9_000_000),
        cost=chance.uniform(0.1, 4.0),
    )


_SIZES = {"public": 4, "native": 10, "enhanced": 20}


def main_items(tasks: int, models: Sequence[str] = MODELS, seed: int = 1) -> list[Collected]:
    """One item a task and model under the default condition."""
    chance = random.Random(seed)
    return [
        _built(
            chance,
            Condition(agent="claude-code", model=model),
            f"task-{place:03}",
            0.6 - 0.07 * strength,
            fails=0.1 if model == models[-1] else 0.0,
        )
        for strength, model in enumerate(models)
        for place in range(tasks)
    ]


def ablation_items(tasks: int) -> list[Collected]:
    """One model under everything that ICAE-Bench varies, one thing at a time."""
    chance = random.Random(2)
    base = {"agent": "claude-code", "model": MODELS[0]}
    varied: list[tuple[dict[str, object], float]] = [
        ({"scaffold": True}, 0.8),
        ({"agent": "openhands"}, 0.5),
        ({"router": "model", "stakeholder_model": "orca/router-9"}, 0.6),
        ({"thinking": "off"}, 0.4),
        ({"thinking": "8000"}, 0.55),
        ({"thinking": "adaptive"}, 0.6),
        ({"image": "provisioned"}, 0.5),
        ({"language": "Python"}, 0.6),
        ({"budget": 0}, 0.2),
        ({"budget": 8}, 0.4),
        ({"budget": 24}, 0.6),
        ({"exposure": "L2"}, 0.6),
        ({"exposure": "L3"}, 0.7),
        ({"exposure": "recovered"}, 0.7),
        ({"exposure": "ground"}, 0.8),
    ]
    return [
        _built(chance, Condition.model_validate({**base, **fields}), f"task-{place:03}", rate)
        for fields, rate in varied
        for place in range(tasks)
    ]


def clarified_items(tasks: int, models: Sequence[str] = MODELS) -> tuple[list[Collected], dict[str, ItemLabels]]:
    """Items of the clarifying protocols with labels: all models, and the last two under everything that is varied."""
    chance = random.Random(3)
    items: list[Collected] = []
    labels: dict[str, ItemLabels] = {}
    asking = {"agent": "pi", "stakeholder_model": "acme/client", "judge_model": "acme/judge"}
    for strength, model in enumerate(models):
        varied: list[dict[str, object]] = [{}]
        if strength >= len(models) - 2:
            varied += [{"information": "none"}, {"information": "complete"}, {"protocol": "continued"}]
        for fields in varied:
            condition = Condition.model_validate({"protocol": "clarify-first", **asking, "model": model, **fields})
            rate = 0.93 - 0.03 * strength
            rate = {"none": 0.5, "complete": 0.97}.get(
                condition.information, rate if "protocol" not in fields else 0.75
            )
            for place in range(tasks):
                name = f"commission-{place:03}"
                units = [(chance.choice(_LABELS), chance.random() < rate) for _unit in range(3 + place % 5)]
                rounds = chance.randrange(3 + strength, 12 + strength)
                talk = transcript(name, rounds, revised=(1, 3)) if condition.asks else None
                one = clarified(
                    condition,
                    name,
                    units,
                    cost=0.1 * 3 ** (len(models) - strength) * chance.uniform(0.5, 1.5),
                    talk=talk,
                )
                items.append(one)
                if talk is not None:
                    hidden = {
                        f"RU-{unit + 1:03}": chance.choice([None, *range(1, rounds + 1)]) for unit in range(len(units))
                    }
                    right = {1: (chance.random() < 0.4, chance.random() < 0.9), 3: (None, True)}
                    labels[one.item.id] = labelled(talk, hidden, right)
    return items, labels


def commissions(number: int) -> list[Task]:
    """Tasks of the other family."""
    kinds = ("Web back end", "Data pipeline", "Automation", "Command line", "Bot")
    return [
        make_task(
            f"commission-{place:03}", family="commission", category=kinds[place * place % 11 % len(kinds)], lines=None
        )
        for place in range(number)
    ]


def whole(tasks: int = 64, small: int = 12) -> Evidence:
    """Evidence from which every exhibit can be made."""
    told, labels = clarified_items(small)
    items = [*main_items(tasks), *ablation_items(small), *told]
    return evidence_of(items, [*repository_tasks(tasks), *commissions(small)], labels=labels, human=human_scores())
