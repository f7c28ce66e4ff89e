"""Use cases of metric elicitation: start, resume, replay or simulate an interview.

In: paths and settings. Out: `Interview`, answered as far as somebody answers. Absent: printing,
reading keys (see `cli.elicit`).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from howgood import ask, decide, learn
from howgood.ask.row_numbers import with_rows_as_in_file
from howgood.errors import FileFormatError, InputError
from howgood.flow.decisions import positives
from howgood.flow.files import read_json
from howgood.learn.elicitation.elicitor import Elicitor
from howgood.learn.elicitation.family_registry import DEFAULT_FAMILIES, FAMILIES
from howgood.learn.elicitation.matrices import OutOf, check_finite
from howgood.records.calibration import CalibrationReport
from howgood.records.comparison import ComparisonWording
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicitation import ElicitationResult, Query
from howgood.records.elicited_metric import Choice, ElicitedMetric
from howgood.records.table import as_numbers, frame_columns
from howgood.show import elicitation as show
from howgood.show.text import to_json
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState
from howgood.writing import write_text

Reply = Literal["first", "second", "same", "undo", "stop"]
# What is typed for each reply; nothing typed stops.
KEYS: dict[str, Reply] = {
    "1": "first", "2": "second", "0": "same", "u": "undo", "q": "stop", "": "stop",
}  # fmt: skip
WEIGHTS_LOG = "howgood criteria log"
KEYS_HELP = "[1] A   [2] B   [0] no preference   [u] undo   [?] what errors mean   [q] stop"
Respondent = Callable[[ConfusionMatrix, ConfusionMatrix], Choice]
UserInterface = Literal["browser", "notebook", "terminal"] | Respondent


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """An elicitation under way, and how well the scores behind it are calibrated.

    `direct_after` is the respondent's own guess of the ratio once the choices are over; the guess
    before them is a setting of the elicitor, since it shapes the prior. `positive` is the label
    that counts as positive.
    """

    elicitor: Elicitor
    calibration: CalibrationReport | None
    direct_after: float | None = None
    positive: Any = 1

    @property
    def direct_before(self) -> float | None:
        """The respondent's own guess of the ratio before the choices."""
        ratio: float | None = self.elicitor.settings["direct_ratio"]
        return ratio

    def result(self) -> ElicitationResult:
        """Return what the answers so far say, about these labels."""
        return replace(self.elicitor.result(), positive=self.positive)

    def to_dict(self) -> dict[str, object]:
        """Return the result and the direct answers as plain values, ready for JSON."""
        direct = {"before": self.direct_before, "after": self.direct_after}
        return self.result().to_dict() | {"direct": direct}


@with_rows_as_in_file
def start(
    scores: Path,
    *,
    truth: str,
    score: str,
    positive: str = "1",
    families: Sequence[str] = DEFAULT_FAMILIES,
    direct_ratio: float | None = None,
    held_out: int = 0,
    max_queries: int = 25,
    checks: bool = True,
    recalibrate: bool = False,
    random_state: int | None = None,
) -> Interview:
    """Open a table of labels and scores and prepare an interview about its thresholds."""
    columns = frame_columns(ask.open_table(scores), [truth, score], where=str(scores))
    labels = positives(columns[truth], positive, where=f"{scores}, column {truth!r}")
    values = _numbers_of(columns[score], column=score, where=str(scores))
    try:
        if recalibrate:
            values = learn.fit_recalibration(labels, values)(values)
        matrices = learn.threshold_matrices(labels, values, out_of="auto")
    except InputError as error:
        # Whoever passed a file is helped by its name, not by that of a function.
        error.found_in(f"{scores}, columns {truth!r} and {score!r}")
        raise
    elicitor = Elicitor(
        matrices,
        families=families,
        direct_ratio=direct_ratio,
        held_out=held_out,
        max_queries=max_queries,
        min_queries=min(6, max_queries),
        catch_pairs=6 if checks else 0,
        repeats=2 if checks else 0,
        random_state=random_state,
    )
    report = learn.calibration_report(labels, values, random_state=elicitor.seed)
    is_number = np.asarray(columns[truth]).dtype.kind in "biuf"
    return Interview(
        elicitor=elicitor,
        calibration=report,
        positive=_number_or_text(positive) if is_number else positive.strip(),
    )


def _number_or_text(label: str) -> object:
    """Return the number that a label is, 1 for "true"."""
    if label.strip().lower() == "true":
        return 1
    try:
        number = float(label)
    except ValueError:
        return label.strip()
    return int(number) if number.is_integer() else number


def elicit(
    classifier: Any = None,  # noqa: ANN401 - any scikit-learn classifier
    X: Any = None,  # noqa: ANN401, N803 - whatever the classifier takes, by scikit-learn's name
    y: Any = None,  # noqa: ANN401 - labels
    *,
    scores: Any = None,  # noqa: ANN401 - probabilities
    ui: UserInterface = "browser",
    out_of: OutOf = "auto",
    resume: str | Path | None = None,
    pos_label: object = None,
    missing: Literal["error", "drop"] = "error",
    groups: Any = None,  # noqa: ANN401 - an array
    wording: ComparisonWording | None = None,
    random_state: RandomState = None,
    **settings: Any,  # noqa: ANN401 - the elicitor's
) -> Any:  # noqa: ANN401 - ElicitationResult, of more classes or groups WeightsResult
    """Ask somebody what the errors of a classifier cost, and return the metric that says so.

    Parameters
    ----------
    classifier : object
        A fitted classifier with `predict_proba`, a pipeline too. With more than two classes the
        question is what a right answer on each class is worth.
    X, y : arrays
        Cases it was not trained on, and their labels, numbers or text.
    scores : array, optional
        Instead of classifier and X: probabilities of the positive class, or a column per class of
        0, 1, 2 and so on.
    ui : {"browser", "notebook", "terminal"} or callable
        Where to ask: on a page of this machine, or by typing. A function of two
        `ConfusionMatrix` that returns "first", "second" or "same" answers by itself.
    out_of : int or "auto"
        As in `threshold_matrices`.
    resume : path, optional
        Where to keep the interview; begun there before, it goes on.
    pos_label : object, optional
        The label that counts as positive; without, a classifier's second class, else 1.
    missing : {"error", "drop"}
        What to do about cases without a label or a score: refuse, or leave them out.
    groups : array, optional
        The group of each case: asks how much differences between groups should count.
    wording : ComparisonWording, optional
        The words of the questions.
    random_state : None, int or Generator
        Decides sides, checks and held-out questions.
    **settings
        Go to `Elicitor`: families, max_queries and so on.

    Returns
    -------
    ElicitationResult
        With `.fits`, `.metric`, `.interval`, `.agreement`, `.scorer()`, `.threshold(y, scores)`,
        `.plot()` and `.save(path)`; for more classes or groups `WeightsResult`, with `.weights`,
        `.metric`, `.fits`, `.agreement`, `.rule()`, `.scorer()` and `.save(path)`.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> import numpy as np
    >>> from howgood import score
    >>> rng = np.random.default_rng(1)
    >>> chance = rng.beta(0.5, 0.9, 1000)
    >>> ill = np.where(rng.random(1000) < chance, "ill", "well")
    >>> person = score.LinearMetric(a0=0.2).prefers
    >>> result = elicit(scores=chance, y=ill, pos_label="ill", ui=person, random_state=1)
    >>> result.fits, 0.2 in result.interval
    (True, True)
    """
    if groups is not None or _n_classes(classifier, scores) > 2:
        _refuse_dropping(missing)
        # These interviews are built on this module; they are found when asked for.
        weighing = import_module("howgood.flow.elicit_criteria")
        labels = None if scores is not None else [_plain(label) for label in classifier.classes_]
        chances = classifier.predict_proba(X) if scores is None else scores
        if groups is not None and scores is None:
            chances = decide.positive_scores(classifier, X, pos_label=pos_label)
        positive = pos_label if pos_label is not None else labels[1] if labels else 1
        return weighing.elicit_weights(
            y, chances, labels=labels, groups=groups, positive=positive, ui=ui, out_of=out_of,
            resume=resume, random_state=random_state, **settings,
        )  # fmt: skip
    if scores is None:
        positive = _second_class(classifier) if pos_label is None else pos_label
        matrices = learn.classifier_matrices(
            classifier, X, y, out_of=out_of, pos_label=positive, missing=missing
        )
    else:
        positive = 1 if pos_label is None else pos_label
        matrices = learn.threshold_matrices(
            y, scores, out_of=out_of, pos_label=positive, missing=missing
        )
    interview = Interview(
        elicitor=Elicitor(matrices, random_state=random_state, **settings),
        calibration=None,
        positive=positive,
    )
    log = None if resume is None else Path(resume)
    if log is not None and log.exists():
        interview = _resumed(log, interview)
    asked = _asked(interview, ui, wording or ask.GENERIC_WORDING, log)
    return replace(asked, positive=positive).result()


def _refuse_dropping(missing: str) -> None:
    if missing != "error":
        raise InputError(
            where="elicit",
            found=f"missing = {missing!r:.60} with several classes or groups",
            needed="cases that are complete",
            cure="Leave incomplete cases out before.",
        )


def _second_class(classifier: Any) -> object:  # noqa: ANN401 - any scikit-learn classifier
    classes = list(getattr(classifier, "classes_", ()))
    if len(classes) != 2:
        raise InputError(
            where="elicit",
            found=f"a {type(classifier).__name__} with {len(classes)} known classes",
            needed="a fitted classifier of two classes, or scores",
            cure="Fit it first, or pass scores= and y=.",
        )
    return _plain(classes[1])


def _plain(label: Any) -> object:  # noqa: ANN401 - a label of any kind
    """Return a label as a plain value: numpy's own do not survive a file."""
    plain: object = label.item() if hasattr(label, "item") else label
    return plain


def _n_classes(classifier: Any, scores: Any) -> int:  # noqa: ANN401 - a classifier, or scores
    if scores is None:
        return len(getattr(classifier, "classes_", ()))
    shape = np.shape(scores)
    return shape[1] if len(shape) == 2 else 2


def _resumed(log: Path, fresh: Interview) -> Interview:
    return resume(log, of=fresh)


def _asked(
    interview: Interview, ui: UserInterface, words: ComparisonWording, log: Path | None
) -> Interview:
    """Put the questions where they are wanted."""
    if callable(ui):
        hold(interview, lambda query: ui(query.first, query.second), log=log, clock=None)
        return interview
    if ui in ("terminal", "notebook"):
        most = interview.elicitor.most_questions
        hold(interview, lambda query: _typed(query, words, most), log=log)
        return interview
    if ui != "browser":
        raise InputError(
            where="elicit",
            found=f"ui = {ui!r:.60}",
            needed='"browser", "notebook", "terminal", or a function that answers',
            cure="Leave it out to ask in the browser.",
        )
    if interview.elicitor.query() is None:
        return interview
    # The page is served by the web application, a layer above: it is found by name.
    answered: Interview = import_module("howgood.cli.elicit").answered_in_browser(
        interview, words, log
    )
    return answered


def _typed(query: Query, words: ComparisonWording, most: int) -> Reply:
    """Print one question and read the answer, in a terminal or a notebook alike."""
    print(f"\n{show.question_text(query, words, most=most)}\n{KEYS_HELP}")
    while True:
        key = input("> ").strip().lower()[:1]
        if key in KEYS:
            return KEYS[key]
        print(show.cost_text(words) if key == "?" else KEYS_HELP)


def _numbers_of(values: NDArray[Any], *, column: str, where: str) -> FloatArray:
    cure = "Name the column of scores with --score."
    numbers = as_numbers(values, where=f"{where}, column {column!r}", cure=cure)
    try:
        check_finite(numbers, column=column, where=where)
    except InputError as error:
        # An interview has no option to leave rows out: a person is asked about all of them.
        error.cured_by("Fill them in, or remove these rows from the file.")
        raise
    return numbers


def resume(log: Path, *, of: Interview | None = None) -> Interview:
    """Take up an interview from its log; `of` is the interview its scores would start.

    Scores that lead to other systems than the log's are refused: the result would be taken for
    theirs.
    """
    logged = read_log(log)
    if logged.get("format") == WEIGHTS_LOG:
        raise FileFormatError(
            where=str(log),
            found="an interview about classes, groups, criteria or forecasts",
            needed="the table it was about, and its options",
            cure="For instance: howgood elicit SCORES --classes p_a,p_b,p_c --replay LOG.",
        )
    after = logged.get("direct_after")
    try:
        elicitor = learn.replay(logged)
    except InputError as error:
        error.found_in(error.where.replace("elicitation log", str(log)))
        raise
    if of is not None and tuple(of.elicitor.matrices) != tuple(elicitor.matrices):
        raise InputError(
            where=str(log),
            found="an interview about other systems than these scores lead to",
            needed="the scores, columns and settings the log was begun with",
            cure="Name another --log to begin anew, or leave SCORES out to go on with this one.",
        )
    return Interview(
        elicitor=elicitor,
        calibration=of.calibration if of is not None else None,
        direct_after=float(after) if isinstance(after, float | int) and 0 < after < 1e300 else None,
        positive=of.positive if of is not None else logged.get("positive", 1),
    )


def expecting(interview: Interview, ratio: float) -> Interview:
    """Return the same interview, not yet begun, with the respondent's own guess as its prior."""
    asked = interview.elicitor
    settings = asked.settings | {"direct_ratio": ratio}
    return replace(
        interview, elicitor=Elicitor(asked.matrices, random_state=asked.seed, **settings)
    )


def hold(
    interview: Interview,
    reply: Callable[[Query], Reply],
    *,
    log: Path | None = None,
    clock: Callable[[], float] | None = time.monotonic,
) -> None:
    """Put question after question to `reply` until all are answered or it says "stop".

    The log is written after every answer, so that nothing is lost when the power goes. It holds
    how long each answer took by `clock` (None: a simulation takes no time); nothing else depends
    on that.
    """
    elicitor = interview.elicitor
    while (query := elicitor.query()) is not None:
        shown = clock() if clock else 0.0
        said = reply(query)
        if said == "stop":
            break
        if said == "undo":
            elicitor.undo()
        else:
            elicitor.answer(said, milliseconds=round(1000 * (clock() - shown)) if clock else None)
        if log is not None:
            write_log(interview, log)
    if log is not None:
        write_log(interview, log)


def write_log(interview: Interview, path: Path) -> None:
    """Write the whole interview as JSON that only its owner can read: somebody's answers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    named = {"positive": interview.positive}
    log = learn.elicitation_log(interview.elicitor)
    log |= {"direct_after": interview.direct_after, "result": log["result"] | named, **named}
    write_text(path, to_json(log), private=True)


def read_log(path: Path) -> dict[str, object]:
    """Return what a log file holds."""
    needed = "a log that howgood elicit wrote"
    content = read_json(path, needed=needed)
    if not isinstance(content, dict):
        raise FileFormatError(
            where=str(path),
            found=f"a JSON {type(content).__name__}",
            needed=needed,
            cure="Check the path.",
        )
    return content


def read_wording(path: Path | None) -> ComparisonWording:
    """Return the words of a JSON file, or general ones."""
    if path is None:
        return ask.GENERIC_WORDING
    return ComparisonWording.from_dict(dict(read_log(path)))


def simulated_respondent(description: str, *, random_state: int | None) -> Respondent:
    """Return the respondent that "a0=.2,noise=.1" describes.

    The parameters of a family's metric (`a0`, `beta`, `cap` and so on) say what they value; `noise`
    is the share of answers the wrong way round, `sensitivity` how sharply they see differences.

    Examples
    --------
    >>> callable(simulated_respondent("beta=2,noise=.1", random_state=1))
    True
    """
    given = _numbers(description)
    flips, sensitivity = given.pop("noise", 0.0), given.pop("sensitivity", None)
    for parameters, metric_class in _simulated_metrics().items():
        if set(parameters) == set(given):
            return ask.simulate_respondent(
                metric_class(**given),
                flips=flips,
                sensitivity=sensitivity,
                random_state=random_state,
            )
    raise _wrong_simulation(description)


def _simulated_metrics() -> dict[tuple[str, ...], type[ElicitedMetric]]:
    """Return the families' metrics by the names of their parameters, where these are numbers."""
    classes = [family.metric_class for family in FAMILIES.values()]
    wanted = {class_: signature(class_).parameters for class_ in classes}
    return {
        tuple(parameters): metric_class
        for metric_class, parameters in wanted.items()
        if all(parameter.annotation is float for parameter in parameters.values())
    }


def _numbers(description: str) -> dict[str, float]:
    pairs = [part.partition("=") for part in description.split(",")]
    try:
        return {name.strip(): float(value) for name, _, value in pairs}
    except ValueError as error:
        raise _wrong_simulation(description) from error


def _wrong_simulation(description: str) -> InputError:
    return InputError(
        where="--simulate",
        found=repr(description),
        needed="the numbers of one metric ("
        + ", or ".join("=, ".join(names) + "=" for names in _simulated_metrics())
        + "), and perhaps noise= and sensitivity=",
        cure="For instance: --simulate a0=.2,noise=.1",
    )
