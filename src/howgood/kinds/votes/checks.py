"""What experience says about a study of votes: names that show, systems hardly compared.

In: a study. Out: sentences. Absent: what would break a screen (`plan`).
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from howgood.kinds.study import Study, plan_of
from howgood.kinds.votes.next_pair import most_votes, shared_prompts
from howgood.kinds.votes.plan import VotesPlan

_FEW_PROMPTS = 10
_SHORTEST_NAME = 3


def advice(study: Study) -> Iterator[str]:
    """Yield what may make votes less blind, or the result less sure."""
    plan = plan_of(study, VotesPlan)
    named = [output.system for output in plan.outputs if _is_named(output.system, output.text)]
    if named:
        yield (
            f"{len(named)} outputs name their own system ({', '.join(dict.fromkeys(named))}): "
            "people who read the name do not vote blind"
        )
    files = [
        output.picture.file
        for output in plan.outputs
        if output.picture is not None and _is_named(output.system, output.picture.file)
    ]
    if files:
        yield (
            f"the name of {PurePosixPath(files[0]).name!r} tells its system, and pages show names "
            "of pictures in their source: `howgood new votes TABLE` copies them under other names"
        )
    if len(plan.prompts) < _FEW_PROMPTS:
        yield (
            f"{len(plan.prompts)} prompts: the result holds for prompts like these, and few of "
            "them say little about others"
        )
    if most_votes(study) < plan.votes:
        yield (
            f"{plan.votes} votes of each person are wanted, but there are pairs for "
            f"{most_votes(study)} only"
        )
    pairs = len(plan.systems) * (len(plan.systems) - 1) // 2
    if len(shared_prompts(study)) < pairs:
        yield (
            f"{pairs - len(shared_prompts(study))} of {pairs} pairs of systems have no prompt in "
            "common: they are compared only by way of others"
        )


def _is_named(system: str, text: str) -> bool:
    return len(system) >= _SHORTEST_NAME and system.casefold() in text.casefold()
