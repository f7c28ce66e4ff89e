"""The nouns the stages hand on: frozen, checked, free of input and output."""

from howgood.records.acceptance import AcceptanceDraws, AcceptanceModel
from howgood.records.estimate import Estimate, Interval
from howgood.records.outcomes import ContextCodes, OutcomeTable
from howgood.records.power_mean import PowerMean
from howgood.records.provenance import Provenance
from howgood.records.report import Finding, Report, Section
from howgood.records.reproduction import Check, Reproduction
from howgood.records.table import Table

__all__ = [
    "AcceptanceDraws",
    "AcceptanceModel",
    "Check",
    "ContextCodes",
    "Estimate",
    "Finding",
    "Interval",
    "OutcomeTable",
    "PowerMean",
    "Provenance",
    "Report",
    "Reproduction",
    "Section",
    "Table",
]
