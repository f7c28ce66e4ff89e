"""What people see and hear of an application, and interfaces that are compared."""

from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest
from tests.flow.hosting.conftest import SURVEY

from howgood.errors import InputError
from howgood.flow.collected.codebook import codebook
from howgood.flow.participate import answers_as_rows, choose_condition, conditions, take_part
from howgood.flow.study_files.as_text import toml_text
from howgood.flow.study_files.attached_files import media_problem
from howgood.flow.study_files.check import check_study
from howgood.flow.survey_export.offline import outline
from howgood.kinds import kind_of
from howgood.kinds.kind_registry import pictures_of
from howgood.kinds.study import Study
from howgood.kinds.survey.results import _interfaces
from howgood.records.screen import Media, Storyboard

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
FACTOR = {"levels": [{"key": "plain"}, {"key": "sure", "text": "It says **how sure** it is."}]}


def picture(name, **more):
    return {"picture": {"file": name, "alternative": f"It shows {name}"}, **more}


def study_with(*stimuli, factor=None, **application):
    bell = {**SURVEY["survey"]["applications"][0], "stimuli": list(stimuli), **application}
    plan = {**SURVEY["survey"], "applications": [bell], "branches": [], "per_application": 4}
    return {**SURVEY, "survey": {**plan, **({"interface": factor} if factor else {})}}


def media_on(screen):
    return [block for block in screen.blocks if isinstance(block, Media)]


def test_pictures_films_sounds_and_mock_ups_are_shown_each_in_its_way():
    names = ("a.png", "b.mp4", "c.mp3", "d.html")
    study = Study.from_dict(study_with(*(picture(name, text=f"About {name}") for name in names)))
    screens, _ = take_part(study, seed=1, now=NOW)
    shown = media_on(next(screen for screen in screens if screen.key == "bell"))
    assert [block.file for block in shown] == list(names)
    assert [(b.film, b.sound, b.mock_up) for b in shown] == [
        (False, False, False), (True, False, False), (False, True, False), (False, False, True),
    ]  # fmt: skip
    assert shown[0].caption == "About a.png"
    assert [each.file for each in pictures_of(study)] == list(names)


def test_a_storyboard_counts_its_steps():
    stimuli = [picture(f"{number}.png") for number in range(1, 4)]
    study = Study.from_dict(study_with(*stimuli, storyboard=True))
    screens, _ = take_part(study, seed=1, now=NOW)
    (board,) = (b for b in screens[1].blocks if isinstance(b, Storyboard))
    assert board.names == ("Step 1 of 3", "Step 2 of 3", "Step 3 of 3")


def test_a_stimulus_of_a_scenario_is_on_its_page_alone():
    study = Study.from_dict(study_with(picture("two.png", scenario=2)))
    screens, _ = take_part(study, seed=1, now=NOW)
    assert [screen.key for screen in screens if media_on(screen)] == ["bell-s2"]


@pytest.mark.parametrize("seed", range(20))
def test_within_people_everybody_sees_each_interface_equally_often(seed):
    stimulus = picture("sure.png", level="sure")
    study = Study.from_dict(study_with(stimulus, factor=FACTOR))
    screens, person = take_part(study, seed=seed, now=NOW)
    rows = answers_as_rows(study, person)
    assert Counter(row["interface"] for row in rows) == {"plain": 2, "sure": 2}
    by_key = {screen.key: screen for screen in screens}
    for row, answer in zip(rows, person.answers[-4:], strict=True):
        screen = by_key[answer.screen]
        assert bool(media_on(screen)) == (row["interface"] == "sure")
        assert ("how sure" in str(screen.to_dict())) == (row["interface"] == "sure")
    assert not media_on(by_key["bell"])


def test_between_people_each_sees_one_and_as_many_see_each():
    factor = {**FACTOR, "varied": "between"}
    study = Study.from_dict(study_with(picture("sure.png", level="sure"), factor=factor))
    assert conditions(study) == ("all:plain", "all:sure")
    counts: Counter[str] = Counter()
    for seed in range(10):
        condition = choose_condition(study, counts, seed)
        counts[condition] += 1
        screens, person = take_part(study, seed=seed, now=NOW, condition=condition)
        levels = {row["interface"] for row in answers_as_rows(study, person)}
        assert levels == {condition.partition(":")[2]}
        assert bool(media_on(screens[1])) == (levels == {"sure"})
    assert set(counts.values()) == {5}
    column = next(c for c in codebook(study).tables["answers"] if c.name == "interface")
    assert column.levels["sure"] == "It says **how sure** it is."


def test_the_quota_of_a_branch_is_shared_out_over_interfaces():
    data = study_with(factor={**FACTOR, "varied": "between"})
    data["survey"]["branches"] = [{"key": "a", "applications": ["bell"], "quota": 5}]
    study = Study.from_dict(data)
    assert kind_of(study).quotas(study) == {"a:plain": 3, "a:sure": 2}


def test_unknown_levels_and_scenarios_are_refused():
    for wrong in (picture("a.png", level="gone"), picture("a.png", scenario=99)):
        with pytest.raises(InputError, match="stimuli"):
            Study.from_dict(study_with(wrong, factor=FACTOR))
    with pytest.raises(InputError, match="levels"):
        Study.from_dict(study_with(factor={"levels": [{"key": "one"}]}))


def test_files_are_what_their_names_say(tmp_path):
    assert media_problem("a.html", b"<!DOCTYPE html><p>Hello") is None
    assert media_problem("a.html", b"just text") is not None
    assert media_problem("a.wav", b"RIFF\0\0\0\0WAVEfmt ") is None
    assert media_problem("a.mp3", b"ID3\4") is None
    assert media_problem("a.ogg", b"OggS") is None
    file = tmp_path / "study.toml"
    file.write_text(toml_text(study_with(picture("mock.html"))))
    assert "no such file" in check_study(file).problems[0].message
    (tmp_path / "mock.html").write_text("<!doctype html><button>Ring</button>")
    study = check_study(file).study
    assert study.plan.applications[0].stimuli[0].picture.digest


def test_the_offline_page_knows_every_interface():
    between = {**FACTOR, "varied": "between"}
    known = outline(Study.from_dict(study_with(factor=between)))["screens"]
    assert {"bell:plain", "bell:sure", "bell-s1:plain", "bell-s1:sure"} <= known.keys()
    known = outline(Study.from_dict(study_with(factor=FACTOR)))["screens"]
    assert {"bell", "bell-s1:plain", "bell-s4:sure"} <= known.keys()


def test_the_result_says_what_an_interface_changes():
    study = Study.from_dict(study_with(factor=FACTOR))
    rows = [
        row | {"rating": 3 + 2 * (row["interface"] == "sure") + seed % 2}
        for seed in range(6)
        for row in answers_as_rows(study, take_part(study, seed=seed, now=NOW)[1])
    ]

    class Some:
        def table(self, *names, where):
            kept = [row for row in rows if where(row)]
            return {name: np.array([row.get(name) for row in kept], dtype=object) for name in names}

    (finding,) = _interfaces(Some(), study, {})
    assert "Interface sure against plain" in finding.text
    assert "rated 2.00 points higher" in finding.text
    assert finding.tone == "neutral"
