"""A result that a notebook shows as a sentence, a picture and a table.

In: a result. Out: small HTML without scripts. Absent: words and drawing (`show.notebook`).
"""

from importlib import import_module


class Shown:
    """A result that shows itself where HTML can be shown, as in Jupyter, Colab or VS Code."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        # Showing is a layer above results: it is looked up when somebody looks, never imported.
        html: str = import_module("howgood.show.notebook").html_of(self)
        return html
