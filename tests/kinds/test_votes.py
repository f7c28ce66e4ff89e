"""A study of votes from a table of outputs to its board, with people whose taste is known."""

import json
import math
from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest

from howgood import decide
from howgood.cli.main import run
from howgood.errors import FileWriteError
from howgood.flow.collected import codebook, data_file, tidy_rows
from howgood.flow.hosting import add_study, open_host
from howgood.flow.importing import import_files
from howgood.flow.participate import answers_as_rows, next_screen, take_part
from howgood.flow.participate.bot import fill
from howgood.flow.results.tasks import run_task
from howgood.flow.study_files import check_study, new_study, read_study
from howgood.flow.watching.counts import Watcher
from howgood.kinds import kind_of
from howgood.kinds.seeded import draw
from howgood.kinds.votes.next_pair import Pair, VotesSoFar, next_pair, shared_prompts, votes_so_far
from howgood.kinds.votes.screens import pair_of
from howgood.records.screen import Answer

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STRENGTHS = {"large": 1.6, "medium": 0.0, "twin": 0.0, "small": -1.6}


def _outputs(folder, prompts=20, systems=STRENGTHS):
    lines = [
        {"question": f"Question {number}?", "model": system, "response": f"{system[0]} {number}"}
        for number in range(prompts)
        for system in systems
    ]
    file = folder / "outputs.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


@pytest.fixture
def study(tmp_path):
    return read_study(new_study("votes", _outputs(tmp_path)))


def _taste(seed, screen):
    """Vote by known strengths; the left side has no advantage."""
    text = next((field.value for field in screen.fields if field.name == "pair"), "")
    if not text:
        return {}
    pair = Pair.from_text(text)
    gap = STRENGTHS[pair.left] - STRENGTHS[pair.right]
    wins = draw(seed, screen.key, "vote") < 1 / (1 + math.exp(-gap))
    return {"choice": "left" if wins else "right"}


def _voters(study, people, *, so_far=None):
    """Let people vote one after the other; the pairs of each are chosen by all votes before."""
    taken = []
    votes = []
    for seed in range(people):
        answers = [Answer(screen="consent", values={"consent": "yes"}, at=NOW),
                   Answer(screen="task", values={}, at=NOW)]  # fmt: skip
        while True:
            shared = votes_so_far(study, votes) if so_far is None else so_far
            screen = next_screen(
                study, condition="all", seed=seed, answers=answers, now=NOW, shared=shared
            )
            if screen.is_last:
                break
            given = _taste(seed, screen) | {"pair": screen.fields[0].value}
            answers.append(Answer(screen=screen.key, values=given, at=NOW, seconds=4.0))
            votes.append(given)
        taken.append((seed, answers))
    return taken


def test_a_table_of_outputs_becomes_a_study_that_runs(tmp_path, capsys):
    file = _outputs(tmp_path)
    assert run(["new", "votes", str(file)]) == 0
    made = tmp_path / "outputs.toml"
    assert "outputs.toml" in capsys.readouterr().out
    assert not check_study(made).problems
    plan = read_study(made).plan
    assert plan.systems == tuple(STRENGTHS)
    assert len(plan.prompts) == 20
    assert plan.prompts[0].text == "Question 0?"
    with pytest.raises(FileWriteError, match="not written"):
        new_study("votes", file)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([{"prompt": "q", "system": "a", "output": "x"}], "at least 2 systems"),
        ([{"prompt": "q", "who": "a", "output": "x"}], "a column of systems"),
        ([{"prompt": "q", "system": "a", "output": ""}], "an empty cell"),
        ([{"prompt": "q", "system": "a", "output": "x"}] * 2, "again for"),
        (
            [{"prompt": "q", "system": "a", "output": "x"},
             {"prompt": "r", "system": "b", "output": "y"}],
            "two systems for the same prompt",
        ),
        ([{"prompt": "q", "system": "a", "output": "https://x.org/a.png"}], "Download them first"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_table_is_said(tmp_path, lines, said):
    file = tmp_path / "v.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    study = tmp_path / "study.toml"
    text = new_study("votes", study).read_text()
    before, _, rest = text.partition("# Prompts and outputs.")
    study.write_text(f'{before}table = "v.jsonl"\n\n{rest[rest.index("[completion]") :]}')
    problems = check_study(study).problems
    assert any(said in str(problem) for problem in problems), problems


def test_the_template_is_ready_to_run_and_a_bot_gets_to_its_end(tmp_path):
    study = read_study(new_study("votes", tmp_path / "votes.toml"))
    screens, participation = take_part(study, seed=5, now=NOW)
    assert screens[-1].is_last
    rows = answers_as_rows(study, participation)
    assert len(rows) == 12
    assert set(rows[0]) <= set(codebook(study).names("answers"))
    places = [screen.place.done for screen in screens[:-1]]
    assert places == sorted(places)


def test_pages_are_blind_and_show_outputs_as_they_are(study):
    screens, _ = take_part(study, seed=5, now=NOW)
    page = next(screen for screen in screens if screen.key == "vote-1")
    pair = Pair.from_text(page.fields[0].value)
    shown = [card.text for card in page.blocks[0].cards]
    assert shown == [study.plan.output_of[pair.prompt, side].text
                     for side in (pair.left, pair.right)]  # fmt: skip
    visible = json.dumps(page.model_copy(update={"fields": ()}).to_dict())
    assert not any(name in visible for name in STRENGTHS)
    assert [button.key for button in page.buttons] == ["1", "2", "0", "9"]


def test_every_tenth_pair_is_an_earlier_one_with_sides_swapped(study):
    shown = []
    while (pair := next_pair(study, 7, shown, VotesSoFar())) is not None and len(shown) < 40:
        shown.append(pair)
    again = {number: pair for number, pair in enumerate(shown, 1) if pair.repeats}
    assert set(again) == {10, 20, 30, 40}
    for pair in again.values():
        first = shown[pair.repeats - 1]
        assert (pair.prompt, pair.left, pair.right) == (first.prompt, first.right, first.left)
    new = [(pair.prompt, pair.systems) for pair in shown if not pair.repeats]
    assert len(set(new)) == len(new)


def test_the_same_log_gives_the_same_pair_and_sides_are_balanced(study):
    log = votes_so_far(study, [{"pair": Pair(prompt="p1", left="large", right="small").as_text(),
                                "choice": "left"}])  # fmt: skip
    assert next_pair(study, 3, (), log) == next_pair(study, 3, (), log)
    first = [next_pair(study, seed, (), log) for seed in range(400)]
    left = sum(pair.left < pair.right for pair in first)
    assert 150 < left < 250


def test_settled_pairs_are_asked_less_often_than_open_ones(study):
    votes = [
        {"pair": Pair(prompt="p1", left=a, right=b).as_text(), "choice": choice}
        for a, b, choices in (
            ("large", "small", ["left"] * 95 + ["right"] * 5),
            ("large", "medium", ["left"] * 80 + ["right"] * 20),
            ("medium", "small", ["left"] * 80 + ["right"] * 20),
            ("medium", "twin", ["left"] * 5 + ["right"] * 5),
        )
        for choice in choices
    ]
    log = votes_so_far(study, votes)
    drawn = [next_pair(study, seed, (), log).systems for seed in range(300)]
    # By chance alone each of the six pairs would come 50 times, and 150 would hold the twin.
    assert drawn.count(frozenset({"large", "small"})) < 25
    assert sum("twin" in pair for pair in drawn) > 200


def test_who_has_seen_every_pair_is_done(tmp_path):
    study = read_study(new_study("votes", _outputs(tmp_path, prompts=2, systems=["a1", "b2"])))
    screens, _ = take_part(study, seed=1, now=NOW)
    assert sum(screen.key.startswith("vote-") for screen in screens) == 2
    assert "2 only" in " ".join(check_study(tmp_path / "outputs.toml").advice)


def test_votes_are_hosted_ranked_exported_and_imported(tmp_path, study):
    host = open_host(f"sqlite:///{tmp_path / 'votes.db'}")
    try:
        add_study(host, study, folder=tmp_path, now=NOW)
        slug = study.slug
        assert not run_task(host, 1, "fit", {}).is_enough
        lines = ["participant,prompt,model_a,model_b,winner"]
        for seed, answers in _voters(study, 30):
            for answer in answers[2:]:
                pair = pair_of(answer)
                if not pair.repeats:
                    said = {"left": "model_a", "right": "model_b"}[answer.values["choice"]]
                    lines.append(f"p{seed},{pair.prompt},{pair.left},{pair.right},{said}")
        table = "\n".join(lines).encode()
        import_files(host, slug, [("a.csv", table)], mapping={}, actor="me", now=NOW)
        rows = list(tidy_rows(host, slug))
        assert len(rows) == len(lines) - 1
        made = run_task(host, 1, "fit", {})
        assert made.is_enough
        assert made.people == 30
        board = made.report.sections[0].table
        ties = dict(zip(board["system"], board["tied with"], strict=True))
        assert ties["large"] == ties["small"] == "none"
        assert (ties["medium"], ties["twin"]) == ("twin", "medium"), "planted twins must tie"
        live = Watcher(host).board(slug)
        assert live.lines[0].system == "large"
        assert live.votes == len(rows)
        text = b"".join(data_file(host, slug, kind="preferences").pieces).decode()
        pairs = [json.loads(line) for line in text.splitlines()]
        assert len(pairs) == sum(row["winner"] != "tie" for row in rows)
        assert set(pairs[0]) >= {"prompt", "chosen", "rejected"}
        first = pairs[0]
        assert first["chosen"] == study.plan.output_of[
            first["prompt_key"], first["chosen_system"]
        ].text  # fmt: skip
    finally:
        host.close()


def test_who_always_presses_the_same_button_makes_no_winner(tmp_path, study):
    from howgood.kinds.fit import Respondent, Sample
    from howgood.kinds.votes import results
    from howgood.records.screen import Participation

    def fit(people):
        sample = Sample(people=tuple(people), left_out={}, policy="everyone")
        return results.result(sample, study, {}, lambda share, step: None)

    people = []
    for seed, answers in _voters(study, 4, so_far=VotesSoFar()):
        lefts = [answer._replace(values={**answer.values, "choice": "left"}) for answer in answers]
        way = Participation(participant=f"p{seed}", condition="all", seed=seed,
                            answers=tuple(lefts))  # fmt: skip
        rows = tuple(kind_of(study).rows(study, way))
        people.append(Respondent(study=study, participation=way, rows=rows))
    made = fit(people)
    assert not made.is_enough
    assert "prefer the one on the left" in made.report.findings[0].text
    alone = fit(people[:1])
    assert "Only one person has voted" in alone.report.findings[0].text


def test_who_always_presses_the_same_button_is_flagged(study):
    from howgood.flow.watching.counts import reasons_to_look

    _, way = take_part(study, seed=3, now=NOW, filler=lambda screen: {
        **fill(screen, seed=3), **({"choice": "left"} if screen.key.startswith("vote-") else {})
    })  # fmt: skip
    assert any("the same answer to all" in reason for reason in reasons_to_look(study, way))


def test_repeated_pairs_say_how_steady_people_are_and_are_not_ranked(tmp_path, study):
    from howgood.kinds.fit import Respondent, Sample
    from howgood.kinds.votes import results
    from howgood.records.screen import Participation

    people = []
    for seed, answers in _voters(study, 12):
        way = Participation(participant=f"p{seed}", condition="all", seed=seed,
                            answers=tuple(answers))  # fmt: skip
        rows = tuple(kind_of(study).rows(study, way))
        people.append(Respondent(study=study, participation=way, rows=rows))
    sample = Sample(people=tuple(people), left_out={}, policy="everyone")
    made = results.result(sample, study, {}, lambda share, step: None)
    again = [(person.rows[row["repeats"] - 1], row) for person in people for row in person.rows
             if row["repeats"]]  # fmt: skip
    alike = sum(one[one["winner"]] == two[two["winner"]] for one, two in again)
    said = next(f.text for f in made.report.findings if "Asked again" in f.text)
    assert f"of {len(again)} pairs" in said
    share = results._asked_again(sample.people, 1)
    assert (share.alike, share.pairs) == (alike, len(again))
    assert made.report.provenance.rows_used == sum(len(p.rows) for p in people) - len(again)
    # The answer comes first: who leads, with the interval of the board, and whether it is settled.
    (headline,) = made.report.headlines
    board = made.report.sections[0].table
    leader, tied = board["system"][0], board["tied with"][0]
    assert headline.title == (leader if tied == "none" else "No clear winner")
    assert headline.text.startswith(leader)
    lower, middle, upper = (f"{100 * end:.0f}" for end in headline.share)
    assert board["win rate"][0] == f"{middle} % [{lower}–{upper}]"
    assert headline.more[0] == made.report.findings[0].text
    assert headline.is_enough == (made.report.findings[0].tone == "good")
    assert headline.people == 12


def test_the_exported_votes_are_a_leaderboard_without_a_word_more(tmp_path, study, capsys):
    """Prompts and people are samples, and pairs asked again are no votes of their own."""
    import polars as pl

    from howgood.records.screen import Participation

    rows = []
    for seed, answers in _voters(study, 12):
        way = Participation(participant=f"p{seed}", condition="all", seed=seed,
                            answers=tuple(answers))  # fmt: skip
        rows += kind_of(study).rows(study, way)
    path = tmp_path / "votes.csv"
    # One more person, whom the researcher excluded, votes against everybody else.
    strange = [row | {"participant": "p99", "winner": "tie", "excluded": True} for row in rows[:12]]
    known = [row | {"excluded": False} for row in rows]
    pl.DataFrame(known + strange, infer_schema_length=None).write_csv(path)
    assert run(["leaderboard", str(path), "--json"]) == 0
    printed = capsys.readouterr()
    assert "12 votes of people a researcher excluded left out" in printed.err
    found = json.loads(printed.out)
    new = [row for row in rows if not row["repeats"]]
    first = {(row["participant"], row["number"]): row for row in new}
    again = [(first[row["participant"], row["repeats"]], row) for row in rows if row["repeats"]]
    alike = sum(one[one["winner"]] == two[two["winner"]] for one, two in again)
    settings = found["provenance"]["settings"]
    assert found["n"] == settings["votes"] == len(new)
    assert found["doubt"] == "items and raters"
    assert settings["items"] == len({row["prompt"] for row in new})
    assert settings["raters"] == 12
    counts = settings["asked again"]
    assert (counts["votes"], counts["alike"]) == (len(again), alike)
    assert counts["lower"] < alike / len(again) < counts["upper"]
    said = " ".join(found["findings"])
    assert f"{len(again)} votes ask an earlier pair again" in said
    assert "prompt is 'prompt', rater is 'participant' and asked again is 'repeats'" in said
    expected = decide.rank_votes(pl.DataFrame(new, infer_schema_length=None), item="prompt",
                                 rater="participant")  # fmt: skip
    assert found["order"] == list(expected.order)
    np.testing.assert_allclose(
        [found["errors"][name]["small"] for name in expected.systems],
        [expected.error(name, "small") for name in expected.systems],
        atol=1e-3,
    )


def test_exported_votes_come_back_as_they_were_pairs_asked_again_too(tmp_path, study):
    from howgood.records.screen import Participation

    rows = []
    for seed, answers in _voters(study, 3, so_far=VotesSoFar()):
        answers[4] = answers[4]._replace(values={**answers[4].values, "choice": "both_bad"})
        way = Participation(participant=f"p{seed}", condition="all", seed=seed,
                            answers=tuple(answers))  # fmt: skip
        rows += kind_of(study).rows(study, way)
    table = pl.DataFrame(rows, infer_schema_length=None).write_csv().encode()
    host = open_host(f"sqlite:///{tmp_path / 'again.db'}")
    try:
        add_study(host, study, folder=tmp_path, now=NOW)
        import_files(host, study.slug, [("v.csv", table)], mapping={}, actor="me", now=NOW)
        names = ("number", "prompt", "left", "right", "choice", "winner", "repeats")
        back = [[row[name] for name in names] for row in tidy_rows(host, study.slug)]
    finally:
        host.close()
    assert back == [[row[name] for name in names] for row in rows]
    assert sum(row["repeats"] is not None for row in rows) > 0


def test_pictures_are_copied_under_names_that_say_nothing(tmp_path):
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9"/></svg>'
    lines = []
    for system in ("dream", "vision"):
        (tmp_path / system).mkdir()
        for number in range(2):
            (tmp_path / system / f"{number}.svg").write_text(f"{svg}<!-- {system} {number} -->")
            lines.append({"prompt": f"a cat {number}", "model": system,
                          "image": f"{system}/{number}.svg"})  # fmt: skip
    file = tmp_path / "cats.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    made = new_study("votes", file)
    assert not check_study(made).problems
    study = read_study(made)
    pictures = [output.picture for output in study.plan.outputs]
    assert all(picture.digest for picture in pictures)
    assert not any(name in picture.file for picture in pictures for name in ("dream", "vision"))
    screens, _ = take_part(study, seed=1, now=NOW)
    card = screens[2].blocks[0].cards[0]
    assert card.media.file.startswith("cats-pictures/")
    assert card.media.alternative == card.title


def test_a_study_is_made_about_a_table_of_any_format(tmp_path):
    rows = pl.DataFrame({"prompt": ["a", "a"], "system": ["x", "y"], "output": ["one", "two"]})
    rows.write_parquet(tmp_path / "outputs.pq")
    rows.write_csv(tmp_path / "others.txt")
    for name in ("outputs.pq", "others.txt"):
        made = new_study("votes", tmp_path / name)
        assert made == (tmp_path / name).with_suffix(".toml")


def test_names_that_show_are_warned_about(tmp_path):
    lines = [
        {"prompt": "q", "system": name, "output": f"I am {name}."} for name in ("Bot7", "Zed9")
    ]
    file = tmp_path / "named.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    advice = " ".join(check_study(new_study("votes", file)).advice)
    assert "name their own system (Bot7, Zed9)" in advice


def test_every_pair_of_systems_is_compared(study):
    assert len(shared_prompts(study)) == 6
    seen = {pair.systems for _, answers in _voters(study, 6) for a in answers
            if (pair := pair_of(a))}  # fmt: skip
    assert len(seen) == 6


def test_a_study_without_votes_has_no_board(tmp_path, study):
    host = open_host(f"sqlite:///{tmp_path / 'votes.db'}")
    try:
        add_study(host, study, folder=tmp_path, now=NOW)
        assert Watcher(host).board(study.slug) is None
    finally:
        host.close()
