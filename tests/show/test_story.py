"""A report as one story: the answer first, few findings above the picture, nothing lost."""

import json
import re
from dataclasses import replace
from html import unescape

import numpy as np

from howgood.records.acceptance import AcceptanceDraws
from howgood.records.provenance import Provenance
from howgood.records.report import Finding, Headline, Report, Section
from howgood.records.result import report_from, report_values
from howgood.records.table import Table
from howgood.show.page import to_html
from howgood.show.story import table_html

DRAWS = AcceptanceDraws(
    application="alarm", p=[0.0, -1.0, 1.0, 0.0], alpha=[0.3, 0.4, 0.5, 0.6],
    intercept=[-12.0, -11.0, -10.0, -13.0], slope=[16.0, 15.0, 14.0, 17.0],
    person_sd=[1.0, 2.0, 2.5, 0.5], n_respondents=7, lowest_shown=0.5,
)  # fmt: skip
HEADLINE = Headline(
    title="<Alarm>", text="At 85 % precision and 85 % recall, 76 % would accept it.",
    share=(0.64, 0.76, 0.86), point=(0.85, 0.85), people=7, wanted=25, more=("Misses weigh more.",),
    is_enough=False, acceptance=DRAWS,
)  # fmt: skip
FINDINGS = tuple(Finding(text=f"Finding {number}.") for number in range(8))


def _report(**changes):
    sections = (
        Section(title="Curve", svg='<svg role="img"></svg>', alt="A curve"),
        Section(title="Parameters", table=Table({"x": [1.0]}), is_detail=True),
    )
    values = {"title": "T", "question": "Q?", "findings": FINDINGS, "sections": sections,
              "methods": "M", "provenance": Provenance(method="by hand")}  # fmt: skip
    return Report(**(values | changes))


def test_at_most_three_findings_stand_above_the_first_picture_and_none_is_lost():
    for headlines in ((), (HEADLINE,)):
        page = to_html(_report(headlines=headlines))
        above = page.partition("<figure")[0]
        assert above.count("<li class") <= 3
        assert all(page.count(each.text) == 1 for each in FINDINGS)


def test_a_warning_of_thin_evidence_stands_above_the_answer():
    thin = Finding(text="Not enough evidence. Few people answered.", tone="unsure")
    page = to_html(_report(findings=(*FINDINGS, thin), headlines=(HEADLINE,)))
    above = page.partition('class="verdict')[0]
    assert above.count("<li class") == 1
    assert "Not enough evidence" in above
    assert "! Caution." in above  # never by colour alone


def test_statistics_are_behind_folds_and_the_evidence_is_a_number_of_people():
    page = to_html(_report(headlines=(HEADLINE,)))
    fold = page.index('<details class="fold"><summary>Parameters')
    assert fold > page.index("<h2>Curve</h2>")
    assert "7 of about 25 people" in page
    assert "&lt;Alarm&gt;" in page
    assert "<Alarm>" not in page


def test_the_only_answer_has_the_first_picture_next_to_it_unless_it_has_a_map():
    without = replace(HEADLINE, acceptance=None, hero="3.8", caption="false alarms")
    page = to_html(_report(headlines=(without,)))
    verdict = page.partition('class="verdict with-picture"')[2].partition("</section></section>")[0]
    assert "<h3>Curve</h3>" in verdict
    assert page.count('<svg role="img"></svg>') == 1
    assert "<h2>Curve</h2>" in to_html(_report(headlines=(HEADLINE,)))
    assert "<h2>Curve</h2>" in to_html(_report(headlines=(without, without)))


def test_a_report_without_a_map_has_no_script():
    assert "<script" not in to_html(_report())
    assert "<script" in to_html(_report(headlines=(HEADLINE,)))


def test_the_map_has_the_draws_of_the_fit_and_hatches_what_nobody_was_asked_about():
    page = to_html(_report(headlines=(HEADLINE,)))
    values = json.loads(unescape(re.search(r'data-map="([^"]+)"', page)[1]))
    assert np.allclose(values["alpha"], DRAWS.alpha)
    assert values["lowest"] == 0.5
    # Precision 40 and recall 60 are 50 on average: the last line of the hatch ends there.
    lines = re.findall(r'class="hatch" x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="', page)
    assert max(float(end) for _, _, end in lines) <= 52 + 360 * 0.2 / 0.6 + 0.1


def test_headlines_survive_being_stored():
    report = _report(headlines=(HEADLINE,))
    again = report_from(json.loads(json.dumps(report_values(report))))
    assert again.headlines[0].text == HEADLINE.text
    assert np.allclose(again.headlines[0].acceptance.slope, DRAWS.slope)
    assert again.sections[1].is_detail
    old = report_values(report)
    del old["headlines"]
    assert report_from(old).headlines == ()


def test_a_number_and_its_interval_stay_in_one_line():
    table = Table(
        {"system": ["a long name of a system"], "score": ["0.744 ± 0.015"], "rank": ["1 to 2"]}
    )
    shown = table_html(table)
    assert '<td class="value">0.744 ± 0.015</td>' in shown
    assert "<td>a long name of a system</td>" in shown
    assert "<td>1 to 2</td>" in shown


def test_a_table_without_rows_is_not_shown_and_settings_are_in_words():
    report = Report(
        title="t", question="q", findings=(), methods="m",
        sections=(Section(title="How many", text="None.", table=Table({"raters": []})),),
        provenance=Provenance(
            method="m", settings={"rho": 0.11250652963536148, "read as": {"left": "a", "n": [2, 3]}}
        ),
    )  # fmt: skip
    shown = to_html(report)
    assert "raters" not in shown
    assert "0.1125065<" in shown
    assert "left: a; n: 2, 3<" in shown
