"""Can the rules of a study ever hold? Checked before anybody takes part.

In: a study. Out: problems with the place of each. Absent: whether a rule holds (`rules`).

A rule is followed to what it depends on: whoever is asked a question met its rules, and the rules
of the questions those name. What is left of the possible answers to each question must not be
empty, those of people who are screened out at once taken away.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from howgood.kinds.question_pages import piped_in
from howgood.kinds.questions import Question, question_type
from howgood.kinds.rules import PIPED, Rule, wants_answer
from howgood.kinds.study import Study
from howgood.records.record import Path, Problem
from howgood.records.screen import Field


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question by the name of its answer: where it stands, how it is filled in, who is asked."""

    place: int
    field: Field
    rules: tuple[Rule, ...]
    is_sure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Possible:
    """Answers that are possible: of these options (None: any text), or between two numbers."""

    options: frozenset[str] | None
    low: float = -math.inf
    high: float = math.inf
    nothing: bool = True

    @property
    def is_empty(self) -> bool:
        return not self.nothing and (self.low > self.high or self.options == frozenset())


TaskRules = Iterable[tuple[Path, tuple[Rule, ...]]]


def logic_problems(study: Study, task_rules: TaskRules = ()) -> list[Problem]:
    """Return rules that name nothing, and what nobody could ever reach.

    `task_rules` are those of the study's kind: they hold or not once the task begins.
    """
    asked = _asked(study)
    problems = _block_problems(study) + _piping_problems(study, asked)
    before = len(study.demographics)
    of_task = ((path, rules, before) for path, rules in task_rules)
    for path, rules, place in (*_places(study), *of_task):
        wrong = [
            problem
            for index, rule in enumerate(rules)
            for problem in _rule_problems(rule, (*path, index), place, asked)
        ]
        problems += wrong or _reach_problems(path, rules, asked, study)
    return problems + _quota_problems(study)


def _asked(study: Study) -> dict[str, _Asked]:
    """Return every question by the names of its answers, in the order of the study file."""
    subsets = {block.key for block in study.blocks if block.show is not None}
    return {
        field.name: _Asked(
            place=place,
            field=field,
            rules=question.show_if,
            is_sure=question.required and not question.show_if and question.block not in subsets,
        )
        for place, question in enumerate((*study.demographics, *study.closing))
        for field in question_type(question).fields(question, "en")
    }


def _places(study: Study) -> Iterable[tuple[Path, tuple[Rule, ...], int]]:
    """Yield every list of rules: its path, its rules, and the question it stands before."""
    place = 0
    for section in ("demographics", "closing"):
        questions: tuple[Question, ...] = getattr(study, section)
        for index, question in enumerate(questions):
            yield (section, index, "show_if"), question.show_if, place
            place += 1
    for index, rule in enumerate(study.screen_outs):
        yield ("screen_outs", index, "when"), rule.when, place
    for index, quota in enumerate(study.quotas):
        yield ("quotas", index, "when"), quota.when, place


def _rule_problems(
    rule: Rule, path: Path, place: int, asked: Mapping[str, _Asked]
) -> list[Problem]:
    source = asked.get(rule.question)
    if source is None or source.place >= place:
        earlier = [name for name, other in asked.items() if other.place < place]
        return [
            Problem(
                path=(*path, "question"),
                found=repr(rule.question) + ("" if source is None else ", which is asked later"),
                needed=f"the key of an earlier question: {', '.join(earlier) or 'there is none'}",
                cure="Correct it, or move the question.",
            )
        ]
    says_something = rule.any_of or rule.none_of or rule.answered is not None
    if not says_something and rule.at_least is None and rule.at_most is None:
        return [
            Problem(
                path=path,
                found="a rule that wants nothing",
                needed="any_of, none_of, at_least, at_most or answered",
                cure="Say which answers it holds for.",
            )
        ]
    return _option_problems(rule, path, source.field)


def _option_problems(rule: Rule, path: Path, field: Field) -> list[Problem]:
    known = [option.value for option in field.options if option.value]
    if not known:
        return []
    return [
        Problem(
            path=(*path, name, index),
            found=repr(value),
            needed=f"an answer to {field.name!r}: {', '.join(known)}",
            cure="Correct it.",
        )
        for name in ("any_of", "none_of")
        for index, value in enumerate(getattr(rule, name))
        if value not in known
    ]


def _reach_problems(
    path: Path, rules: tuple[Rule, ...], asked: Mapping[str, _Asked], study: Study
) -> list[Problem]:
    """Return a problem if nobody could ever meet these rules."""
    if not rules:
        return []
    is_asked = path[0] not in ("screen_outs", "quotas")
    every = list(_with_origins(rules, asked))
    # Who is screened out by one answer never comes to a question, nor is counted.
    outs = [out.when[0] for out in study.screen_outs if len(out.when) == 1]
    left_out = outs if is_asked or path[0] == "quotas" else []
    for name in dict.fromkeys(rule.question for rule in every):
        possible = _all_of(asked[name].field)
        for rule in every:
            possible = _narrowed(possible, rule) if rule.question == name else possible
        for rule in left_out:
            possible = _without(possible, rule) if rule.question == name else possible
        if possible.is_empty:
            return [
                Problem(
                    path=path,
                    found=f"rules that no answer to {name!r} can meet",
                    needed="rules that somebody can meet who is not screened out",
                    cure="Change the rules, or remove what nobody can reach.",
                )
            ]
    return []


def _with_origins(
    rules: Iterable[Rule], asked: Mapping[str, _Asked], depth: int = 50
) -> Iterable[Rule]:
    """Yield rules and those of the questions they name; who is not asked gives no answer."""
    for rule in rules:
        yield rule
        if wants_answer(rule) and depth:
            yield from _with_origins(asked[rule.question].rules, asked, depth - 1)


def _all_of(field: Field) -> _Possible:
    options = frozenset(option.value for option in field.options if option.value)
    numbers = [float(value) for value in options if value.isdecimal()]
    if options and len(numbers) < len(options):
        return _Possible(options=options, nothing=not field.required)
    low = min(numbers) if numbers else field.minimum
    high = max(numbers) if numbers else field.maximum
    return _Possible(
        options=options or None,
        low=-math.inf if low is None else low,
        high=math.inf if high is None else high,
        nothing=not field.required,
    )


def _narrowed(possible: _Possible, rule: Rule) -> _Possible:
    """Return what is left of the possible answers if a rule holds."""
    options, low, high = possible.options, possible.low, possible.high
    if options is not None:
        options = options & frozenset(rule.any_of) if rule.any_of else options
        options = options - frozenset(rule.none_of)
    return replace(
        possible,
        options=options,
        low=max(low, rule.at_least) if rule.at_least is not None else low,
        high=min(high, rule.at_most) if rule.at_most is not None else high,
        nothing=possible.nothing and not wants_answer(rule),
    )


def _without(possible: _Possible, rule: Rule) -> _Possible:
    """Return what is left if a rule ends the visit; rules of several sorts are left alone."""
    if rule.any_of and possible.options is not None:
        return replace(possible, options=possible.options - frozenset(rule.any_of))
    # Just above or below: 17 and less are screened out, 17.5 is not.
    if rule.at_most is not None and rule.at_least is None:
        return replace(possible, low=max(possible.low, math.nextafter(rule.at_most, math.inf)))
    if rule.at_least is not None and rule.at_most is None:
        return replace(possible, high=min(possible.high, math.nextafter(rule.at_least, -math.inf)))
    return possible


def _quota_problems(study: Study) -> list[Problem]:
    return [
        Problem(
            path=("quotas", index, "people"),
            found=str(quota.people),
            needed=f"at most {study.quota}, the quota of the whole study",
            cure="Lower it, or raise the quota of the study: it could never fill.",
        )
        for index, quota in enumerate(study.quotas)
        if study.quota is not None and quota.people > study.quota
    ]


def _block_problems(study: Study) -> list[Problem]:
    known = {block.key for block in study.blocks}
    sections = {"demographics": study.demographics, "closing": study.closing}
    problems = [
        Problem(
            path=(section, index, "block"),
            found=repr(question.block),
            needed=f"the key of a block: {', '.join(sorted(known)) or 'there is none'}",
            cure="Add it under [[blocks]], or correct the name.",
        )
        for section, questions in sections.items()
        for index, question in enumerate(questions)
        if question.block and question.block not in known
    ]
    sizes = {
        key: sum(question.block == key for questions in sections.values() for question in questions)
        for key in known
    }
    for index, block in enumerate(study.blocks):
        size = sizes[block.key]
        if not size:
            problems.append(
                Problem(
                    path=("blocks", index, "key"),
                    found=f"{block.key!r}, which no question names",
                    needed="the block of at least one question",
                    cure="Correct it, or remove the block.",
                )
            )
        elif (block.show or 0) > size:
            problems.append(
                Problem(
                    path=("blocks", index, "show"),
                    found=str(block.show),
                    needed=f"at most {size}, the number of its questions",
                    cure="Lower it, or leave it out to show all of them.",
                )
            )
    return problems


def _piping_problems(study: Study, asked: Mapping[str, _Asked]) -> list[Problem]:
    """Return earlier answers that a question repeats and that may not be there."""
    before = len(study.demographics)
    places = [
        *(
            (("demographics", index), index, one_question)
            for index, one_question in enumerate(study.demographics)
        ),
        *(
            (("closing", index), before + index, one_question)
            for index, one_question in enumerate(study.closing)
        ),
    ]
    problems = []
    for path, place, question in places:
        for name in sorted(piped_in(question)):
            source = asked.get(name)
            if source is None or source.place >= place:
                problems.append(_piping_problem((*path, "text"), name, is_earlier=False))
            elif not source.is_sure and not _has_fallback(question, name):
                problems.append(_piping_problem((*path, "text"), name, is_earlier=True))
    return problems


def _has_fallback(question: Question, name: str) -> bool:
    parts = question_type(question).parts(question)
    texts = (question.text, question.help, *(part.text for part in parts))
    return all(match[2] for text in texts for match in PIPED.finditer(text) if match[1] == name)


def _piping_problem(path: Path, name: str, *, is_earlier: bool) -> Problem:
    if not is_earlier:
        return Problem(
            path=path,
            found=f"{{answer.{name}}}",
            needed="the key of an earlier question",
            cure="Correct it, or move the question.",
        )
    return Problem(
        path=path,
        found=f"{{answer.{name}}}, an answer that may be missing",
        needed="words for people without one",
        cure=f"Write {{answer.{name}|something}}, or make that question required.",
    )
