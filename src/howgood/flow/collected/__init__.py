"""What a study has collected: tidy rows, their codebook, and files of them."""

from howgood.flow.collected.codebook import codebook
from howgood.flow.collected.export import (
    DataFile,
    ExportChoice,
    codebook_csv,
    data_file,
    exported,
    identities,
)
from howgood.flow.collected.rows import (
    Holdings,
    collected_codebook,
    holdings,
    page_of_rows,
    tidy_rows,
)
from howgood.flow.collected.taken_out import note_taken_out

__all__ = [
    "DataFile",
    "ExportChoice",
    "Holdings",
    "codebook",
    "codebook_csv",
    "collected_codebook",
    "data_file",
    "exported",
    "holdings",
    "identities",
    "note_taken_out",
    "page_of_rows",
    "tidy_rows",
]
