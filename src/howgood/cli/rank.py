"""`howgood rank`: which places in a leaderboard made of human ratings are real?

In: a table of feedback means, sds and predictions, or of raw repeated ratings. Out: a ranking as
text, JSON, picture and report. Absent: statistics.
"""

from pathlib import Path
from typing import Any

import click

from howgood.cli.options import (
    TableFile,
    column_option,
    combine_option,
    engine_option,
    file_option,
    level_option,
    missing_option,
    positive_option,
    report_options,
    systems_option,
    write_report,
)
from howgood.decide.other_scores import SIGNIFICANT
from howgood.decide.ranking import METRICS
from howgood.errors import InputError, MissingColumnError
from howgood.flow import ranking as flow
from howgood.score.list_metrics import is_list_metric, list_metric, list_metric_names
from howgood.show import text
from howgood.show.figures import theme
from howgood.show.ranking import readable_table

# Options whose name is not that of their argument.
_NAMES = {"law": "feedback"}


def _known_metric(context: click.Context, option: click.Parameter, value: str) -> str:
    """Refuse a metric nobody knows before anything is read."""
    if is_list_metric(value):
        list_metric(value)
    elif value not in (*METRICS, *SIGNIFICANT):
        known = ", ".join((*METRICS, *SIGNIFICANT, *list_metric_names()))
        raise click.BadParameter(f"{value!r} is not one of {known}", context, option)
    return value


@click.command()
@click.argument("ratings", type=TableFile())
@systems_option
@column_option("--mean", "mean of each feedback.", default="mean")
@click.option(
    "--sd",
    metavar="COLUMN|NUMBER",
    default="sd",
    show_default=True,
    help="Column: standard deviation of each feedback, or one number for all.",
)
@click.option(
    "--trials",
    metavar="N|COLUMN|known",
    help="From how many ratings each mean came: 1 for ratings given once (--sd is then that of one "
    "rating), a number, or a column. Without it the means are taken as known.",
)
@click.option(
    "--repeated",
    is_flag=True,
    help="RATINGS holds raw repeated ratings; naming their columns says so too.",
)
@column_option("--user", "of raw ratings, who rated.", default="user")
@column_option("--item", "of raw ratings, what was rated.", default="item")
@column_option("--rating", "of raw ratings, the rating.", default="rating")
@column_option("--trial", "of raw ratings, which repeat it is; one given twice is refused.")
@column_option(
    "--rater",
    "of raw ratings, who rated, where several people rated each item and stand for all raters; "
    "--user and --trial are then not used.",
)
@click.option(
    "--feedback", "law", type=click.Choice(["gaussian", "beta"]), default="gaussian",
    show_default=True, help="How each pair's feedback is distributed; beta needs --scale.",
)  # fmt: skip
@click.option("--scale", nargs=2, type=float, help="With --feedback beta: lowest, highest rating.")
@combine_option
@click.option(
    "--once",
    type=click.Choice(["error", "drop", "borrow"]),
    help="Raw ratings: pairs rated only once: refuse, leave out, or lend them how far the pairs "
    "rated more often vary. Without it as --missing.",
)
@file_option(
    "--predictions",
    "Raw ratings: a second file with user (not with --rater), item and the systems' columns.",
)
@click.option(
    "--metric",
    metavar="NAME",
    callback=_known_metric,
    default="rmse",
    show_default=True,
    help="rmse, mse, mae; srmse, smae (significant deviations only, with --unpaired); or of each "
    "user's list: ndcg@K, dcg@K, map, mrr, precision@K, recall@K, "
    "hit@K, with K the number of places that count.",
)
@click.option("--relevant", type=float, help="Lists: a rating of at least this is relevant.")
@click.option(
    "--about",
    type=click.Choice(["re-rating", "users"]),
    default="re-rating",
    show_default=True,
    help="Lists: an error is about these people's next ratings, or about other users.",
)
@click.option(
    "--unrated",
    type=click.Choice(["error", "drop", "zero"]),
    default="error",
    show_default=True,
    help="Lists: predicted items the user never rated: refuse, leave out, or worth 0.",
)
@click.option(
    "--unlisted",
    type=click.Choice(["error", "last"]),
    default="error",
    show_default=True,
    help="Lists: rated items a system has no score for: refuse, or not in its list.",
)
@file_option(
    "--elicited",
    "Instead of ratings: rank predicted labels by what `howgood elicit --save` wrote, or "
    "predicted numbers by what `howgood quantile --save` wrote.",
)
@column_option("--truth", "true labels, or what happened, with --elicited.")
@positive_option
@column_option("--group", "groups of people, with an elicited metric about gaps between them.")
@click.option("--unpaired", is_flag=True, help="Treat scores as independent (the paper's Eq. 5).")
@level_option("two systems said to differ may be in the wrong order")
@missing_option
@engine_option
@report_options
def command(
    ratings: str | Path,
    systems: dict[str, str],
    mean: str,
    sd: str,
    trials: str | None,
    repeated: bool,
    user: str,
    item: str,
    rating: str,
    trial: str | None,
    rater: str | None,
    law: str,
    scale: tuple[float, float] | None,
    combine: str,
    once: str | None,
    predictions: Path | None,
    metric: str,
    relevant: float | None,
    about: str,
    unrated: str,
    unlisted: str,
    elicited: Path | None,
    truth: str | None,
    positive: str | None,
    group: str | None,
    unpaired: bool,
    level: float,
    missing: str,
    engine: str,
    plot: Path | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Rank systems on RATINGS (CSV, JSON, Parquet), with the probability that each place is wrong.

    The systems predict ratings; with --metric ndcg@10 their lists are compared: RATINGS then has
    one row per rating (--user, --item, --rating), and --sd says how far ratings vary, unless
    repeated ratings tell. Where people graded the systems' outputs, use
    `howgood leaderboard`. With --elicited the systems' columns are predictions, ranked by what
    somebody values.
    """
    if elicited is not None or truth is not None:
        labels = {
            "systems": systems, "positive": positive, "group": group, "level": level,
            "missing": missing,
        }  # fmt: skip
        _say(_by_metric(ratings, elicited, truth, labels), plot, out, as_json)
        return 0
    _refuse_with_rater(rater)
    _refuse_with_lists(metric)
    repeated = _is_repeated(metric, repeated)
    feedback = flow.FeedbackColumns(
        mean=mean,
        sd=sd,
        trials=trials,
        repeated=repeated,
        user=user,
        item=item,
        rating=rating,
        trial=trial,
        rater=rater,
        combine=combine,
        once=once,
        law=law,
        scale=scale,
    )
    ranked = _rank(
        ratings,
        feedback=feedback,
        systems=systems,
        predictions=predictions,
        metric=metric,
        paired=not unpaired,
        level=level,
        missing=missing,
        engine=engine,
        for_picture=plot is not None or out is not None,
        lists=flow.ListOptions(relevant=relevant, about=about, unrated=unrated, unlisted=unlisted),
    )
    _say(ranked, plot, out, as_json)
    return 0


def _rank(
    ratings: str | Path,
    *,
    feedback: flow.FeedbackColumns,
    **more: Any,  # noqa: ANN401 - what rank_file takes
) -> flow.RankedFile:
    """Rank; where raw ratings were given without saying what they are, say how to."""
    try:
        return flow.rank_file(ratings, feedback=feedback, **more)
    except MissingColumnError as error:
        if feedback.mean not in error.missing or feedback.rating not in error.columns:
            raise
        raise InputError(
            where=str(ratings),
            found=f"no column {feedback.mean!r}, but ratings in {feedback.rating!r}",
            needed="how far people's ratings vary",
            cure="If the same people rated the same items several times, write --repeated. If they "
            f"rated once, say how far such ratings vary: --mean {feedback.rating} --sd 0.7 "
            "--trials 1.",
        ) from error


def _say(ranked: flow.RankedFile, plot: Path | None, out: Path | None, as_json: bool) -> None:
    if as_json:
        click.echo(text.to_json(ranked.ranking.to_dict()))
    else:
        click.echo("\n".join(f"- {finding.text}" for finding in flow.findings(ranked)))
        click.echo(text.text_table(readable_table(ranked.ranking)))
    if plot is not None:
        with flow.picture(ranked) as figure:
            click.echo(f"wrote {theme.save(figure, plot)}", err=True)
    if out is not None:
        write_report(flow.ranking_report(ranked), out)


def _by_metric(
    ratings: str | Path, elicited: Path | None, truth: str | None, settings: dict[str, Any]
) -> flow.RankedFile:
    """Rank predictions by a saved interview; refuse what only ratings have a use for."""
    if elicited is None or truth is None:
        raise click.UsageError("--elicited FILE and --truth COLUMN go together")
    unused = ("mean", "sd", "trials", "repeated", "user", "item", "rating", "trial", "rater",
              "once", "predictions", "metric", "unpaired")  # fmt: skip
    given = [f"--{option}" for option in unused if _is_given(option)]
    if given:
        raise click.UsageError(f"--elicited ranks predictions; leave out {given[0]}")
    return flow.rank_labels(ratings, elicited, truth=truth, **settings)


def _is_repeated(metric: str, repeated: bool) -> bool:
    """Say whether ratings are raw: naming their columns says so, of lists giving no sd."""
    if is_list_metric(metric):
        return not _is_given("sd")
    raw = ("repeated", "user", "item", "rating", "trial", "once", "predictions")
    said = " and ".join(f"--{option}" for option in raw if _is_given(option))
    known = " and ".join(f"--{option}" for option in ("mean", "sd", "trials") if _is_given(option))
    if said and known:
        raise InputError(
            where=known,
            found=f"{said} too",
            needed="either raw repeated ratings, which tell means and sds themselves, or one row "
            "per pair with its mean, sd and predictions",
            cure=f"Leave out {known} if people rated several times, else leave out {said} (and "
            "join predictions that are in a second file to the ratings first).",
        )
    return repeated or bool(said)


def _refuse_with_rater(rater: str | None) -> None:
    """Refuse options that ask another question than --rater does, or that only it answers."""
    if rater is None and _is_given("combine"):
        raise InputError(
            where="--combine",
            found="no --rater",
            needed="--combine with --rater only: several ratings of a user and item are repeats",
            cure="Leave out --combine, or name the column that says who rated: --rater ...",
        )
    unused = ("user", "trial", "trials", "once", "mean", "sd", "unpaired", "law")
    given = [f"--{_NAMES.get(option, option)}" for option in unused
             if rater is not None and _is_given(option)]  # fmt: skip
    if given:
        raise InputError(
            where="--rater",
            found=f"{' and '.join(given)} too",
            needed="either several raters per item (--rater), or the same people's repeated "
            "ratings",
            cure=f"Leave out {' and '.join(given)}, or --rater.",
        )


def _refuse_with_lists(metric: str) -> None:
    """Refuse options that only lists, or only errors of predictions, have a use for."""
    is_of_lists = is_list_metric(metric)
    unused = (
        ("mean", "rater", "trial", "unpaired", "law")
        if is_of_lists
        else ("relevant", "about", "unrated", "unlisted")
    )
    given = [f"--{_NAMES.get(option, option)}" for option in unused if _is_given(option)]
    if given:
        raise InputError(
            where=f"--metric {metric}",
            found=f"{' and '.join(given)} too",
            needed="ratings of items, one row each (--user, --item, --rating)"
            if is_of_lists
            else "a metric of lists, such as ndcg@10, for these options",
            cure=f"Leave out {' and '.join(given)}, or choose another metric.",
        )


def _is_given(option: str) -> bool:
    source = click.get_current_context().get_parameter_source(option)
    return source is click.core.ParameterSource.COMMANDLINE
