"""The comparison card says the same in picture and words, and is safe to inline."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood import ask
from howgood.records.comparison import ComparisonWording
from howgood.records.confusion import ConfusionMatrix
from howgood.show.comparison_card import comparison_card
from howgood.show.comparison_text import class_rates, described, difference

WORDS = ask.CANCER_WORDING


def matrix(tp, fn, fp, tn):
    return ConfusionMatrix(
        true_positives=tp, false_negatives=fn, false_positives=fp, true_negatives=tn
    )


@st.composite
def cards(draw):
    positives = draw(st.integers(0, 100))
    missed = draw(st.integers(0, positives))
    alarms = draw(st.integers(0, 100 - positives))
    return matrix(positives - missed, missed, alarms, 100 - positives - alarms)


MATRICES = cards()
A, B = matrix(32, 3, 7, 58), matrix(34, 1, 14, 51)


def test_the_difference_in_words():
    assert difference(A, B, WORDS) == (
        "Compared with A, system B has 2 fewer missed cancers and 7 more false alarms."
    )
    assert "1 more missed cancer and" in difference(B, matrix(33, 2, 14, 51), WORDS)
    assert "as many missed cancers" in difference(A, matrix(32, 3, 8, 57), WORDS)


def test_rates_are_of_the_displayed_numbers():
    assert class_rates(A, WORDS) == (
        "Of the 35 with cancer: 32 found (91 %)",
        "Of the 65 without cancer: 58 correctly cleared (89 %)",
    )


def test_nearly_all_is_not_all_and_numbers_are_read_as_in_the_language():
    rare = matrix(33, 7, 3, 9957)
    assert class_rates(rare, WORDS)[1] == (
        "Of the 9,960 without cancer: 9,957 correctly cleared (> 99 %)"
    )
    assert "(< 1 %)" in class_rates(matrix(33, 7, 9957, 3), WORDS)[1]
    assert "(100 %)" in class_rates(matrix(33, 7, 0, 9960), WORDS)[1]
    assert "(0 %)" in class_rates(matrix(33, 7, 9960, 0), WORDS)[1]
    assert "9.960" in class_rates(rare, WORDS, language="de")[1]
    assert ">Out of 10,000 patients</text>" in comparison_card(rare, WORDS)
    assert ">Von 10.000 patients</text>" in comparison_card(rare, WORDS, language="de")
    assert "1,200 more false alarms" in difference(rare, matrix(33, 7, 1203, 8757), WORDS)


@given(MATRICES, st.booleans())
def test_every_card_is_well_formed_and_tells_everything_in_words(card, bars):
    root = ElementTree.fromstring(comparison_card(card, WORDS, name="A", bars=bars))  # noqa: S314 - our own picture
    space = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img"
    assert root.find(f"{space}title").text == "System A"
    told = root.find(f"{space}desc").text
    assert told == described(card, WORDS, name="A")
    for count in card.to_dict().values():
        assert f": {count}" in told
    shown = " ".join(each.text or "" for each in root.iter(f"{space}text"))
    assert f"flagged low risk: {card.false_negatives} — missed" in shown.replace("  ", " ")


@given(MATRICES)
def test_ribbons_are_as_wide_as_their_counts(card):
    svg = comparison_card(card, WORDS)
    widths = []
    for start, end in re.findall(r"M114 ([\d.]+)C.*? 114 ([\d.]+)Z", svg):
        widths.append(round(float(end) - float(start), 1))
    expected = [
        max(round(1.7 * count, 1), 1.5)
        for count in (
            card.true_positives,
            card.true_negatives,
            card.false_negatives,
            card.false_positives,
        )
        if count
    ]
    assert widths == pytest.approx(expected, abs=0.11)


def test_words_of_a_study_cannot_break_out_of_the_picture():
    hostile = replace(WORDS, positive='<script>alert("x")</script> & co')
    assert "<script" not in comparison_card(A, hostile)


def test_a_wording_survives_plain_values_and_refuses_gaps():
    from howgood.errors import InputError

    assert ComparisonWording.from_dict(WORDS.to_dict()) == WORDS
    with pytest.raises(InputError, match="no words for miss"):
        replace(WORDS, miss=" ")
    with pytest.raises(InputError, match="unknown"):
        ComparisonWording.from_dict({"task": "x"})


def test_a_page_that_forbids_inline_styles_has_the_style_of_the_cards():
    from importlib.resources import files

    from howgood.show.comparison_card import STYLE

    assert "<style" not in comparison_card(A, WORDS, is_styled=False)
    sheet = (files("howgood.web") / "static" / "howgood.css").read_text(encoding="utf-8")
    assert STYLE in sheet


def test_a_card_speaks_german_when_asked():
    words = replace(
        WORDS, with_positive="mit Krebs", found="gefunden", misses="übersehene Krebsfälle"
    )
    assert class_rates(A, words, language="de")[0] == "Von 35 mit Krebs: 32 gefunden (91 %)"
    assert "2 übersehene Krebsfälle weniger" in difference(A, B, words, language="de")
    assert "System A sagt" in comparison_card(A, words, language="de")
