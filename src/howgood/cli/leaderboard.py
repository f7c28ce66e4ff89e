"""`howgood leaderboard`: which places in a leaderboard of graded outputs are real?

In: a table with one row per grade or per vote. Out: a ranking as text, JSON, picture and report.
Absent: statistics, and predictions of grades (see `howgood rank`).
"""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from howgood.cli.options import (
    CLUSTER,
    TableFile,
    column_option,
    combine_option,
    engine_option,
    given_columns,
    level_option,
    report_options,
    write_picture,
    write_report,
)
from howgood.decide.halves import Halves
from howgood.decide.vote_rows import VoteRoles
from howgood.flow import leaderboard as flow
from howgood.flow.ranking import RankedFile, picture
from howgood.records.ranking import Ranking
from howgood.show import boards as words
from howgood.show import halves as words_of_halves
from howgood.show import text
from howgood.show.ranking import readable_table


@click.command()
@click.argument("grades", type=TableFile())
@column_option("--system", "whose output.", default="system")
@column_option("--item", "task or prompt.", default="item")
@column_option(
    "--grade",
    "the grade, a number. Several criteria: --grade relevance,fluency.",
    default="grade",
)
@column_option("--rater", "who graded.", default="rater")
@click.option(
    "--no-rater",
    "has_no_rater",
    is_flag=True,
    help="Nobody noted who graded: take the raters as they are, and only items as a sample.",
)
@column_option("--cluster", CLUSTER)
@column_option("--segment", "topic, language: results for each of its values too.")
@column_option("--left", "of votes, the system on the left.", default="left")
@column_option("--right", "of votes, the system on the right.", default="right")
@column_option("--winner", "of votes, left, right or tie.", default="winner")
@column_option(
    "--style",
    "of votes, left output's length less the right one's, say; or both columns, with a comma "
    "between them.",
)
@combine_option
@click.option(
    "--lower-is-better/--higher-is-better",
    default=None,
    help="Grade 1 is the best, or the worst; of a column called penalty, less is better.",
)
@level_option("two systems said to differ may be in the wrong order")
@click.option(
    "--missing",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="Rows with a missing value and items not graded for every system: refuse, or leave out.",
)
@click.option(
    "--halves",
    type=click.IntRange(1, 1000),
    metavar="TIMES",
    help="Check the board on its own data: split items and raters in two this many times (8, say), "
    "rank both halves, and count how often they agree.",
)
@engine_option
@report_options
def command(
    grades: str | Path,
    system: str,
    item: str,
    grade: str,
    rater: str,
    has_no_rater: bool,
    cluster: str | None,
    segment: str | None,
    left: str,
    right: str,
    winner: str,
    style: str | None,
    combine: str,
    lower_is_better: bool | None,
    level: float,
    missing: str,
    halves: int | None,
    engine: str,
    plot: Path | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Rank systems by GRADES of their outputs, with the probability that each place is wrong.

    GRADES (CSV, JSON, Excel or Parquet) has one row per grade: item, system, rater, grade; fields
    inside others have dotted names, as in --grade scores.helpful. To rank systems that
    predict ratings, use `howgood rank`.

    It may hold votes between two outputs instead: left, right, winner, and better also item (the
    prompt) and rater. Columns of an arena (model_a, model_b, winner, question_id, judge) and other
    usual names are recognised; the output says which column was taken as what. Options of grades
    are refused for votes, and --style for grades.
    """
    named = given_columns({"left": left, "right": right, "winner": winner, "item": item,
                           "rater": rater, "system": system, "grade": grade})  # fmt: skip
    without = ["rater"] if has_no_rater else []
    named |= {} if cluster is None else {"cluster": cluster}
    columns = flow.columns_of_file(grades, named=named, without=without, engine=engine)
    _refuse_of_the_other(columns.is_votes)
    roles = {role: name for role, name in columns.roles.items() if role not in without}
    if columns.is_votes:
        votes = VoteRoles(**roles, style=style, segment=segment)
        ranked = flow.rank_votes_file(
            grades, columns=votes, level=level, missing=missing, engine=engine
        )
        criteria = {"votes": ranked.ranking}
        check: Any = partial(flow.halves_of_votes, columns=votes)
    else:
        graded = flow.GradeColumns(
            system=roles["system"],
            item=roles["item"],
            rater=roles.get("rater"),
            cluster=cluster or roles.get("cluster"),
            segment=segment,
        )
        is_penalty = columns.is_penalty if lower_is_better is None else lower_is_better
        names = _criteria(roles["grade"], halves)
        rules: dict[str, Any] = {"greater_is_better": not is_penalty, "combine": combine}
        criteria = flow.rank_criteria_file(
            grades, columns=graded, criteria=names, level=level, missing=missing, engine=engine,
            **rules,
        )  # fmt: skip
        check = partial(flow.halves_of_grades, columns=graded, criterion=names[0], **rules)
    agreement = None if halves is None else check(grades, splits=halves, engine=engine)
    criteria = {name: flow.read_as(ranking, columns) for name, ranking in criteria.items()}
    _say_all(criteria, agreement, plot, out, as_json)
    return 0


def _criteria(grade: str, halves: int | None) -> list[str]:
    names = [name.strip() for name in grade.split(",")]
    if halves is not None and len(names) > 1:
        raise click.UsageError("--halves takes one column of grades: name it with --grade")
    return names


_OF_GRADES = ("system", "grade", "cluster", "combine", "lower_is_better")


def _refuse_of_the_other(is_votes: bool) -> None:
    """Refuse what votes have no use for, and what grades have none for."""
    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        given = context.get_parameter_source(name) == ParameterSource.COMMANDLINE
        if given and name in (_OF_GRADES if is_votes else ("style",)):
            kinds = ("grades", "votes") if is_votes else ("votes", "grades")
            raise click.UsageError(
                f"{option.opts[0]} is for {kinds[0]}, and this file holds {kinds[1]}"
            )


def _say_all(
    criteria: dict[str, Ranking],
    halves: dict[str, Halves] | None,
    plot: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    boards = flow.boards_of(criteria)
    only = RankedFile(ranking=boards["all"], sums=None) if len(boards) == 1 else None
    if as_json:
        documents = {name: flow.board_document(ranking) for name, ranking in criteria.items()}
        document = {"criteria": documents} if len(documents) > 1 else documents.popitem()[1]
        agreement = {} if halves is None else {
            "halves": {name: asdict(found) for name, found in halves.items()}
        }  # fmt: skip
        click.echo(text.to_json(document | agreement))
    else:
        _say_boards(boards)
        if halves is not None:
            click.echo(f"\n{words_of_halves.TITLE}\n{words_of_halves.halves_text(halves)}")
            click.echo(text.text_table(words_of_halves.halves_table(halves)))
    if plot is not None:
        write_picture(flow.boards_picture(boards) if only is None else picture(only), plot)
    if out is not None:
        report = flow.boards_report(boards) if only is None else flow.leaderboard_report(only)
        write_report(report if halves is None else flow.with_halves(report, halves), out)


def _say_boards(boards: dict[str, Ranking]) -> None:
    if len(boards) == 1:
        _say_board(boards["all"])
        return
    click.echo("\n".join(f"- {finding.text}" for finding in words.findings(boards)))
    click.echo(text.text_table(words.summary(boards)))
    for name, ranking in boards.items():
        click.echo(f"\n{name}")
        _say_board(ranking)


def _say_board(ranking: Ranking) -> None:
    """Print what to know of one board, the board, and what would settle each tie."""
    click.echo("\n".join(f"- {finding.text}" for finding in words.board_findings(ranking)))
    click.echo(text.text_table(readable_table(ranking)))
    needed = words.needed_table(ranking)
    if needed is not None:
        click.echo('What would settle each tie, in all ("-": no number of them is enough):')
        click.echo(text.text_table(needed))
