"""A result that `print` and notebooks show as a sentence, a picture and a table.

In: a result. Out: text, or small HTML without scripts. Absent: words and drawing
(`show.notebook`).
"""

from importlib import import_module

from howgood.records.saved import Saved


class Shown(Saved):
    """A result that shows itself where HTML can be shown, as in Jupyter, Colab or VS Code."""

    __slots__ = ()

    def __str__(self) -> str:
        text: str = import_module("howgood.show.notebook").text_of(self)
        return text

    def _repr_html_(self) -> str:
        # Showing is a layer above results: it is looked up when somebody looks, never imported.
        html: str = import_module("howgood.show.notebook").html_of(self)
        return html
