"""Votes as rows, what their columns mean, preference pairs, and votes from tables.

In: a study of votes and one person's participation; a row of a table. Out: rows and columns; a
vote. Absent: files (`flow.collected`, `flow.importing`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from howgood.kinds.cells import WrongCellError, readings
from howgood.kinds.protocol import Row
from howgood.kinds.study import Study, plan_of
from howgood.kinds.table_import import Missing, PersonDraft, RowReader, TableImport, Target
from howgood.kinds.votes.next_pair import CHOICE, PAIR, REASON, WINNERS, Pair
from howgood.kinds.votes.plan import VotesPlan
from howgood.kinds.votes.screens import pair_of, vote_key, votes_of
from howgood.records.codebook import PARTICIPANT, SECONDS, Column, columns
from howgood.records.screen import Participation
from howgood.records.vote_words import SAID, word_of

_CHOICE_LEVELS = {
    "left": "the left output is better",
    "right": "the right output is better",
    "tie": "neither is better",
    "both_good": "both are good",
    "both_bad": "both are bad",
}
_WINNER_LEVELS = {"left": "left", "right": "right", "tie": "neither"}
# What stands for "a new pair" in a column of pairs asked again, next to nothing at all.
_NEW_PAIR = ("0", "0.0", "False", "false", "nan", "NaN")
_BOTH = ("both_good", "both_bad")
# Stands for the number of an earlier vote that is in no row: nobody votes as often.
_NOT_IN_TABLE = 1_000_000
_COLUMNS = columns(
    PARTICIPANT,
    ("number", "integer", "number of the vote of this person, from 1"),
    ("prompt", "text", "key of the prompt"),
    ("left", "text", "system on the left"),
    ("right", "text", "system on the right"),
    ("choice", "text", "what was said", _CHOICE_LEVELS),
    ("winner", "text", "which side won", _WINNER_LEVELS),
    ("repeats", "integer", "number of the vote that was asked again; empty: a new pair"),
    ("left_length", "integer", "characters of the left output; empty: a picture"),
    ("right_length", "integer", "characters of the right output; empty: a picture"),
    ("reason", "text", "why, in the person's words; empty: nothing said"),
    SECONDS,
)


def rows(study: Study, participation: Participation) -> Iterator[Row]:
    """Yield one row per vote: what `decide.rank_votes` reads, and more."""
    plan = plan_of(study, VotesPlan)
    answered = {answer.screen: answer for answer in participation.answers}
    for number, answer in enumerate(votes_of(answered), start=1):
        pair, choice = pair_of(answer), str(answer.values.get(CHOICE))
        if pair is None or choice not in WINNERS:
            continue
        yield {
            "participant": participation.participant,
            "number": number,
            "prompt": pair.prompt,
            "left": pair.left,
            "right": pair.right,
            "choice": choice,
            "winner": WINNERS[choice],
            "repeats": pair.repeats or None,
            "left_length": _length(plan, pair.prompt, pair.left),
            "right_length": _length(plan, pair.prompt, pair.right),
            "reason": answer.values.get(REASON) or None,
            "seconds": answer.seconds,
        }


def _length(plan: VotesPlan, prompt: str, system: str) -> int | None:
    output = plan.output_of.get((prompt, system))
    return len(output.text) if output is not None and output.text else None


def answer_columns(study: Study) -> tuple[Column, ...]:
    """Return the columns of a vote."""
    return _COLUMNS


def preferences(study: Study, participation: Participation) -> Iterator[Mapping[str, Any]]:
    """Yield what was chosen over what, as programs read it that train by preferences (DPO).

    Ties say nothing about a preference and are left out; so are pairs that were asked again.
    """
    plan = plan_of(study, VotesPlan)
    for row in rows(study, participation):
        if row["winner"] == "tie" or row["repeats"]:
            continue
        sides = (str(row["left"]), str(row["right"]))
        chosen, rejected = sides if row["winner"] == "left" else sides[::-1]
        prompt = plan.prompt_of.get(str(row["prompt"]))
        made = {
            name: _content(plan, str(row["prompt"]), system)
            for name, system in (("chosen", chosen), ("rejected", rejected))
        }
        if prompt is None or None in made.values():
            continue
        yield {
            "prompt": prompt.text,
            **made,
            "chosen_system": chosen,
            "rejected_system": rejected,
            "prompt_key": prompt.key,
            "participant": row["participant"],
            "reason": row["reason"],
        }


def _content(plan: VotesPlan, prompt: str, system: str) -> str | None:
    output = plan.output_of.get((prompt, system))
    if output is None:
        return None
    return output.text if output.picture is None else output.picture.file


def _targets(study: Study) -> tuple[Target, ...]:
    return (
        Target(name="prompt", meaning="key of the prompt", is_required=True,
               aliases=("item", "question_id", "prompt_key")),
        Target(name="left", meaning="system on the left", is_required=True,
               aliases=("model_a", "a")),
        Target(name="right", meaning="system on the right", is_required=True,
               aliases=("model_b", "b")),
        Target(name="winner", meaning="left, right or tie", is_required=True,
               aliases=("choice", "vote", "preference")),
        Target(name="repeats", meaning="filled where an earlier pair was asked again"),
    )  # fmt: skip


def _read_row(reader: RowReader, person: PersonDraft, missing: Missing) -> None:
    plan = plan_of(reader.study, VotesPlan)
    names = ["prompt", "left", "right", "winner"]
    if reader.has_gap(names, missing):
        return
    prompt = reader.mapped("prompt", lambda text: _prompt(plan, text))
    left, right = (reader.mapped(side, lambda text: _system(plan, text)) for side in names[1:3])
    choice = reader.mapped("winner", _choice)
    if prompt is None or left is None or right is None or choice is None:
        return
    if left == right:
        reader.mapped("right", _same)
        return
    pair = Pair(prompt=prompt, left=left, right=right)
    again = reader.text("repeats").strip()
    if again and again not in _NEW_PAIR:
        pair = replace(pair, repeats=_earlier(person, pair))
    if choice == "tie" and reader.cell("choice") in _BOTH:
        choice = reader.cell("choice")  # of our own files, `winner` says less
    key = vote_key(1 + len(person.answers))
    reader.judge(person, key, {PAIR: pair.as_text(), CHOICE: choice})


def _earlier(person: PersonDraft, pair: Pair) -> int:
    """Return the number of this person's first vote on a pair: beyond all, where there is none."""
    for number, (values, _) in enumerate(person.answers.values(), start=1):
        first = Pair.from_text(str(values[PAIR]))
        if not first.repeats and (first.prompt, first.systems) == (pair.prompt, pair.systems):
            return number
    return _NOT_IN_TABLE


def _prompt(plan: VotesPlan, text: str) -> str:
    by_text = {prompt.text.strip(): prompt.key for prompt in plan.prompts}
    key = text if text in plan.prompt_of else by_text.get(text)
    if key is None:
        raise WrongCellError("the key or the text of a prompt of this study")
    return key


def _system(plan: VotesPlan, text: str) -> str:
    if text not in plan.systems:
        raise WrongCellError(f"a system of this study: {', '.join(plan.systems[:8])}")
    return text


def _choice(text: str) -> str:
    words = [word_of(reading) for reading in readings(text)]
    said = [SAID[word] for word in words if word in SAID]
    if not said:
        raise WrongCellError("left, right or tie (or both_good, both_bad)")
    return said[0]


def _same(text: str) -> str:
    raise WrongCellError("another system than on the left")


TABLES = TableImport(targets=_targets, read_row=_read_row)
