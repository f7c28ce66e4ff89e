"""What a study kind is: everything howgood asks about one, in one record.

In: functions of a study and of a person's answers. Out: `Kind`. Absent: the kinds themselves (one
package each) and what is the same for all of them: consent, questions about the person, thanks.

A new kind is a package that makes a `Kind`, and one line in `kind_registry`. Nothing else in
howgood compares the names of kinds.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from howgood.errors import InputError
from howgood.kinds.plan import Picture, Plan
from howgood.kinds.questions import Question
from howgood.kinds.rules import Rule
from howgood.kinds.screen_parts import Step
from howgood.kinds.study import Study
from howgood.kinds.table_import import TableImport
from howgood.kinds.task_export import OfflineTask, TaskExport
from howgood.records.answer_checks import AnswerChecks
from howgood.records.codebook import Batch, Column
from howgood.records.progress import Progress
from howgood.records.record import Path, Problem
from howgood.records.screen import Answer, AnswerValue, Participation, Screen

if TYPE_CHECKING:  # what fits need is loaded when one runs, not when a server starts
    from howgood.kinds.fit import Cards, FitOption, Sample
    from howgood.records.live_board import LiveBoard
    from howgood.records.result import StudyResult
    from howgood.records.table import Table

Row = dict[str, AnswerValue | bool]
# Reads the table in a file of the study's folder.
OpenTable = Callable[[str], Any]
# The condition of everybody, where a study has no branches.
EVERYBODY = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTemplate:
    """A study to begin with: what researchers read about it, and its values as in a study file."""

    key: str
    title: str
    about: str
    content: Callable[[], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SituationGrid:
    """The situations that levels make: a row per recall, a cell per precision.

    A cell is its text and whether another cell says the same, in whole counts.
    """

    precision: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, bool], ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedTask:
    """What a kind says whose next page depends on what everybody has answered so far.

    `screens` is how the names of the screens begin whose answers count. `summary` makes of them
    what `steps` takes in place of the person's own answers alone; both are pure.
    """

    screens: str
    summary: Callable[[Study, Iterable[Mapping[str, AnswerValue]]], Any]
    steps: Callable[[Study, str, int, Mapping[str, Answer], datetime, Any], Sequence[Step]]


def packaged_template(package: str) -> Callable[[], str]:
    """Return what reads the file `template.toml` of a package."""
    return lambda: (files(package) / "template.toml").read_text(encoding="utf-8")


def _no_templates() -> tuple[StudyTemplate, ...]:
    return ()


def _no_files(
    plan: dict[str, Any], open_table: OpenTable, problems: list[Problem]
) -> frozenset[str]:
    return frozenset()


def _no_problems(study: Study) -> list[Problem]:
    return []


def _no_advice(study: Study) -> Iterable[str]:
    return ()


def _one_condition(study: Study) -> tuple[str, ...]:
    return (EVERYBODY,)


def _no_quotas(study: Study) -> Mapping[str, int | None]:
    return {}


def _no_rules(study: Study) -> Iterable[tuple[Path, tuple[Rule, ...]]]:
    return ()


def _no_facts(study: Study, participation: Participation) -> Row:
    return {}


def _no_checks(study: Study, participation: Participation) -> bool | None:
    return None


def _no_answer_checks(study: Study, participation: Participation) -> AnswerChecks:
    return AnswerChecks()


def _no_columns(study: Study) -> Iterable[Column]:
    return ()


def _no_questions(study: Study) -> tuple[Question, ...]:
    return ()


def _no_pictures(study: Study) -> Iterable[Picture]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedInUse:
    """What can be asked about inside a product: applications by key, and the scale of ratings."""

    applications: Mapping[str, str]
    points: int
    cut: int


def _not_in_use(study: Study) -> AskedInUse | None:
    return None


def _no_grid(study: Study) -> SituationGrid | None:
    return None


def _no_small_task(study: Study) -> bool:
    return False


def _no_pause(study: Study) -> float:
    return 0.0


def _no_names(study: Study) -> tuple[str, ...]:
    return ()


def _no_options(study: Study, cards: "Cards") -> tuple["FitOption", ...]:
    return ()


def _no_settings(study: Study, chosen: Mapping[str, str], cards: "Cards") -> dict[str, Any]:
    return {}


def _no_ratings(sample: "Sample") -> "Table":
    raise InputError(
        where="systems",
        found="a study without ratings of items",
        needed="a study in which people rate the same items again",
        cure="Judge a classifier instead.",
    )


def _is_task(screen: Screen) -> bool:
    return screen.kind == "task"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of study, as functions; those with a default need not be given.

    Study files. `plan` is what the table of the kind may say. `title` and `about` introduce the
    kind to researchers, `template` is a study file that runs as it is, `more_templates` are others
    to begin with. `fill_from_files` puts in what
    the files named under `file_keys` hold, and returns the keys that stay empty because a file is
    wrong. `problems` are what would break a screen though each value is right; `advice` is what
    experience says. `text_keys` are the fixed keys of tables of texts, by the name of the table.

    Taking part. `steps` (study, condition, seed, answers by screen, now) returns the steps of the
    task as far as the answers decide them, and is pure: the same arguments, the same steps.
    `conditions` are what people are assigned to, `quotas` how many a condition takes at most;
    `task_rules` are rules on answers before the task, with their places in the study file.
    `pause_minutes` is how long the task itself makes people wait. `computes_steps` says that
    `steps` takes real computation, so that a server does not hold others up meanwhile; `shared`
    is there where the next page depends on everybody's answers (`steps` alone then is for
    previews); `is_small_task` says that every task of the same person is a participation of its
    own, in another condition; `hides_answers` that people must not see their earlier answers again,
    `can_go_back` that a study may let people change them. `is_task` recognises the screens
    that the task is about, `pictures` are those it shows, `situations` the grid that its
    levels make.

    Data. `rows` yields one row per judgement, ready for `learn`, and `answer_columns` what they
    hold, in order; `batch` is the same rows of several people by column, for kinds of which
    millions are exported, with their `participant`.
    `rating_columns` names those of them that are judgements on one scale, `choice_columns` those
    that say which side was chosen.
    `person_facts` and `person_columns` are the same for one row about the person;
    `own_questions` are questions that the task itself asks about the person,
    `facilitator_questions` those that somebody who sits next to them asks. `passed_checks` says
    whether somebody passed every attention check they saw, None if they saw none. `answer_checks`
    is what a person's answers say about each other: contradictions, attention checks, repetitions.

    Other programs. `task_export` is the task as fixed pages, `offline_task` what the page needs
    that runs without a server (`asks_offline_differently`: by other pairs, as nothing is computed
    there), `tables` how answers are read from tables; None: not possible.
    `study_of_table` (table, its name) returns the text of a study file about a table.
    `preferences` yields what a person chose over what, one mapping each.

    Results. `result` (sample, study, settings, progress) fits the answers; `fit_options` is what
    may be chosen before, and `fit_settings` checks what was. `judges` is what can be uploaded to be
    judged by the people of a study: a classifier, seeing `judges_by`, or systems that are ranked on
    `repeated_ratings` (columns user, item, trial, rating). `live_board` is what the page of a
    running study shows of the result so far; None while there is nothing to show. `asked_in_use`
    says what people can be asked about inside a product; None: nothing. `usual_people` is how many
    people such a study usually asks.
    """

    name: str
    plan: type[Plan]
    title: str
    about: str
    template: Callable[[], str]
    more_templates: Callable[[], tuple[StudyTemplate, ...]] = _no_templates
    file_keys: tuple[str, ...] = ()
    fill_from_files: Callable[[dict[str, Any], OpenTable, list[Problem]], frozenset[str]] = (
        _no_files
    )
    problems: Callable[[Study], list[Problem]] = _no_problems
    advice: Callable[[Study], Iterable[str]] = _no_advice
    text_keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    steps: Callable[[Study, str, int, Mapping[str, Answer], datetime], Sequence[Step]]
    conditions: Callable[[Study], tuple[str, ...]] = _one_condition
    quotas: Callable[[Study], Mapping[str, int | None]] = _no_quotas
    task_rules: Callable[[Study], Iterable[tuple[Path, tuple[Rule, ...]]]] = _no_rules
    pause_minutes: Callable[[Study], float] = _no_pause
    computes_steps: bool = False
    shared: SharedTask | None = None
    is_small_task: Callable[[Study], bool] = _no_small_task
    hides_answers: bool = False
    can_go_back: bool = False
    is_task: Callable[[Screen], bool] = _is_task
    situations: Callable[[Study], SituationGrid | None] = _no_grid
    pictures: Callable[[Study], Iterable[Picture]] = _no_pictures
    rows: Callable[[Study, Participation], Iterable[Row]]
    batch: Callable[[Study, Sequence[Participation]], Batch] | None = None
    answer_columns: Callable[[Study], Iterable[Column]]
    rating_columns: Callable[[Study], tuple[str, ...]] = _no_names
    choice_columns: tuple[str, ...] = ()
    person_facts: Callable[[Study, Participation], Row] = _no_facts
    person_columns: Callable[[Study], Iterable[Column]] = _no_columns
    own_questions: Callable[[Study], tuple[Question, ...]] = _no_questions
    facilitator_questions: Callable[[Study], tuple[Question, ...]] = _no_questions
    passed_checks: Callable[[Study, Participation], bool | None] = _no_checks
    answer_checks: Callable[[Study, Participation], AnswerChecks] = _no_answer_checks
    task_export: Callable[[Study], TaskExport] | None = None
    offline_task: Callable[[Study], OfflineTask] | None = None
    asks_offline_differently: bool = False
    tables: TableImport | None = None
    study_of_table: Callable[[Any, str], str] | None = None
    preferences: Callable[[Study, Participation], Iterable[Mapping[str, Any]]] | None = None
    fit_options: "Callable[[Study, Cards], tuple[FitOption, ...]]" = _no_options
    fit_settings: "Callable[[Study, Mapping[str, str], Cards], dict[str, Any]]" = _no_settings
    result: "Callable[[Sample, Study, Mapping[str, Any], Progress], StudyResult]"
    judges: Literal["classifier", "systems"] = "classifier"
    judges_by: str = ""
    repeated_ratings: "Callable[[Sample], Table]" = _no_ratings
    live_board: "Callable[[Sample, Study], LiveBoard | None] | None" = None
    asked_in_use: Callable[[Study], AskedInUse | None] = _not_in_use
    usual_people: int = 25
