"""What a study has collected: tidy rows, their codebook, and files of them."""

from howgood.flow.collected.codebook import codebook
from howgood.flow.collected.rows import collected_codebook, tidy_rows

__all__ = ["codebook", "collected_codebook", "tidy_rows"]
