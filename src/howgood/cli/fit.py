"""`howgood fit`: what people accept, from a file of answers.

In: a table of answers. Out: findings and tables, JSON, a picture, a report, a saved fit. Absent:
fitting (see `learn`).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from howgood.cli.knowledge import part_option, say
from howgood.cli.options import (
    MANY,
    TableFile,
    answers_options,
    drawable_folder,
    file_option,
    renamed_columns,
    report_options,
    seed_option,
    write_pictures,
    write_report,
)
from howgood.flow import acceptability as flow
from howgood.flow.failures import fit_failure_answers
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.failures import FailuresFit
from howgood.learn.multinomial import MultinomialFit
from howgood.learn.ordinal_fit import OrdinalFit
from howgood.records.report import Finding, Report
from howgood.records.table import Table
from howgood.show import progress, text


@click.command("fit")
@click.argument("answers", type=TableFile())
@click.option(
    "--model",
    type=click.Choice(["binary", "ordinal", "multinomial", "failures"]),
    default="binary",
    show_default=True,
    help="Accepting or not; ratings in their order, imagined and real; every rating by itself; "
    "kinds of failure.",
)
@answers_options
@click.option(
    "--engine", type=click.Choice(["auto", "importance", "nuts"]), default="auto",
    show_default=True, help="How the posterior is computed; auto checks importance sampling, and "
    "falls back on NUTS.",
)  # fmt: skip
@click.option(
    "--means", default="-1,0,1", show_default=True, metavar="ORDERS",
    help="Orders p of the mean to choose among, or continuous.",
)  # fmt: skip
@click.option(
    "--reference", metavar="NAME", default="hypothetical", show_default=True,
    help="Ordinal: the part about imagined systems.",
)  # fmt: skip
@click.option(
    "--application", metavar="NAME", multiple=True,
    help=f"Ordinal, failures: an application to fit, instead of all. {MANY}",
)  # fmt: skip
@click.option(
    "--system", "systems", multiple=True, callback=renamed_columns, metavar="SYSTEM=APPLICATION",
    help="Ordinal: to which application a real system belongs, where there are several. "
    f"{MANY}",
)  # fmt: skip
@click.option(
    "--left-out", type=click.Choice(["auto", "no", "all", "one"]), default="auto",
    show_default=True,
    help="Ordinal: predict everybody's ratings of real systems without them: all, or one per "
    "person as in the paper; auto does so for a report.",
)  # fmt: skip
@part_option
@click.option(
    "--flawless", type=click.Choice(["auto", "yes", "no"]), default="auto", show_default=True,
    help="Binary: a term of its own for no error at all; auto adds it where such scenarios were "
    "shown, but not with --priors kay2015.",
)  # fmt: skip
@click.option(
    "--by", metavar="COLUMN",
    help="Binary: compare people by a column they answered, such as climate; participant for "
    "everybody's own weight alone.",
)  # fmt: skip
@click.option(
    "--specificity", is_flag=True,
    help="Binary: learn also what rightly leaving cases alone weighs; needs --prevalence, or a "
    "column specificity.",
)  # fmt: skip
@click.option(
    "--prevalence", type=float,
    help="Binary, with --specificity: share of real cases among all cases people were shown.",
)  # fmt: skip
@click.option("--kind", "kinds", multiple=True, metavar="COLUMN",
              help=f"Failures: a column of counts. {MANY}")  # fmt: skip
@click.option(
    "--out-of", default=20, show_default=True,
    help="Failures: how many answers each scenario was about.",
)  # fmt: skip
@file_option("--save", "Write the fit (.npz).", ending=".npz")
@seed_option(2015)
@click.option(
    "--plots", type=click.Path(path_type=Path, file_okay=False), callback=drawable_folder,
    help="Write every picture of the report to a file of its own in this folder (.svg).",
)  # fmt: skip
@report_options
def command(
    answers: str | Path,
    model: str,
    priors: str,
    columns: dict[str, str],
    scale: int | None,
    cut: int | None,
    engine: str,
    means: str,
    missing: str,
    people: str,
    reference: str,
    application: tuple[str, ...],
    systems: dict[str, str],
    left_out: str,
    part: str | None,
    flawless: str,
    by: str | None,
    specificity: bool,
    prevalence: float | None,
    kinds: tuple[str, ...],
    out_of: int,
    save: Path | None,
    seed: int,
    as_json: bool,
    out: Path | None,
    plot: Path | None,
    plots: Path | None,
) -> int:
    """Learn from ANSWERS (CSV, JSON, Excel or Parquet) what accuracy people accept.

    ANSWERS has columns participant, application, precision, recall, and rating (1 to 7, or the
    labels) or accepted. Rename columns with --map. In the ordinal model a column part tells
    imagined systems (--reference) from real ones. --model failures needs one column of counts
    per --kind of failure instead of precision and recall.
    """
    _refuse_of_other_models(model)
    settings: dict[str, Any] = {
        "columns": columns,
        "scale": scale,
        "missing": missing,
        "people": people,
        "random_state": seed,
        **_selection(model, application=application, part=part),
    }
    if model != "failures":
        settings |= {"priors": priors, "means": means}
    if model in ("binary", "ordinal"):
        settings["engine"] = engine
    _refuse_of_multinomial(model, save=save, engine=engine)
    with progress.bar("fit") as report:
        settings["progress"] = report
        if model == "ordinal":
            settings |= {"reference": reference, "systems": systems}
            if left_out == "auto":
                left_out = "all" if out or plots else "no"
            shown = _ordinal(flow.fit_parts(answers, **settings), save, left_out, seed)
        elif model == "failures":
            settings |= {"kinds": kinds, "out_of": out_of, "cut": cut}
            shown = _failures(fit_failure_answers(answers, **settings), save)
        elif model == "multinomial":
            shown = _multinomial(flow.fit_levels(answers, **settings, cut=cut))
        else:
            settings |= {"cut": cut, "flawless": flawless, "by": by}
            settings |= _measures(specificity=specificity, prevalence=prevalence)
            shown = _binary(flow.fit_answers(answers, **settings), save)
    _hand_out(shown, save=save, as_json=as_json, out=out, plot=plot, plots=plots)
    return 0


def _hand_out(
    shown: "_Shown",
    *,
    save: Path | None,
    as_json: bool,
    out: Path | None,
    plot: Path | None,
    plots: Path | None,
) -> None:
    """Print what was learned, and write the files that were asked for."""
    if as_json:
        click.echo(text.to_json(shown.values()))
    else:
        say(shown.findings)
        click.echo(text.text_table(shown.table))
    if save:
        click.echo(f"wrote {save}", err=True)
    report_made = shown.report() if out or plots else None
    if out and report_made:
        write_report(report_made, out)
    if plot:
        click.echo(f"wrote {shown.picture(plot)}", err=True)
    if plots and report_made:
        write_pictures(report_made, plots)


# Options that only some models take; one that is given to another is refused, not left out.
_MODELS_OF = {
    "priors": ("binary", "ordinal", "multinomial"),
    "means": ("binary", "ordinal", "multinomial"),
    "engine": ("binary", "ordinal", "multinomial"),
    "cut": ("binary", "multinomial", "failures"),
    "reference": ("ordinal",),
    "application": ("ordinal", "failures"),
    "systems": ("ordinal",),
    "left_out": ("ordinal",),
    "part": ("binary", "multinomial"),
    "flawless": ("binary",),
    "by": ("binary",),
    "specificity": ("binary",),
    "prevalence": ("binary",),
    "kinds": ("failures",),
    "out_of": ("failures",),
}


def _refuse_of_other_models(model: str) -> None:
    context = click.get_current_context()
    for option in context.command.params:
        models = _MODELS_OF.get(option.name or "", (model,))
        was_given = context.get_parameter_source(option.name or "") == ParameterSource.COMMANDLINE
        if was_given and model not in models:
            names = " and ".join([", ".join(models[:-1]), models[-1]] if models[:-1] else models)
            raise click.UsageError(f"{option.opts[0]} belongs to --model {names}")


def _selection(model: str, *, application: tuple[str, ...], part: str | None) -> dict[str, Any]:
    """Return which answers to fit."""
    if model == "failures":
        if len(application) > 1:
            raise click.UsageError("--model failures fits one --application")
        return {"application": application[0] if application else None}
    return {"application": application} if model == "ordinal" else {"only_part": part}


def _refuse_of_multinomial(model: str, *, save: Path | None, engine: str) -> None:
    """Refuse what the multinomial model cannot do instead of leaving it out."""
    if model != "multinomial":
        return
    if save:
        raise click.UsageError(
            "--save belongs to the models that decisions go by; --out report.json keeps what a "
            "multinomial fit says"
        )
    if engine == "nuts":
        raise click.UsageError("--model multinomial is sampled by importance alone")


def _measures(*, specificity: bool, prevalence: float | None) -> dict[str, Any]:
    """Return which measures are weighed; a prevalence alone would change nothing."""
    if prevalence is not None and not specificity:
        raise click.UsageError("--prevalence belongs to --specificity")
    names = ("precision", "recall", *["specificity"] * specificity)
    return {"measures": names, "prevalence": prevalence}


class _Shown(NamedTuple):
    """What a fit has to show, whichever model it is of."""

    findings: tuple[Finding, ...]
    table: Table
    values: Callable[[], dict[str, Any]]
    report: Callable[[], Report]
    picture: Callable[[Path], Path]


def _binary(fit: AcceptabilityFit, save: Path | None) -> _Shown:
    from howgood.show import acceptability as show

    if save:
        fit.save(save)
    return _Shown(
        findings=show.fit_findings(fit),
        table=fit.summary(),
        values=lambda: show.fit_values(fit),
        report=lambda: show.fit_report(fit),
        picture=lambda path: show.save_picture(fit, path),
    )


def _ordinal(fit: OrdinalFit, save: Path | None, left_out: str, seed: int) -> _Shown:
    from howgood.show import ordinal as show

    if save:
        fit.save(save)
    left = flow.left_out_of(fit, per_person=left_out, random_state=seed)
    return _Shown(
        findings=(
            *show.ordinal_findings(fit),
            *([] if left is None else [show.left_out_finding(left)]),
        ),
        table=fit.summary(),
        values=lambda: show.ordinal_values(fit, left),
        report=lambda: show.ordinal_report(fit, left),
        picture=lambda path: show.save_ordinal_picture(fit, path),
    )


def _multinomial(fit: MultinomialFit) -> _Shown:
    from howgood.show import ordinal as show

    return _Shown(
        findings=show.multinomial_findings(fit),
        table=fit.summary(),
        values=lambda: show.multinomial_values(fit),
        report=lambda: show.multinomial_report(fit),
        picture=lambda path: show.save_multinomial_picture(fit, path),
    )


def _failures(fit: FailuresFit, save: Path | None) -> _Shown:
    from howgood.show import failures as show

    if save:
        fit.save(save)
    return _Shown(
        findings=show.failure_findings(fit),
        table=fit.summary(),
        values=lambda: show.failure_values(fit),
        report=lambda: show.failure_report(fit),
        picture=lambda path: show.save_weights_picture(fit, path),
    )
