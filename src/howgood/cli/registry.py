"""`howgood registry`: model cards of applications.

In: a folder of cards, fits. Out: tables, cards, priors. Absent: reading and writing cards (see
`flow.registry`).
"""

from pathlib import Path

import click

from howgood.cli.knowledge import application_option, registry_option, say
from howgood.cli.nearest import NearestGroup
from howgood.cli.options import file_option, json_option, out_option, write_report
from howgood.decide.challenges import challenges, nearest, transfer
from howgood.flow import acceptability, registry
from howgood.learn.cards import prior_of_card
from howgood.records.card import ModelCard
from howgood.show import text
from howgood.show.cards import card_warning
from howgood.show.challenges import challenge_report, nearest_findings
from howgood.show.page import to_plain
from howgood.writing import write_text


@click.group("registry", cls=NearestGroup)
def command() -> None:
    """Model cards: what is known about acceptance, application by application."""


@command.command("list")
@registry_option
@json_option
def list_cards(folder: Path, as_json: bool) -> None:
    """List the published cards and those of the folder."""
    table = registry.card_table(registry.cards(folder))
    click.echo(text.to_json({"cards": table}) if as_json else text.text_table(table, width=130))


@command.command("show", short_help="Show one card: its name, or a .json file.")
@click.argument("card")
@registry_option
@json_option
def show_card(card: str, folder: Path, as_json: bool) -> None:
    """Show one CARD (its name or .json file); unknown values are null."""
    chosen = registry.find_card(card, folder=folder)
    _warn(chosen)
    content = chosen.to_dict()
    if not as_json:
        content["draws"] = f"{len(content['draws'].get('alpha', ()))} of each parameter"
    click.echo(text.to_json(content))


@command.command("add")
@click.argument("fit")
@application_option
@click.option(
    "--name", metavar="NAME", required=True, help="The card's name: letters, digits, - and _."
)
@click.option(
    "--description",
    metavar="TEXT",
    required=True,
    help="What respondents read about it, in a sentence.",
)
@click.option("--citation", default="unpublished", show_default=True,
              help="Where it is published.")  # fmt: skip
@click.option("--licence", default="not stated", show_default=True,
              help="Under which licence the card may be used.")  # fmt: skip
@click.option("--replace", is_flag=True, help="Replace a card of the same name.")
@click.option(
    "--prevalence", type=float,
    help="Of a fit with --specificity: the card of people who weigh all three, where this share of "
    "all cases is real.",
)  # fmt: skip
@registry_option
def add_card(
    fit: str,
    application: str | None,
    name: str,
    description: str,
    citation: str,
    licence: str,
    replace: bool,
    prevalence: float | None,
    folder: Path,
) -> None:
    """Write the card of one application of a saved FIT (.npz)."""
    card = registry.card_of_fit(
        acceptability.open_fit(fit),
        application,
        name=name,
        description=description,
        citation=citation,
        licence=licence,
        prevalence=prevalence,
    )
    _warn(card)
    click.echo(f"wrote {registry.write_card(card, folder=folder, replace=replace)}")


def _warn(card: ModelCard) -> None:
    """Say on the way what must be known of a card, whatever is done with it."""
    warning = card_warning(card)
    if warning:
        click.echo(f"warning: {card.name}: {warning}", err=True)


@command.command("prior")
@click.argument("card")
@click.option("--application", metavar="NAME", required=True, help="The new study's application.")
@click.option(
    "--widen", default=2.0, show_default=True, help="By how much to widen every standard deviation."
)
@file_option("--out", "Write the prior (.json), for `howgood fit --priors`.")
@registry_option
def prior(card: str, application: str, widen: float, out: Path | None, folder: Path) -> None:
    """Turn a CARD into a prior for a study of a similar application."""
    chosen = registry.find_card(card, folder=folder)
    _warn(chosen)
    card_prior = prior_of_card(chosen, application=application, widen=widen)
    written = text.to_json(card_prior.to_dict())
    if out is None:
        click.echo(written)
        return
    write_text(out, written + "\n")
    click.echo(f"Wrote {out}. Next: howgood fit ANSWERS --priors {out}")


@command.command("system")
@click.argument("card")
@click.option("--name", "system", required=True, help="The system's name.")
@click.option("--precision", type=float, required=True, help="Its precision, such as .9.")
@click.option("--recall", type=float, required=True, help="Its recall.")
@click.option(
    "--source",
    metavar="TEXT",
    required=True,
    help="Where these numbers come from: paper, report, page.",
)
@registry_option
def enter_system(
    card: str, system: str, precision: float, recall: float, source: str, folder: Path
) -> None:
    """Add what a system reaches in the application of a CARD."""
    path = registry.with_system(
        card, folder=folder, system=system, precision=precision, recall=recall, source=source
    )
    click.echo(f"wrote {path}")


@command.command("challenges", short_help="Show where a better system would win most people.")
@registry_option
@json_option
@out_option
def list_challenges(folder: Path, as_json: bool, out: Path | None) -> None:
    """Show in which application a better system would win the most people."""
    known = registry.readable_cards(folder)
    report = challenge_report(challenges(known), transfer(known))
    if as_json:
        click.echo(text.to_json(to_plain(report)))
    else:
        say(report.findings)
        table = report.sections[-1].table
        click.echo(text.text_table(table, width=150) if table is not None else "")
    if out:
        write_report(report, out)


@command.command("nearest", short_help="Find the card nearest to a description.")
@click.argument("description")
@registry_option
@json_option
def nearest_card(description: str, folder: Path, as_json: bool) -> None:
    """Say which card's application is nearest to a DESCRIPTION, and whether it is near at all."""
    known = registry.readable_cards(folder)
    near, apart = nearest(known, description), transfer(known)
    if as_json:
        values = [{**one._asdict(), "is_near": one.is_near, "is_far": one.is_far} for one in near]
        click.echo(text.to_json({"nearest": values, "transfer": apart._asdict()}))
        return
    say(nearest_findings(near, apart))


@command.command("site")
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@registry_option
def write_site(out: Path, folder: Path) -> None:
    """Write the whole library as a static site into the folder OUT."""
    pages = registry.write_site(registry.cards(folder), folder=out)
    click.echo(f"wrote {len(pages)} pages; open {pages[0]}")
