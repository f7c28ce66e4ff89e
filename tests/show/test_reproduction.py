"""A reproduction as text."""

from howgood.records.reproduction import Check, Reproduction
from howgood.show.reproduction import reproduction_text


def test_every_check_shows_both_numbers_its_rule_and_its_note():
    checks = (
        Check(item="S0-1", place="Fig. 1", claim="a", paper="1", ours="2", verdict="does not hold",
              rule="within .1", note="why"),
        Check(item="S0-2", place="Fig. 2", claim="b", paper="3", ours="",
              verdict="cannot be checked here"),
    )  # fmt: skip
    text = reproduction_text(
        Reproduction(paper="s0", citation="Somebody (2015)", checks=checks, errata=("a misprint",))
    )
    assert "0 hold, 1 do not hold, 1 cannot be checked here" in text
    assert "✗ S0-1 Fig. 1: a" in text
    assert "does not hold: paper 1, ours 2 (within .1)" in text
    assert "why" in text
    assert "? S0-2" in text
    assert "erratum: a misprint" in text
