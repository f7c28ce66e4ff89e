"""A study of failures: kinds of failure with their words, and how many answers are spoken of.

In: plain values. Out: a frozen plan that can list what does not fit together in it. Absent: which
counts a person sees (`screens`).
"""

from pydantic import Field

from howgood.ask.failures import MOST_PER_PERSON
from howgood.kinds.plan import Picture, Plan, repeated_keys, too_few
from howgood.records.record import Problem, Record

# A column of the data has this name already.
_TAKEN = ("participant", "application", "order", "right", "rating", "accepted", "seconds")
MOST_KINDS = 8


class FailureKind(Record):
    """One way in which an answer can fail."""

    key: str = Field(description="short name in the data")
    text: str = Field(
        description="what people read: {n} is the count, {was|were} takes the first word for 1"
    )


class FailuresPlan(Plan):
    """Scenarios of so many answers, some of which fail, each in one of several ways."""

    name: str = Field(description="name of the feature people judge")
    description: str = Field(description="what the feature does")
    out_of: int = Field(default=20, description="how many answers a scenario speaks of", ge=2)
    per_person: int = Field(
        default=8, description="scenarios for each person, at most 8", ge=1, le=MOST_PER_PERSON
    )
    levels: tuple[int, ...] = Field(
        default=(), description="counts a kind may have; left out: 0, 1, 2 and 4 of 20"
    )
    right: str = Field(
        default="",
        description="the line about the answers that are right; left out: 17 were right",
    )
    opening: str = Field(
        default="",
        description="the line above the counts, {n} is how many; left out: Of 20 answers",
    )
    question: str = Field(
        default="", description="the statement people rate; left out: I would use it"
    )
    scale: tuple[str, ...] = Field(
        default=(), description="labels, lowest first; left out: extremely unlikely to likely"
    )
    picture: Picture | None = Field(default=None, description="shown with the description")
    # Last, though it must be there: a form shows a long list below what is short.
    kinds: tuple[FailureKind, ...] = Field(description="the ways an answer can fail, 1 to 8")

    def problems(self) -> list[Problem]:
        """Return what does not fit together."""
        problems = repeated_keys(self.kinds, ("kinds",))
        if not self.kinds:
            problems.append(too_few((), ("kinds",), "kinds of failure", "Describe one.", 1))
        if len(self.kinds) > MOST_KINDS:
            problems.append(
                Problem(
                    path=("kinds",),
                    found=str(len(self.kinds)),
                    needed=f"at most {MOST_KINDS}: people cannot tell more apart",
                    cure="Put alike ones together.",
                )
            )
        if len(self.scale) == 1:
            problems.append(too_few(self.scale, ("scale",), "labels", "Add a label."))
        problems += [
            Problem(
                path=("kinds", index, "key"),
                found=repr(kind.key),
                needed="a key that is no column of the data: not " + ", ".join(_TAKEN),
                cure="Choose another key.",
            )
            for index, kind in enumerate(self.kinds)
            if kind.key in _TAKEN
        ]
        return problems + self._level_problems()

    def _level_problems(self) -> list[Problem]:
        if not self.levels or (
            len(set(self.levels)) > 1 and min(self.levels) >= 0 and max(self.levels) <= self.out_of
        ):
            return []
        return [
            Problem(
                path=("levels",),
                found=str(list(self.levels)),
                needed=f"at least two different counts from 0 to {self.out_of}",
                cure="Use for instance [0, 1, 2, 4].",
            )
        ]
