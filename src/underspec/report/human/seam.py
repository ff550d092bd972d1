"""A study's figures in the shape that the site's ICAE Table XVI takes: rates from 0 to 1."""

from __future__ import annotations

from underspec.report.exhibits.human import DimensionAgreement, HumanScores
from underspec.report.human.agreement import Agreement


def human_scores(found: Agreement) -> HumanScores | None:
    """What ``report --human STUDY`` shows; None where a judge was validated. Dimensions that nobody rated, or the
    critic did not score, are left out: there is nothing to show of them."""
    if found.kind != "critic":
        return None
    return HumanScores(
        {
            each.dimension: DimensionAgreement(
                samples=each.critic.pairs,
                annotators=len(found.annotators),
                critic_mean=each.critic_mean / 100,
                human_mean=each.human_mean / 100,
                pearson=each.critic.pearson,
                mae=each.critic.mae / 100,
                rmse=each.critic.rmse / 100,
                consistency=each.annotators.consistency.value,
                absolute=each.annotators.absolute.value,
            )
            for each in found.dimensions
            if each.critic_mean is not None
            and each.human_mean is not None
            and each.critic.mae is not None
            and each.critic.rmse is not None
        }
    )
