"""A reproduction as text."""

from howgood.records.reproduction import Check, Reproduction
from howgood.show.reproduction import reproduction_report, reproduction_text


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
    assert "? 1 claim cannot be checked here" in text
    assert "S0-2 Fig. 2: b (paper: 3)" in text
    assert "erratum: a misprint" in text


def test_claims_that_wait_for_the_same_thing_are_one_group():
    checks = tuple(
        Check(item=f"S0-{i}", place="Fig. 1", claim="a", paper="1", ours="",
              verdict="cannot be checked here", note="needs the data" if i < 3 else "not public")
        for i in range(5)
    )  # fmt: skip
    reproduction = Reproduction(paper="s0", citation="Somebody (2015)", checks=checks)
    text = reproduction_text(reproduction)
    assert text.count("? 3 claims cannot be checked here: needs the data") == 1
    assert text.count("? 2 claims cannot be checked here: not public") == 1
    titles = [each.title for each in reproduction_report([reproduction]).sections]
    assert titles.count("s0: not checked here") == 2
