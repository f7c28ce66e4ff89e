"""Fixtures for pytest: `howgood_gate` and `howgood_ship` fail a test with one sentence.

In: what is known about people (a saved fit, a card, or a table of answers) or an elicited metric,
with true and predicted labels; or two evaluation logs. Out: the `Gate`, the `MetricGate` or the
`ShipDecision`; the test fails where too few people would accept the model, or where the candidate
is not better. Loaded by pytest
wherever howgood is installed, so nothing else is imported before a test asks.

Stability: experimental
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from howgood.records.decision import Gate, MetricGate
    from howgood.records.shipping import ShipDecision

_FOUND: "pytest.StashKey[list[tuple[str, Gate | MetricGate]]]" = pytest.StashKey()
_SHIPPED: "pytest.StashKey[list[tuple[str, ShipDecision]]]" = pytest.StashKey()


class AskGate(Protocol):
    """What the fixture `howgood_gate` gives: a function that asks the gate."""

    def __call__(
        self,
        model: object,
        y_true: "ArrayLike",
        y_pred: "ArrayLike",
        *,
        application: str | None = None,
        share: float | None = None,
        than: "ArrayLike | None" = None,
        margin: float = 0.0,
        certainty: float = 0.95,
        strict: bool = False,
        random_state: int | None = 1,
    ) -> "Gate | MetricGate":
        """Return the gate, or fail the test."""


class AskShip(Protocol):
    """What the fixture `howgood_ship` gives: a function that compares two evaluations."""

    def __call__(
        self,
        base: Any,  # noqa: ANN401 - a path, a log, any frame
        candidate: Any,  # noqa: ANN401 - the same
        *,
        undecided: str = "fail",
        **options: Any,  # noqa: ANN401 - whatever `decide.ship` takes
    ) -> "ShipDecision":
        """Return the decision, or fail the test."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what a project says once for all its gates."""
    group = parser.getgroup("howgood")
    group.addoption("--howgood-badge", metavar="FILE", help="Write the last gate's badge (JSON).")
    parser.addini("howgood_share", "Share of people that must accept a model.", default="0.8")


@pytest.fixture
def howgood_gate(request: pytest.FixtureRequest) -> AskGate:
    """Ask whether enough people would accept a model; fail the test where too few would.

    `model` is a fit, or the file of one, a card's name, or a table of answers. It may also be an
    elicited metric, or the file of one: then the question is whether `y_pred` is better than the
    labels `than` by more than `margin` (without them, than flagging nothing or everything).
    "Investigate" (the evidence does not say) fails with `strict=True` alone, and is in the summary
    otherwise.
    """

    def ask(
        model: object,
        y_true: "ArrayLike",
        y_pred: "ArrayLike",
        *,
        strict: bool = False,
        **options: Any,  # noqa: ANN401 - those of `AskGate`
    ) -> "Gate | MetricGate":
        from howgood.show.decisions import gate_findings

        usual = float(request.config.getini("howgood_share"))
        gate = _gate(model, y_true, y_pred, usual_share=usual, **options)
        request.config.stash.setdefault(_FOUND, []).append((request.node.nodeid, gate))
        if gate.verdict == "fail" or (strict and gate.verdict == "investigate"):
            pytest.fail(
                " ".join(gate_finding.text for gate_finding in gate_findings(gate)), pytrace=False
            )
        return gate

    return ask


def _gate(
    model: object,
    y_true: "ArrayLike",
    y_pred: "ArrayLike",
    *,
    usual_share: float,
    application: str | None = None,
    share: float | None = None,
    than: "ArrayLike | None" = None,
    margin: float = 0.0,
    certainty: float = 0.95,
    random_state: int | None = 1,
) -> "Gate | MetricGate":
    """Return the gate of people, or of the metric that was elicited from one of them."""
    from howgood import decide
    from howgood.flow.acceptability import open_model
    from howgood.learn.elicitation.saved import is_elicited, load_elicited
    from howgood.records.acceptance import AcceptanceModel, PartedModel

    if isinstance(model, str | Path):
        model = (
            load_elicited(model)
            if is_elicited(model)
            else open_model(str(model), random_state=random_state)
        )
    if isinstance(model, AcceptanceModel | PartedModel):
        if than is not None or margin:
            raise TypeError("than and margin compare by an elicited metric; the model is of people")
        return decide.gate(
            model, application, y_true, y_pred, share=usual_share if share is None else share,
            certainty=certainty, random_state=random_state,
        )  # fmt: skip
    if share is not None or application is not None:
        raise TypeError("share and application are of people; the model is one person's metric")
    return decide.metric_gate(
        model, y_true, y_pred, than=than, margin=margin, certainty=certainty,
        random_state=random_state,
    )  # fmt: skip


@pytest.fixture
def howgood_ship(request: pytest.FixtureRequest) -> AskShip:
    """Compare two evaluation logs; fail the test unless the candidate may replace the base.

    Takes what `decide.ship` takes. `undecided="pass"` lets "not enough evidence" through; it is in
    the summary all the same.
    """

    def ask(
        base: Any,  # noqa: ANN401 - a path, a log, any frame
        candidate: Any,  # noqa: ANN401 - the same
        *,
        undecided: str = "fail",
        **options: Any,  # noqa: ANN401 - whatever `decide.ship` takes
    ) -> "ShipDecision":
        from howgood import decide

        decision = decide.ship(base, candidate, **options)
        request.config.stash.setdefault(_SHIPPED, []).append((request.node.nodeid, decision))
        is_open = decision.verdict == "not enough evidence"
        if decision.verdict == "do not ship" or (is_open and undecided == "fail"):
            pytest.fail(decision.sentence, pytrace=False)
        return decision

    return ask


def pytest_terminal_summary(
    terminalreporter: "pytest.TerminalReporter", config: pytest.Config
) -> None:
    """Say every verdict, passed or not, and write the badge."""
    shipped = config.stash.get(_SHIPPED, [])
    if shipped:
        terminalreporter.section("howgood: may we ship?")
    for name, decision in shipped:
        terminalreporter.write_line(f"{name}: {decision.sentence}")
    verdicts = config.stash.get(_FOUND, [])
    if not verdicts:
        return
    from howgood.show.decisions import gate_badge, gate_findings
    from howgood.show.text import to_json
    from howgood.writing import write_text

    is_of_people = any(hasattr(gate, "application") for _, gate in verdicts)
    asked = "would people accept it?" if is_of_people else "is it better?"
    terminalreporter.section(f"howgood: {asked}")
    for name, gate in verdicts:
        terminalreporter.write_line(f"{name}: {gate_findings(gate)[0].text}")
    badge = config.getoption("--howgood-badge")
    if badge:
        write_text(Path(badge), to_json(gate_badge(verdicts[-1][1])) + "\n")
