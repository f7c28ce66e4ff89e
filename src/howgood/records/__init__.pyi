# Where each public name lives; `howgood.lazy` reads this too.
from howgood.records.acceptance import AcceptanceDraws as AcceptanceDraws
from howgood.records.acceptance import AcceptanceModel as AcceptanceModel
from howgood.records.estimate import Estimate as Estimate
from howgood.records.estimate import Interval as Interval
from howgood.records.outcomes import ContextCodes as ContextCodes
from howgood.records.outcomes import OutcomeTable as OutcomeTable
from howgood.records.power_mean import PowerMean as PowerMean
from howgood.records.provenance import Provenance as Provenance
from howgood.records.report import Finding as Finding
from howgood.records.report import Report as Report
from howgood.records.report import Section as Section
from howgood.records.reproduction import Check as Check
from howgood.records.reproduction import Reproduction as Reproduction
from howgood.records.table import Table as Table
