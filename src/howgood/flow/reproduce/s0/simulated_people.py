"""What can only be checked on simulated people: recommendations on study size, and Study 2.

In: published parameters. Out: checks labelled as simulated. Absent: real answers.
"""

from howgood import decide
from howgood.flow.reproduce.s0.verdicts import Claim, simulated, true
from howgood.records.progress import Progress
from howgood.records.reproduction import Check
from howgood.show.numbers import percent, plain

# Alphas as published (Fig. 3A); intercepts and slopes as the public answers give them.
_APPLICATIONS = {
    "text message": {"alpha": 0.30, "intercept": -13.0, "slope": 16.0, "p": 0.0},
    "electricity": {"alpha": 0.49, "intercept": -17.5, "slope": 21.5, "p": 0.0},
}


def simulated_checks(*, random_state: int, progress: Progress) -> list[Check]:
    """Return the checks on simulated people."""
    return simulated(_size_checks(random_state, progress))


def _size_checks(random_state: int, progress: Progress) -> list[Check]:
    size = decide.study_size(
        _APPLICATIONS,
        width=0.25,
        people=(12, 25),
        per_person=(8, 16),
        studies=10,
        random_state=random_state,
        progress=lambda share, step: progress(0.7 + 0.1 * share, f"study size, {step}"),
    )
    power = {(row["people"], row["scenarios"]): row["power"] for row in size.power.rows()}
    widths = {
        (row["people"], row["scenarios"]): row["width"]
        for row in size.widths.rows()
        if row["application"] == "text message"
    }
    return [
        true(
            Claim(item="S0-56", place="Recommendations", text="20 to 25 people per application are "
                  "enough for credible differences like Study 1's (−.19)"),
            paper="enough",
            ours=f"25 people, 16 scenarios: told apart in {percent(power[25, 16])} of studies "
            f"(12 people: {percent(power[12, 16])})",
            holds=power[25, 16] >= 0.8,
            rule="told apart in at least 80 % of 10 simulated studies",
        ),
        true(
            Claim(item="S0-54", place="Recommendations", text="8 scenarios per person instead of "
                  "16 still serve"),
            paper="at most 8",
            ours=f"alpha interval {plain(widths[25, 8], digits=2)} wide instead of "
            f"{plain(widths[25, 16], digits=2)}; told apart in {percent(power[25, 8])}",
            holds=widths[25, 8] <= 1.6 * widths[25, 16],
            rule="the interval at most 1.6 times as wide (half the answers: about 1.4 expected)",
        ),
    ]  # fmt: skip
