"""A study of votes: prompts, what systems put out for them, and how people vote.

In: plain values. Out: a frozen plan that can list what does not fit together in it. Absent: which
pair somebody sees (`pairs`), and reading outputs from a table (`files`).
"""

from collections import Counter
from functools import cached_property
from typing import Literal

from pydantic import Field

from howgood.kinds.plan import Picture, Plan, repeated_keys, too_few
from howgood.records.record import Problem, Record

Undecided = Literal["tie", "both_good", "both_bad"]


class Prompt(Record):
    """What the systems were asked; people read it above both outputs."""

    key: str = Field(description="short name in the data")
    text: str = Field(default="", description="what people read; left out: outputs alone are shown")


class Output(Record):
    """What one system put out for one prompt: a text or a picture."""

    prompt: str = Field(description="key of the prompt")
    system: str = Field(description="name of the system; participants never see it")
    text: str = Field(default="", description="the output, shown as plain text")
    picture: Picture | None = Field(default=None, description="the output, where it is a picture")


class VotesPlan(Plan):
    """Outputs of several systems for the same prompts; people say which of two is better."""

    task: str = Field(description="what people are to judge, before the first pair")
    question: str = Field(default="Which answer is better?", description="asked above every pair")
    votes: int = Field(default=20, description="votes of each person", ge=1, le=300)
    repeat_every: int = Field(
        default=10,
        description="every so many votes an earlier pair comes again with sides swapped; 0: never",
        ge=0,
    )
    undecided: tuple[Undecided, ...] = Field(
        default=("tie", "both_bad"),
        description="what can be said besides left and right: tie, both_good, both_bad",
    )
    reason: bool = Field(default=False, description="whether people may write why, if they like")
    smallest: float = Field(
        default=0.1,
        description="differences in win rate from one half that matter: 0.1 is 60 to 40",
        gt=0.0,
        lt=0.5,
    )
    table: str = Field(
        default="",
        description="file with one output per row: columns prompt, system, output (a text, or the "
        "name of a picture); instead of listing `prompts` and `outputs`",
    )
    prompt_column: str = Field(default="", description="its column of prompts; left out: guessed")
    system_column: str = Field(default="", description="its column of systems; left out: guessed")
    output_column: str = Field(default="", description="its column of outputs; left out: guessed")
    # Last, though they must be there: a form shows long lists below what is short.
    prompts: tuple[Prompt, ...] = Field(
        default=(), description="what the systems were asked; or name a `table`"
    )
    outputs: tuple[Output, ...] = Field(
        default=(), description="what each system put out for each prompt; or name a `table`"
    )

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order in which they first appear."""
        return tuple(dict.fromkeys(output.system for output in self.outputs))

    @cached_property
    def output_of(self) -> dict[tuple[str, str], Output]:
        """Every output by its prompt and system."""
        return {(output.prompt, output.system): output for output in self.outputs}

    @cached_property
    def prompt_of(self) -> dict[str, Prompt]:
        """Every prompt by its key."""
        return {prompt.key: prompt for prompt in self.prompts}

    def problems(self) -> list[Problem]:
        """Return what does not fit together."""
        problems = repeated_keys(self.prompts, ("prompts",))
        if not self.prompts:
            problems.append(too_few((), ("prompts",), "prompts", "Add one.", 1))
        if len(set(self.undecided)) < len(self.undecided):
            problems.append(
                Problem(
                    path=("undecided",),
                    found=", ".join(self.undecided),
                    needed="each at most once",
                    cure="Leave the repeated one out.",
                )
            )
        problems += self._wrong_outputs()
        return problems or self._nothing_to_compare()

    def _wrong_outputs(self) -> list[Problem]:
        keys = {prompt.key for prompt in self.prompts}
        seen: Counter[tuple[str, str]] = Counter()
        problems = []
        for index, output in enumerate(self.outputs):
            seen[output.prompt, output.system] += 1
            wrong = _wrong_output(output, keys, is_again=seen[output.prompt, output.system] > 1)
            if wrong is not None:
                name, said, needed, cure = wrong
                path = ("outputs", index, name)
                problems.append(Problem(path=path, found=said, needed=needed, cure=cure))
        return problems

    def _nothing_to_compare(self) -> list[Problem]:
        if len(self.systems) < 2:
            return [too_few(self.systems, ("outputs",), "systems", "Add outputs of another.")]
        by_prompt = Counter(output.prompt for output in self.outputs)
        if max(by_prompt.values()) >= 2:
            return []
        return [
            Problem(
                path=("outputs",),
                found="no prompt with outputs of two systems",
                needed="outputs of at least two systems for the same prompt",
                cure="Give prompts that are the same the same key.",
            )
        ]


def _wrong_output(
    output: Output, prompts: set[str], *, is_again: bool
) -> tuple[str, str, str, str] | None:
    if output.prompt not in prompts:
        return (
            "prompt",
            repr(output.prompt),
            "the key of a prompt",
            "Correct it, or add it.",
        )
    if not output.system.strip():
        return "system", "nothing", "the name of a system", "Name it."
    if is_again:
        found = f"{output.system!r} again for {output.prompt!r}"
        return "system", found, "one output of each system for a prompt", "Leave one out."
    if bool(output.text.strip()) == (output.picture is not None):
        found = "both a text and a picture" if output.picture is not None else "an empty output"
        return "text", found, "a text or a picture", "Give one of them."
    return None
