"""The public library: everybody may ask, and a link is an answer."""

import re
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.flow.hosting.conftest import SURVEY

from howgood import decide
from howgood.flow.hosting import add_study
from howgood.flow.registry import cards
from howgood.kinds.study import Study
from howgood.store import cards as published
from howgood.web.middleware import Pace, Rate

WRONG, NOT_FOUND = 422, 404
CARD = "kay2015-answers-electricity"


def test_everybody_sees_the_cards_without_signing_in(browser):
    page = browser.get("/library")
    assert page.status_code == 200
    for name in cards():
        assert f'href="/library/{name}"' in page.text
    shown = re.findall(r'<h3><a href="/library/([^"]+)">([^<]+)</a>', page.text)
    assert dict(shown).keys() == cards().keys()
    assert not any("_" in name for _, name in shown)
    assert dict(shown)["kay2015-answers-alarm-police"] == "Alarm (police)"
    assert "alarm_police" not in browser.get("/library/kay2015-answers-alarm-police").text


def test_a_similar_application_is_offered_by_its_name(owner, host):
    study = SURVEY | {"survey": SURVEY["survey"] | {
        "applications": SURVEY["survey"]["applications"][:1], "branches": []}}  # fmt: skip
    add_study(host, Study.from_dict(study), folder=Path(), now=datetime.now(UTC))
    page = owner.get("/studies/doors/results")
    assert "similar application: Alarm (police) (kay2015-answers-alarm-police)" in page.text


def test_the_form_of_the_list_leads_to_an_answer_with_its_own_address(browser):
    page = browser.get(f"/library/nearest?card={CARD}&precision=85&recall=90")
    assert page.url.path == f"/library/{CARD}"
    assert parse_qs(urlsplit(str(page.url)).query) == {"precision": ["85"], "recall": ["90"]}
    known = cards()[CARD]
    target = decide.target(known, share=0.5, precision=0.85, recall=0.9)
    assert f"{100 * target.acceptance.mean:.0f} % [" in page.text
    assert "One more point of precision brings" in page.text
    assert "to be accepted by half of people" in page.text
    assert 'class="here"' in page.text


@pytest.mark.parametrize("given", ["precision=85&recall=90", "precision=0.85&recall=.9",
                                   "precision=85+%25&recall=90%25"])  # fmt: skip
def test_percentages_and_shares_are_understood_alike(browser, given):
    page = browser.get(f"/library/{CARD}?{given}")
    assert "85 % precision and 90 % recall" in page.text


def test_a_share_next_to_a_percentage_is_asked_about_and_never_guessed(browser):
    page = browser.get(f"/library/{CARD}?precision=1&recall=85")
    assert page.status_code == WRONG
    assert "precision 1 next to recall 85" in page.text
    assert "Write 1 %, or 100 %" in page.text
    clear = browser.get(f"/library/{CARD}?precision=1%25&recall=85")
    assert "1 % precision and 85 % recall" in clear.text


def test_what_was_typed_is_shown_with_its_decimals(browser):
    page = browser.get(f"/library/{CARD}?precision=82.5&recall=90")
    assert "82.5 % precision and 90 % recall" in page.text
    assert "precision=82.5&amp;recall=90" in page.text
    drawn = browser.get(f"/library/{CARD}/picture.svg?precision=82.5&recall=90")
    assert "82.5 % precision" in drawn.text


def test_a_confusion_matrix_adds_the_doubt_of_the_test_set(browser):
    def width(matrix):
        page = browser.get(f"/library/{CARD}?matrix={matrix}")
        lower, upper = re.search(r"\d+\s% \[(\d+)–(\d+)\] of people", page.text).groups()
        return int(upper) - int(lower)

    assert width("17 3 3 97") > width("17000 3000 3000 97000")


@pytest.mark.parametrize("given", ["precision=abc&recall=80", "precision=120&recall=80",
                                   "precision=85", "matrix=1+2+3", "matrix=a+b+c+d",
                                   "matrix=0+0+0+5", "precision=-5&recall=3",
                                   "precision=nan&recall=5", "matrix=1e9,2,3,4"])  # fmt: skip
def test_wrong_input_is_explained(browser, given):
    page = browser.get(f"/library/{CARD}?{given}")
    assert page.status_code == WRONG
    assert 'role="alert"' in page.text


def test_a_table_is_counted_and_forgotten(browser):
    rows = ["cat,cat"] * 8 + ["cat,dog"] * 2 + ["dog,cat"] * 1 + ["dog,dog"] * 9
    content = "\n".join(["y_true,y_pred", *rows]).encode()
    page = browser.post(
        f"/library/{CARD}", files={"file": ("x.csv", content)}, data={"positive": "cat"}
    )
    assert "matrix=8+2+1+9" in str(page.url)
    assert "80 % recall" in page.text


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"a,b\n1,2\n", "columns a, b"), (b"", "empty"),
     (b"y_true,y_pred\n0,0\n", "no &#39;1&#39;")],
)  # fmt: skip
def test_a_wrong_table_is_refused_kindly(browser, content, told):
    page = browser.post(f"/library/{CARD}", files={"file": ("x.csv", content)})
    assert page.status_code == WRONG
    assert told in page.text


def test_nothing_chosen_and_nothing_known_are_told_apart(browser):
    assert browser.post(f"/library/{CARD}", data={"positive": "1"}).status_code == WRONG
    assert browser.get("/library/no-such-card").status_code == NOT_FOUND
    assert browser.get("/library/nearest?card=").url.path in ("/library/", "/library")
    assert browser.get(f"/library/{CARD}").status_code == 200


def test_asking_without_end_is_slowed_down(browser):
    browser.app.state.questions = Rate(Pace(at_once=2, per_second=0.001))
    pages = [browser.get(f"/library/{CARD}") for _ in range(3)]
    assert [page.status_code for page in pages] == [200, 200, 429]
    assert pages[-1].headers["Retry-After"]


def test_a_published_card_without_draws_informs_but_does_not_predict(browser):
    page = browser.get("/library/kay2015-electricity?precision=85&recall=85")
    assert page.status_code == 200
    assert "cannot predict" in page.text


@pytest.mark.parametrize(("people", "is_said"), [(6, True), (9, True), (10, False), (40, False)])
def test_a_card_from_few_people_carries_its_warning_everywhere(
    browser, owner, host, people, is_said
):
    row = add_study(host, Study.from_dict(SURVEY), folder=Path(), now=datetime.now(UTC))
    card = cards()[CARD].changed(name="doors-bell", n_respondents=people)
    host.database.write(
        lambda c: published.publish(c, row.number, card.name, card.to_dict(), now=datetime.now(UTC))
    )
    said = f"this card rests on the answers of {people}."
    for page in ("/library", "/library/doors-bell", "/library/doors-bell?precision=85&recall=85"):
        assert (said in browser.get(page).text) == is_said, page
    (listed,) = [each for each in browser.get("/api/v1/library").json()["cards"]
                 if each["name"] == "doors-bell"]  # fmt: skip
    assert (said in listed["warning"]) == is_said
    assert "doors-bell" in owner.get("/studies/doors/data").text  # erasing would take it along


def test_a_card_answers_85_percent_before_anything_is_typed(browser):
    page = browser.get(f"/library/{CARD}").text
    target = decide.target(cards()[CARD], share=0.5, precision=0.85, recall=0.85)
    assert f"<span data-hero>{100 * target.acceptance.mean:.0f} %</span>" in page
    assert "data-map=" in page  # the sliders


def test_four_cells_are_a_confusion_matrix(browser):
    page = browser.get(f"/library/{CARD}?tp=17&fn=3&fp=4&tn=96")
    same = browser.get(f"/library/{CARD}?matrix=17+3+4+96")
    hero = re.compile(r"data-hero>([^<]+)<")
    assert hero.search(page.text)[1] == hero.search(same.text)[1]
    assert browser.get(f"/library/{CARD}?tp=17&fn=3").status_code == WRONG


def test_columns_and_the_positive_label_are_guessed_or_named(browser):
    rows = ["yes,yes"] * 8 + ["yes,no"] * 2 + ["no,yes"] * 1 + ["no,no"] * 9
    content = "\n".join(["Label,Prediction", *rows]).encode()
    page = browser.post(f"/library/{CARD}", files={"file": ("x.csv", content)})
    assert "matrix=8+2+1+9" in str(page.url)
    named = content.replace(b"Label,Prediction", b"a,b")
    page = browser.post(f"/library/{CARD}", files={"file": ("x.csv", named)},
                        data={"truth": "a", "predicted": "b"})  # fmt: skip
    assert "matrix=8+2+1+9" in str(page.url)


def test_an_answer_can_be_embedded_as_a_picture(browser):
    page = browser.get(f"/library/{CARD}?precision=85&recall=90")
    assert f"/library/{CARD}/picture.svg?precision=85&amp;recall=90" in page.text
    picture = browser.get(f"/library/{CARD}/picture.svg?precision=85&recall=90")
    assert picture.headers["content-type"] == "image/svg+xml"
    assert "85 % precision, 90 % recall" in picture.text
    assert "var(--paper)" in picture.text
    assert browser.get(f"/library/{CARD}/picture.svg?precision=no").status_code == NOT_FOUND
    assert browser.get("/library/none/picture.svg").status_code == NOT_FOUND


def test_the_list_says_which_card_is_near_and_when_none_is(browser):
    page = browser.get("/library?about=A+home+alarm+that+calls+the+police+when+a+stranger+enters")
    assert "much the same is described" in page.text
    assert 'href="/library/kay2015-answers-alarm-police">Alarm (police)</a>' in page.text
    page = browser.get("/library", params={"about": "<script>milk</script> for fridges"})
    assert "No card is near" in page.text
    assert "<script>milk" not in page.text
    assert "applications were missed by" in page.text


def test_the_list_says_where_research_would_matter_most(browser):
    page = browser.get("/library").text
    assert "Where research would matter most" in page
    assert "nobody entered what systems reach" in page
    assert "best system" not in page  # the head of a table with nothing in it
    assert "the 4 applications were missed" in page
