"""A study with logic, from the answers to the data: who goes on, who is counted, who is not."""

import asyncio
from collections import Counter
from datetime import timedelta

import pytest
from tests.flow.hosting.conftest import NOW, SURVEY, look

from howgood.flow import hosting
from howgood.flow.collected import collected_codebook, tidy_rows
from howgood.flow.hosting import Reason, RefusedError, Visitor, filled_form
from howgood.flow.participate import answers_as_rows, fill, take_part
from howgood.kinds.study import Study

PETS = [{"key": key, "text": key.title()} for key in ("cat", "dog", "none")]
LOGIC = SURVEY | {
    "slug": "logic",
    "demographics": [
        {"key": "age", "text": "How old are you?", "type": "number", "minimum": 0, "maximum": 99,
         "required": True},
        {"key": "pet", "text": "Which pet?", "options": PETS, "required": True,
         "shuffle_options": True},
        {"key": "name", "text": "What is the name of your {answer.pet|pet}?", "type": "text",
         "show_if": {"question": "pet", "none_of": ["none"]}},
        {"key": "one", "text": "One?", "type": "text", "block": "any"},
        {"key": "two", "text": "Two?", "type": "text", "block": "any"},
    ],
    "closing": [
        {"key": "vet", "text": "How is the vet of {answer.name|your pet}?", "type": "text",
         "show_if": [{"question": "pet", "any_of": ["dog"]}, {"question": "age", "at_least": 30}]},
    ],
    "blocks": [{"key": "any", "show": 1}],
    "screen_outs": [{"key": "young", "text": "This study is for **adults**.",
                     "when": {"question": "age", "at_most": 17}}],
    "quotas": [{"key": "cats", "people": 7, "when": {"question": "pet", "any_of": ["cat"]}},
               {"key": "dogs", "people": 5, "when": {"question": "pet", "any_of": ["dog"]}}],
    "completion": {"code": "DONE", "redirect": "https://example.org/?code={code}"},
    "endings": {
        "screened_out": {"code": "OUT", "redirect": "https://example.org/?code={code}"},
        "full": {"code": "FULL", "text": "Enough pets of this kind.",
                 "redirect": "https://example.org/?code={code}&who={participant}"},
        "declined": {"code": "NO"},
    },
}  # fmt: skip


# The same with rules on applications: owners of a cat or a dog judge one more.
_FIRST = SURVEY["survey"]["applications"][0]
RULED = LOGIC | {
    "survey": {key: value for key, value in SURVEY["survey"].items() if key != "branches"}
    | {"applications": [
        _FIRST,
        _FIRST | {"key": "camera", "name": "Camera",
                  "show_if": {"question": "pet", "none_of": ["none"]}},
        _FIRST | {"key": "feeder", "name": "Feeder",
                  "show_if": [{"question": "pet", "any_of": ["cat"]},
                              {"question": "age", "at_least": 30}]},
    ]},
}  # fmt: skip
STUDIES = {"questions": LOGIC, "applications": RULED}


def _walk(someone):
    """Answer everything; return the keys of the screens, or the refusal that ended it."""
    seen = []
    try:
        while not (view := someone.look()).screen.is_last:
            seen.append(view.screen.key)
            someone.send(view, **someone.says)
    except RefusedError as error:
        return seen, error
    return [*seen, view.screen.key], None


@pytest.fixture
def arrives(person, run):
    run(LOGIC)

    def arrive(**says):
        someone = person("logic", seed=len(says))
        someone.says = says
        someone.begin()
        return someone

    return arrive


def test_somebody_sees_the_questions_their_answers_lead_to(host, arrives):
    someone = arrives(age="40", pet="dog", name="Rex")
    assert someone.look().screen.key == "demographics"
    someone.send(**someone.says)
    view = someone.look()
    assert view.screen.key == "demographics-2"
    assert view.screen.fields[0].label == "What is the name of your Dog?"
    assert len(view.screen.fields) == 2  # the name, and one of the random block
    seen, _ = _walk(someone)
    assert seen[-2:] == ["closing", "finished"]
    (row,) = tidy_rows(host, "logic", table="participants")
    assert (row["name"], row["status"], row["screened_out"]) == ("Rex", "complete", None)
    assert [row["one"], row["two"]].count(None) == 1


def test_questions_that_do_not_fit_are_left_out_and_progress_never_goes_back(host, arrives):
    someone = arrives(age="40", pet="none")
    shares = []
    while not (view := someone.look()).screen.is_last:
        shares.append(view.screen.place.share)
        assert "name" not in {field.name for field in view.screen.fields}
        someone.send(view, **someone.says)
    assert shares == sorted(shares)
    (row,) = tidy_rows(host, "logic", table="participants")
    assert (row["name"], row["vet"]) == (None, None)


def test_a_required_question_has_to_be_answered(host, arrives):
    someone = arrives(age="", pet="dog")
    sent = someone.send(**someone.says)
    assert list(sent.view.problems) == ["age"]
    (field,) = [field for field in sent.view.screen.fields if field.name == "pet"]
    assert all(option.value for option in field.options)  # nothing to say nothing with


def test_who_cannot_take_part_reads_why_and_holds_no_place(host, arrives):
    someone = arrives(age="12", pet="cat")
    assert _walk(someone) == (["demographics", "screened-out-young"], None)
    view = someone.look()
    assert "This study is for " in str(view.screen.blocks)
    assert "OUT" in str(view.screen.blocks)
    assert hosting.way_back(view.study, {}, view.screen.ending) == "https://example.org/?code=OUT"
    (row,) = tidy_rows(host, "logic", table="participants")
    assert (row["status"], row["screened_out"], row["finished_at"]) == (
        "screened_out",
        "young",
        None,
    )


def test_who_declines_gets_a_code_of_their_own(person, run):
    run(LOGIC)
    assert "NO" in str(person("logic").begin(consent="no").view.screen.blocks)


def test_a_quota_takes_as_many_people_as_it_says_and_the_next_reads_so(host, arrives):
    ends = [_walk(arrives(age="30", pet="dog"))[1] for _ in range(6)]
    assert ends[:5] == [None] * 5
    assert ends[5].reason is Reason.FULL
    assert "Enough pets" in str(ends[5].blocks)
    assert ends[5].way_back == "https://example.org/?code=FULL&who="
    assert _walk(arrives(age="30", pet="cat"))[1] is None  # another quota has room


def test_a_place_that_went_back_can_be_taken_by_another(host, arrives):
    for _ in range(5):
        idle = arrives(age="30", pet="dog")
        idle.send(**idle.says)
    late = arrives(age="30", pet="dog")
    late.now = NOW + timedelta(days=1)
    assert _walk(late)[1] is None
    # Who comes back finds a place only as long as there is one.
    idle.now = NOW + timedelta(days=1, minutes=5)
    assert _walk(idle)[1] is None


def test_the_codebook_says_who_is_asked(host, arrives):
    columns = {each.name: each for each in collected_codebook(host, "logic").tables["participants"]}
    assert "asked if pet dog and age at least 30" in columns["vet"].meaning
    assert columns["screened_out"].levels == {"young": "This study is for **adults**."}


async def _takes_part(host, number):
    """Somebody who answers at the same time as fifty others."""
    visitor = Visitor(parameters={})
    arrival = await hosting.arrive(host, "logic", visitor, now=NOW)
    form = _form(arrival.view, number)
    sent = await hosting.begin(host, "logic", visitor, form=form, now=NOW)
    try:
        while not (view := await hosting.look(host, sent.token, now=NOW)).screen.is_last:
            form = _form(view, number)
            await hosting.send(host, sent.token, form=form, now=NOW)
    except RefusedError as error:
        return error.reason.value
    return view.screen.key


def _form(view, number):
    says = {"age": str(10 + number % 60), "pet": ("cat", "dog", "none")[number % 3]}
    known = {field.name for field in view.screen.fields}
    own = {name: value for name, value in says.items() if name in known}
    filled = fill(view.screen, seed=number)
    filled |= own | ({"consent": "yes"} if view.screen.kind == "consent" else {})
    frame = {"signature": view.signature, "visit": view.visit, "screen": view.screen.key}
    return filled_form(view.screen, filled) | frame


@pytest.mark.parametrize("rules", STUDIES)
def test_quotas_are_exact_when_fifty_people_answer_at_once(host, run, rules):
    run(STUDIES[rules])

    async def everybody():
        return await asyncio.gather(*(_takes_part(host, number) for number in range(50)))

    ends = Counter(asyncio.run(everybody()))
    rows = list(tidy_rows(host, "logic", table="participants"))
    taken = Counter(row["pet"] for row in rows if row["status"] == "complete")
    assert taken["cat"] == 7
    assert taken["dog"] == 5
    assert sum(ends.values()) == len(rows) == 50
    assert ends["screened-out-young"] == sum(10 + number % 60 < 18 for number in range(50))


def _expected(said):
    """Return the applications that the rules give to somebody."""
    has_pet = said["pet"] != "none"
    is_fed = said["pet"] == "cat" and said["age"] >= 30
    return {"bell"} | ({"camera"} if has_pet else set()) | ({"feeder"} if is_fed else set())


@pytest.mark.parametrize("rules", STUDIES)
@pytest.mark.parametrize(
    "people", [300, pytest.param(10_000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_of_many_simulated_people_everybody_comes_to_an_end_and_every_page_is_seen(people, rules):
    """Pure: no database, so that quotas do not count; every way through the study is walked."""
    seen, ends, study = set(), Counter(), Study.from_dict(STUDIES[rules])
    for seed in range(people):
        screens, participation = take_part(study, seed=seed, now=NOW)
        judged = {row["application"] for row in answers_as_rows(study, participation)}
        if rules == "applications" and screens[-1].key == "finished":
            assert judged == _expected(participation.answers[1].values)
        seen |= {screen.key for screen in screens}
        ends[screens[-1].key] += 1
        shares = [screen.place.share for screen in screens if screen.place]
        assert shares == sorted(shares)
        assert len({screen.key for screen in screens}) == len(screens)
        assert len(participation.answers) == len(screens) - 1
    assert set(ends) == {"finished", "screened-out-young"}
    every = {key for key in seen if not key.startswith("scenario-")}
    assert {"consent", "demographics", "demographics-2", "closing", *ends} <= every
    assert ends["screened-out-young"] / people == pytest.approx(0.18, abs=0.1)


def test_looking_again_shows_the_same_page(host, arrives):
    someone = arrives(age="40", pet="cat")
    assert look(host, someone.token, now=NOW) == look(host, someone.token, now=NOW)
