"""`howgood study-size`: how many people a study needs.

In: applications as one imagines them, and designs. Out: tables or JSON. Absent: simulating.
"""

import click

from howgood.cli.exit_codes import DONE, VERDICT_FAILED
from howgood.cli.options import MANY, json_option, seed_option
from howgood.errors import InputError
from howgood.flow import decisions
from howgood.show import decisions as show
from howgood.show import progress, text

_KEYS = ("alpha", "intercept", "slope", "p")


@click.command("study-size")
@click.option(
    "--application", "applications", multiple=True, metavar="NAME:alpha=.3,intercept=-13,slope=16",
    help=f"An application as you imagine it. {MANY}",
)  # fmt: skip
@click.option("--width", default=0.2, show_default=True, help="Wanted width of alpha's interval.")
@click.option(
    "--people",
    metavar="NUMBERS",
    default="10,15,20,25,30,40",
    show_default=True,
    help="Sizes to try.",
)
@click.option(
    "--scenarios",
    metavar="NUMBERS",
    default="8",
    show_default=True,
    help="Scenarios per person to try.",
)
@click.option("--studies", default=20, show_default=True, help="Simulated studies per design.")
@click.option(
    "--alpha-sd", type=click.FloatRange(min=0), default=0.0, show_default=True,
    help="How much people's weights differ (sd of alpha's logit; 1.1 on the public answers).",
)  # fmt: skip
@seed_option(2015)
@json_option
def command(
    applications: tuple[str, ...],
    width: float,
    people: str,
    scenarios: str,
    studies: int,
    alpha_sd: float,
    seed: int,
    as_json: bool,
) -> int:
    """Simulate studies to find how many people give alpha intervals of a wanted width.

    Exit code 1 when none of the sizes tried is enough.
    """
    with progress.bar("study size") as report:
        size = decisions.decide_study_size(
            dict(_application(application) for application in applications),
            width=width,
            people=_numbers("--people", people),
            per_person=_numbers("--scenarios", scenarios),
            studies=studies,
            alpha_sd=alpha_sd,
            random_state=seed,
            progress=report,
        )
    if as_json:
        click.echo(text.to_json(size.to_dict()))
    else:
        click.echo("\n".join(finding.text for finding in show.study_size_findings(size)))
        click.echo(text.text_table(size.widths))
        click.echo(
            f"width: mean over {studies} simulated studies of that size; nine in ten lie between "
            "lower and upper. enough: share of studies as narrow as wanted. covered: share whose "
            "interval holds the alpha they were simulated with."
        )
        if len(size.power):
            click.echo(text.text_table(size.power))
    return VERDICT_FAILED if size.people is None else DONE


def _application(text_form: str) -> tuple[str, dict[str, float]]:
    name, _, listed = text_form.partition(":")
    pairs = [part.partition("=") for part in listed.split(",")]
    try:
        values = {key.strip(): float(value) for key, _, value in pairs}
    except ValueError:
        values = {}
    if not name or not values or set(values) - set(_KEYS):
        raise InputError(
            where="--application",
            found=repr(text_form),
            needed="NAME:alpha=.3,intercept=-13,slope=16 (and p=0 if you like)",
            cure="Take intercept and slope from a fit or a model card.",
        )
    return name, values


def _numbers(option: str, listed: str) -> tuple[int, ...]:
    parts = [part.strip() for part in listed.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise InputError(
            where=option,
            found=repr(listed),
            needed="whole numbers with commas between them",
            cure="For instance 10,20,40.",
        )
    return tuple(int(part) for part in parts)
