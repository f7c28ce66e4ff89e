"""`howgood relevance`: grade predictions where several outcomes are acceptable.

In: a table file and column names. Out: scores, cases and baselines as text, JSON, picture or
report. Absent: scoring.
"""

from pathlib import Path
from typing import Any

import click

from howgood.cli.options import (
    MANY,
    column_option,
    engine_option,
    missing_option,
    named_columns,
    report_options,
    seed_option,
    write_report,
)
from howgood.flow.relevance import RelevanceQuestion, RelevanceStudy, score_file
from howgood.score.relevance import alpha_share
from howgood.show import relevance, text
from howgood.show.figures import theme
from howgood.show.figures.relevance import overview_figure


def _names(context: click.Context, option: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


@click.command()
@click.argument("test", type=click.Path(path_type=Path))
@column_option("--outcome", "what people chose.", required=True)
@click.option(
    "--predicted",
    required=True,
    multiple=True,
    callback=named_columns,
    metavar="[NAME=]COLUMN",
    help=f"Column: what a model predicted, with a name where there are several. {MANY}",
)
@click.option(
    "--context",
    required=True,
    callback=_names,
    metavar="COLUMNS",
    help="Columns that make up the observed context: a,b,c.",
)
@click.option(
    "--drop", metavar="COLUMNS", default="", callback=_names,
    help="Columns to leave out of the context: user.",
)  # fmt: skip
@click.option(
    "--reference",
    default="all",
    show_default=True,
    metavar="all|cross-fit|FILE",
    help="Rows behind the probabilities: all test rows (the paper), all but the scored "
    "one, or the rows of another file.",
)
@column_option("--folds", "with cross-fit, which rows to leave out together (user).")
@column_option("--weights", "how much a row counts.")
@column_option(
    "--cluster", "whose row it is (user). The rows of one are sampled together.", before="--groups"
)
@click.option("--smoothing", default=0.0, show_default=True, help="Added to every count.")
@click.option("--alpha", default=2.0, show_default=True, help="Weight of P_H - P_P; may be inf.")
@click.option("--beta", default=1.0, show_default=True, help="Weight of |P_P - P_A|; may be inf.")
@click.option(
    "--unseen",
    default="exclude",
    show_default=True,
    type=click.Choice(["exclude", "error", "marginal"]),
    help="Wrong predictions in contexts never seen.",
)
@click.option(
    "--randomness",
    is_flag=True,
    help="Show first which column of --context and --drop the outcomes depend on.",
)
@missing_option
@click.option(
    "--judgements", metavar="FILE", help="Graded mismatches, to learn alpha and beta from."
)
@column_option(
    "--judged-prediction", "of --judgements, the prediction that was shown.", default="predicted"
)
@column_option("--grade", "of --judgements, the grade, 0 to 100.", default="grade")
@column_option("--rater", "of --judgements, who graded.", before="--respondent")
@engine_option
@seed_option(0)
@report_options
def command(
    test: Path,
    seed: int,
    as_json: bool,
    plot: Path | None,
    out: Path | None,
    **question: Any,  # noqa: ANN401 - the options above, by the names of RelevanceQuestion
) -> int:
    """Grade the predictions in TEST (CSV or Parquet) by how often people chose them."""
    study = score_file(test, RelevanceQuestion(**question), seed=seed)
    click.echo(text.to_json(_plain(study)) if as_json else _shown(study))
    if plot:
        _draw(study, plot)
    if out:
        write_report(
            relevance.report_of(
                study.reports, study.sweep, learned=study.learned, agreement=study.agreement
            ),
            out,
        )
    return 0


def _shown(study: RelevanceStudy) -> str:
    return "\n".join(
        [
            *relevance.findings(study.reports, study.learned),
            *_of_features(study),
            text.text_table(relevance.scores_table(study.reports)),
            text.text_table(relevance.baselines_table(study.reports)),
            text.text_table(relevance.cases_table(study.reports)),
            "",
            relevance.context_sentence(study.reports),
            *relevance.guidance(study.sweep),
            *(f"caution: {sentence}" for sentence in relevance.cautions(study.reports)),
        ]
    )


def _of_features(study: RelevanceStudy) -> list[str]:
    if study.agreement is None:
        return []
    return [
        *relevance.agreement_findings(study.agreement),
        text.text_table(relevance.agreement_table(study.agreement)),
    ]


def _plain(study: RelevanceStudy) -> dict[str, Any]:
    learned = study.learned
    return {
        "models": {name: report.to_dict() for name, report in study.reports.items()},
        "sweep": study.sweep.to_dict(),
        "guidance": list(relevance.guidance(study.sweep)),
        "cautions": list(relevance.cautions(study.reports)),
        "learned": learned.to_dict() if learned else None,
        "agreement": study.agreement.to_dict() if study.agreement else None,
    }


def _draw(study: RelevanceStudy, path: Path) -> None:
    first = next(iter(study.reports.values()))
    chosen = alpha_share(first.alpha, first.beta)
    with overview_figure(study.reports, study.sweep, chosen=chosen) as figure:
        theme.save(figure, path)
    click.echo(f"wrote {path}", err=True)
