"""`howgood registry`: model cards of applications.

In: a folder of cards, fits. Out: tables, cards, priors. Absent: reading and writing cards (see
`flow.registry`).
"""

from pathlib import Path

import click

from howgood.flow import acceptability, registry
from howgood.learn.cards import prior_of_card
from howgood.records.card import ModelCard
from howgood.show import text
from howgood.show.cards import card_warning
from howgood.writing import write_text

_FOLDER = click.option(
    "--registry", "folder", type=click.Path(path_type=Path, file_okay=False),
    default=registry.DEFAULT_FOLDER, show_default=True, help="Folder of model cards.",
)  # fmt: skip
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


@click.group("registry")
def command() -> None:
    """Model cards: what is known about acceptance, application by application."""


@command.command("list")
@_FOLDER
@_JSON
def list_cards(folder: Path, as_json: bool) -> None:
    """List the published cards and those of the folder."""
    table = registry.card_table(registry.cards(folder))
    click.echo(text.to_json({"cards": table}) if as_json else text.text_table(table, width=130))


@command.command("show")
@click.argument("card")
@_FOLDER
@_JSON
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
@click.option("--application", help="Which application; needed when there are several.")
@click.option("--name", required=True, help="The card's name: letters, digits, - and _.")
@click.option("--description", required=True, help="What respondents read about it, in a sentence.")
@click.option("--citation", default="unpublished", show_default=True)
@click.option("--licence", default="not stated", show_default=True)
@click.option("--replace", is_flag=True, help="Replace a card of the same name.")
@_FOLDER
def add_card(
    fit: str,
    application: str | None,
    name: str,
    description: str,
    citation: str,
    licence: str,
    replace: bool,
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
@click.option("--application", required=True, help="The new study's application.")
@click.option("--widen", default=2.0, show_default=True, help="Factor on every sd.")
@click.option("--out", type=click.Path(path_type=Path), help="Write it for `howgood fit --priors`.")
@_FOLDER
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
