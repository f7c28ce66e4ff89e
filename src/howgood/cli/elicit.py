"""`howgood elicit`: an interview in the terminal or the browser, from choices to a threshold.

In: a table of scores (of two classes, of more, or of groups), or a log. Out: questions, findings,
JSON, a picture, a report, a log, a saved result. Absent: choosing questions (see `learn`), the page
(see `web`).
"""

import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from howgood.ask.comparison import DIRECT_LEAST, DIRECT_MOST, direct_question, direct_weight
from howgood.cli import criteria
from howgood.cli.knowledge import say
from howgood.cli.options import (
    column_option,
    file_option,
    interview_options,
    report_options,
    write_report,
)
from howgood.cli.private_page import private_page
from howgood.cli.web_extra import need_web
from howgood.errors import InputError
from howgood.flow import elicit as flow
from howgood.flow import elicit_criteria
from howgood.flow.elicit import Interview, write_log
from howgood.learn.elicitation.family_registry import DEFAULT_FAMILIES
from howgood.records.comparison import ComparisonWording
from howgood.records.elicitation import Query, WeightsResult
from howgood.show import elicitation as show
from howgood.show import text
from howgood.show import weights as words_of_weights

if TYPE_CHECKING:
    pass


def answered_in_browser(
    interview: Interview, words: ComparisonWording, log: Path | None
) -> Interview:
    """Open the page, wait until all is answered or Ctrl+C, and return what was answered."""
    need_web("howgood elicit --browser")
    from howgood.flow import elicit_in_browser as browser

    def keep(seat: browser.Seat) -> None:
        if log is not None:
            write_log(browser.interview_so_far(seat, interview), log)

    with private_page(
        lambda database: browser.interview_seat(interview, words, database), keep
    ) as seat:
        keep(seat)
        return browser.interview_so_far(seat, interview)


@click.command("elicit")
@click.argument("scores", type=click.Path(path_type=Path), required=False)
@column_option("--truth", "true labels.", default="y_true")
@column_option("--score", "probabilities of the positive label.", default="score")
@click.option(
    "--positive", metavar="LABEL", default="1", show_default=True, help="The positive label."
)
@click.option(
    "--classes", metavar="COLUMNS",
    help="More than two classes: their columns of probabilities, such as p_cat,p_dog,p_bird.",
)  # fmt: skip
@column_option("--group", "groups of people, to ask how much gaps between them count.")
@click.option(
    "--simulate", metavar="PERSON",
    help="Let a simulated person answer, such as a0=.2,noise=.1 (or beta=, cap=).",
)  # fmt: skip
@interview_options(held_out=15)
@file_option("--replay", "Show the result of an interview kept with --log.")
@file_option("--wording", "Words of the questions (.json).")
@click.option(
    "--direct", type=click.FloatRange(DIRECT_LEAST, DIRECT_MOST), metavar="NUMBER",
    help="The person's own guess: how many false alarms one miss is worth.",
)  # fmt: skip
@click.option(
    "--families", metavar="NAMES", help="Kinds of metric to consider, such as linear,fractional."
)
@click.option("--checks/--no-checks", default=True, help="Ask attention checks and repeats.")
@click.option("--recalibrate", is_flag=True, help="Turn scores into probabilities first.")
@report_options
def command(
    scores: Path | None,
    classes: str | None,
    group: str | None,
    replay: Path | None,
    log: Path | None,
    browser: bool,
    simulate: str | None,
    wording: Path | None,
    as_json: bool,
    out: Path | None,
    plot: Path | None,
    seed: int | None,
    **settings: object,
) -> int:
    """Learn what errors in SCORES cost by asking which of two systems is preferred.

    With --classes the question is what a right answer on each class is worth, with --group how much
    differences between groups count.
    """
    if classes is not None or group is not None:
        _refuse_of_two_errors("--classes" if classes is not None else "--group")
        named = ("truth", "score", "positive")
        weighed = _weigh(
            scores, classes=classes, group=group, log=log, replay=replay, browser=browser,
            simulate=simulate,
            questions=int(str(settings["questions"])),
            held_out=min(15, int(str(settings["held_out"]))), seed=seed,
            **{name: str(settings[name]) for name in named},
        )  # fmt: skip
        _tell_weights(weighed, as_json=as_json, out=out, save=settings["save"])
        return 0
    words = flow.read_wording(wording)
    interview = _opened(scores, replay, log, seed, settings)
    if browser:
        _check_alone(replay=replay, simulate=simulate, direct=settings["direct"])
        if interview.elicitor.query() is not None:
            interview = answered_in_browser(interview, words, log)
    elif replay is None:
        interview = _held(interview, words, simulate, seed, log)
    result = interview.result()
    if as_json:
        click.echo(text.to_json(interview.to_dict()))
    else:
        say(
            show.elicitation_findings(
                result,
                words,
                calibration=interview.calibration,
                direct_after=interview.direct_after,
            )
        )
    _write(interview, words, out=out, plot=plot, save=settings["save"])
    return 0


# What only interviews about two errors take.
_OF_TWO_ERRORS = ("plot", "families", "direct", "wording", "recalibrate", "checks")


def _refuse_of_two_errors(other: str) -> None:
    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        is_given = context.get_parameter_source(name) == ParameterSource.COMMANDLINE
        if is_given and name in _OF_TWO_ERRORS:
            raise click.UsageError(f"{option.opts[0]} has no use with {other}")


def _write(
    interview: Interview,
    words: ComparisonWording,
    *,
    out: Path | None,
    plot: Path | None,
    save: object,
) -> None:
    """Write the files that were asked for."""
    result, matrices = interview.result(), interview.elicitor.matrices
    if save is not None:
        result.save(save)
        click.echo(f"wrote {save}", err=True)
    if out:
        report = show.elicitation_report(
            result,
            matrices,
            interview.elicitor.answers,
            words,
            calibration=interview.calibration,
            direct_after=interview.direct_after,
        )
        write_report(report, out)
    if plot and result.metric is None:
        click.echo(f"{plot} is not written: {result.why_no_metric}", err=True)
    elif plot:
        click.echo(f"wrote {show.save_elicitation_picture(result, matrices, plot)}", err=True)


def _opened(
    scores: Path | None,
    replay: Path | None,
    log: Path | None,
    seed: int | None,
    settings: dict[str, object],
) -> flow.Interview:
    """Open the log if there is one, else start from the scores."""
    if replay is not None:
        return flow.resume(replay)
    fresh = None if scores is None else _fresh(scores, seed, settings)
    if log is not None and log.exists():
        click.echo(f"resuming {log}", err=True)
        return flow.resume(log, of=fresh)
    if fresh is None:
        raise click.UsageError("name the file of SCORES, or --replay LOG")
    return fresh


def _check_alone(**others: object) -> None:
    """Refuse options that mean nothing with --browser."""
    given = [f"--{name}" for name, value in others.items() if value is not None]
    if given:
        raise click.UsageError(f"--browser asks on the page; leave out {given[0]}")


def _fresh(scores: Path, seed: int | None, settings: dict[str, object]) -> flow.Interview:
    return flow.start(
        scores,
        truth=str(settings["truth"]),
        score=str(settings["score"]),
        positive=str(settings["positive"]),
        direct_ratio=_number(settings["direct"]),
        families=str(settings["families"]).split(",") if settings["families"] else DEFAULT_FAMILIES,
        held_out=int(str(settings["held_out"])),
        max_queries=int(str(settings["questions"])),
        checks=bool(settings["checks"]),
        recalibrate=bool(settings["recalibrate"]),
        random_state=seed,
    )


def _number(value: object) -> float | None:
    return None if value is None else float(str(value))


def _held(
    interview: flow.Interview,
    words: ComparisonWording,
    simulate: str | None,
    seed: int | None,
    log: Path | None,
) -> flow.Interview:
    """Put every question; somebody at a terminal also guesses the ratio before and after."""
    is_asked = simulate is None and sys.stdin.isatty()
    is_new = not interview.elicitor.answers and interview.direct_before is None
    reply = _reply(interview, words, simulate, seed)
    if is_asked and is_new and (ratio := _guess(words)) is not None:
        interview = flow.expecting(interview, ratio)
    flow.hold(interview, reply, log=log, clock=time.monotonic if simulate is None else None)
    is_over = interview.elicitor.query() is None
    if is_asked and not is_over and log is None:
        click.echo("these answers are not kept; --log FILE keeps them to go on later", err=True)
    if is_asked and is_over and interview.direct_after is None:
        interview = replace(interview, direct_after=_guess(words))
        if log is not None:
            flow.write_log(interview, log)
    return interview


def _guess(words: ComparisonWording) -> float | None:
    """Ask for the ratio itself; Enter means "cannot say"."""
    while True:
        click.echo(f"\n{direct_question(words).text} (a number; Enter: cannot say) ", err=True)
        said = sys.stdin.readline().strip()
        if not said:
            return None
        try:
            direct_weight(float(said))
        except (ValueError, InputError):
            click.echo(f"A number from {DIRECT_LEAST:g} to {DIRECT_MOST:,.0f}, please.", err=True)
        else:
            return float(said)


def _reply(
    interview: flow.Interview, words: ComparisonWording, simulate: str | None, seed: int | None
) -> "partial[flow.Reply]":
    if simulate is not None:
        return partial(_simulated, flow.simulated_respondent(simulate, random_state=seed))
    most = interview.elicitor.most_questions
    click.echo(f"{words.task}\n\n{show.cost_text(words) if words.costs else ''}", err=True)
    return partial(_from_keys, words, most)


def _simulated(respondent: flow.Respondent, query: Query) -> flow.Reply:
    return respondent(query.first, query.second)


def _from_keys(words: ComparisonWording, most: int, query: Query) -> flow.Reply:
    """Show one question on standard error and read a key, or a line when input is a file."""
    click.echo(f"\n{show.question_text(query, words, most=most)}\n{flow.KEYS_HELP}", err=True)
    while True:
        key = click.getchar() if sys.stdin.isatty() else sys.stdin.readline().strip()[:1]
        if key.lower() in flow.KEYS:
            return flow.KEYS[key.lower()]
        click.echo(show.cost_text(words) if key == "?" else flow.KEYS_HELP, err=True)


def _weigh(
    scores: Path | None,
    *,
    classes: str | None,
    group: str | None,
    truth: str,
    score: str,
    positive: str,
    log: Path | None,
    replay: Path | None,
    browser: bool,
    simulate: str | None,
    questions: int,
    held_out: int,
    seed: int | None,
) -> WeightsResult:
    """Hold an interview about classes or groups, or go through one that was held."""
    if scores is None:
        raise click.UsageError("name the file of SCORES")
    if classes is not None and group is not None:
        raise click.UsageError("--classes and --group ask different questions; name one of them")
    elicitor = elicit_criteria.start_weighing(
        scores,
        truth=truth,
        score=score,
        positive=positive,
        classes=[part.strip() for part in (classes or "").split(",")],
        group=group,
        random_state=seed,
        max_queries=questions,
        held_out=held_out,
    )
    if replay is not None:
        return elicit_criteria.about(elicit_criteria.resumed(replay, of=elicitor), positive)
    if log is not None and log.exists():
        click.echo(f"resuming {log}", err=True)
        elicitor = elicit_criteria.resumed(log, of=elicitor)
    if browser and elicitor.query() is not None:
        elicitor = criteria.answered_in_browser(elicitor, log)
    elif simulate is not None:
        person = elicit_criteria.simulated_weights(
            elicit_criteria.weights_in(simulate), elicitor.table
        )
        elicit_criteria.hold(elicitor, lambda query: person(query.first, query.second), log=log)
    elif not browser:
        elicit_criteria.hold(elicitor, partial(criteria.from_keys, elicitor), log=log)
    return elicit_criteria.about(elicitor, positive)


def _tell_weights(result: WeightsResult, *, as_json: bool, out: Path | None, save: object) -> None:
    """Print what was learned, and write the files that were asked for."""
    if as_json:
        click.echo(text.to_json(result.to_dict()))
    else:
        say(words_of_weights.weights_findings(result))
        click.echo(text.text_table(words_of_weights.weights_table(result)))
    if save is not None:
        result.save(save)
        click.echo(f"wrote {save}", err=True)
    if out:
        write_report(words_of_weights.weights_report(result), out)
