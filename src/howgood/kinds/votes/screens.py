"""Vote between two outputs, again and again: an introduction, then pairs.

In: study, seed, answers, everybody's votes so far. Out: the steps of the task. Absent: which pair
comes next (`pairs`).
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from howgood.ask.sentences import sentence
from howgood.kinds.offline_pairs import SEATS, is_offline, seat_seeds
from howgood.kinds.plan import Picture
from howgood.kinds.screen_parts import Step, introduction, media, unreached
from howgood.kinds.study import Study, plan_of
from howgood.kinds.task_export import OfflineTask
from howgood.kinds.votes.next_pair import (
    CHOICE,
    LEFT_WINS,
    PAIR,
    REASON,
    RIGHT_WINS,
    Pair,
    VotesSoFar,
    most_votes,
    next_pair,
    votes_so_far,
)
from howgood.kinds.votes.plan import Output, VotesPlan
from howgood.records.screen import Answer, Button, Card, Cards, Field, Screen, Words

SCREENS = "vote-"
_KEYS = {"tie": "0", "both_good": "8", "both_bad": "9"}
_LONGEST_REASON = 1000
_FEWEST_SEATS, _MOST_SCREENS = 8, 800


def vote_key(number: int) -> str:
    """Return the key of the screen of a vote."""
    return f"{SCREENS}{number}"


def votes_of(answered: Mapping[str, Answer]) -> list[Answer]:
    """Return the answers to pairs, in order."""
    given: list[Answer] = []
    while (key := vote_key(len(given) + 1)) in answered:
        given.append(answered[key])
    return given


def pair_of(answer: Answer) -> Pair | None:
    """Return the pair an answer is about; None for an answer that names none."""
    text = answer.values.get(PAIR)
    return Pair.from_text(text) if isinstance(text, str) else None


def steps(
    study: Study, condition: str, seed: int, answered: Mapping[str, Answer], now: datetime
) -> list[Step]:
    """Return the steps of somebody who votes alone: their own votes are all there are."""
    if is_offline(answered):
        return steps_among(study, condition, seed, answered, now, None)
    own = votes_so_far(study, (answer.values for answer in votes_of(answered)))
    return steps_among(study, condition, seed, answered, now, own)


def steps_among(
    study: Study,
    condition: str,
    seed: int,
    answered: Mapping[str, Answer],
    now: datetime,
    so_far: VotesSoFar | None,
) -> list[Step]:
    """Return the steps: what it is about, the votes given, the next pair, a place for the rest."""
    plan = plan_of(study, VotesPlan)
    first, given = introduction(study, plan.task), votes_of(answered)
    if first.key not in answered:
        return [first, unreached("votes ahead", advance=most_votes(study))]
    behind = [unreached(vote_key(number)) for number in range(1, len(given) + 1)]
    left = most_votes(study) - len(given)
    if left <= 0:
        return [first, *behind]
    shown = [pair for answer in given if (pair := pair_of(answer)) is not None]
    pair = next_pair(study, seed, shown, so_far)
    if pair is None:
        return [first, *behind]
    ahead = [unreached("votes ahead", advance=left - 1)] if left > 1 else []
    return [first, *behind, vote_step(study, plan, pair, len(given) + 1), *ahead]


def offline_task(study: Study) -> OfflineTask:
    """Return the page of every vote that the seats of a page without a server come to."""
    plan, first = plan_of(study, VotesPlan), introduction(study, plan_of(study, VotesPlan).task)
    seats, steps = [], {first.key: first}
    n_seats = max(_FEWEST_SEATS, min(SEATS, _MOST_SCREENS // most_votes(study)))
    for seed in seat_seeds(n_seats):
        shown: list[Pair] = []
        walked = [[first.key, first.key]]
        while len(shown) < most_votes(study):
            pair = next_pair(study, seed, shown, None)
            if pair is None:
                break
            shown.append(pair)
            name = f"{pair.prompt}|{pair.left}|{pair.right}"
            steps[name] = vote_step(study, plan, pair, len(shown))
            walked.append([vote_key(len(shown)), name])
        seats.append({"seed": seed, "steps": walked})
    return OfflineTask(outline={"walk": "seats", "seats": seats}, steps=steps)


def pictures(study: Study) -> Iterator[Picture]:
    """Yield the pictures among the outputs."""
    for output in plan_of(study, VotesPlan).outputs:
        if output.picture is not None:
            yield output.picture


def shows_pair(screen: Screen) -> bool:
    """Return whether a screen asks about a pair."""
    return any(field.name == PAIR for field in screen.fields)


def vote_step(study: Study, plan: VotesPlan, pair: Pair, number: int) -> Step:
    """Return the page of a vote."""
    language, key = study.language, vote_key(number)

    def make() -> Screen:
        prompt = plan.prompt_of[pair.prompt].text
        fields = [Field(name=PAIR, kind="hidden", label="", value=pair.as_text())]
        if plan.reason:
            label = sentence(language, "vote_reason")
            fields.append(
                Field(name=REASON, kind="text", label=label, required=False,
                      longest=_LONGEST_REASON)
            )  # fmt: skip
        cards = tuple(
            _card(study, plan.output_of[pair.prompt, system], name)
            for system, name in ((pair.left, "A"), (pair.right, "B"))
        )
        return Screen(
            key=key,
            kind="task",
            title=plan.question,
            language=language,
            blocks=(Cards(cards=cards, between=(Words(text=prompt),) if prompt else ()),),
            fields=tuple(fields),
            buttons=_buttons(plan, language),
        )

    return Step(key=key, make=make)


def _card(study: Study, output: Output, name: str) -> Card:
    title = sentence(study.language, "vote_output", name=name)
    picture = None
    if output.picture is not None:
        # What a picture is of may name its system; both are called what their card is called.
        picture = media(output.picture)[0].changed(alternative=title)
    return Card(title=title, text=output.text, media=picture)


def _buttons(plan: VotesPlan, language: str) -> tuple[Button, ...]:
    sides = [
        Button(label=sentence(language, f"vote_{side}"), name=CHOICE, value=side, key=key)
        for side, key in ((LEFT_WINS, "1"), (RIGHT_WINS, "2"))
    ]
    others = [
        Button(label=sentence(language, f"vote_{name}"), name=CHOICE, value=name, main=False,
               key=_KEYS[name])
        for name in plan.undecided
    ]  # fmt: skip
    return (*sides, *others)
