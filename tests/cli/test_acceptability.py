"""The commands around acceptability, as a user types them."""

import json

import numpy as np
import pytest

from howgood import ask, learn
from howgood.cli.main import run

APPLICATIONS = {
    "text": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0},
    "police": {"alpha": 0.6, "intercept": -15.0, "slope": 18.0},
}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Answers as a file under other column names, the saved fit, and a table of scores."""
    folder = tmp_path_factory.mktemp("study")
    answers = ask.simulate_answers(APPLICATIONS, people=25, per_person=8, random_state=1)
    lines = ["participant,application,ppv,tpr,rating"]
    lines += [
        f"{row['participant']},{row['application']},{row['precision']},{row['recall']},"
        f"{row['rating']}"
        for row in answers.rows()
    ]
    (folder / "answers.csv").write_text("\n".join(lines))
    learn.fit_acceptability(answers, random_state=1).save(folder / "fit.npz")
    generator = np.random.default_rng(1)
    truth = generator.integers(0, 2, 200)
    score = generator.normal(2 * truth)
    rows = [
        f"{'ill' if t else 'well'},{s:.3f},{'ill' if s > 1 else 'well'}"
        for t, s in zip(truth, score, strict=True)
    ]
    (folder / "scores.csv").write_text("\n".join(["y,s,yhat", *rows]))
    return folder


def _json(capsys, *arguments):
    code = run([*map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_fit_says_what_people_accept_and_saves_what_it_learned(study, capsys, tmp_path):
    arguments = ["fit", study / "answers.csv", "--map", "precision=ppv", "--map", "recall=tpr"]
    saved, report = tmp_path / "fit.npz", tmp_path / "report.html"
    assert run([*map(str, arguments), "--save", str(saved), "--out", str(report)]) == 0
    out = capsys.readouterr().out
    assert "of people would accept 85 % precision with 85 % recall" in out
    assert learn.load_fit(saved).applications == ("police", "text")
    page = report.read_text()
    # The mark, a map for each application, four more pictures, of which a phone has its own.
    assert page.count("<svg") - page.count('class="for-phone"') == 7
    assert "What not to conclude" in page
    code, values = _json(capsys, *arguments)
    assert code == 0
    assert values["applications"]["text"]["alpha"]["mean"] < 0.5
    assert values["provenance"]["seed"] == 2015


def test_fit_learns_a_continuous_order_on_request(study, capsys):
    renamed = ["--map", "precision=ppv", "--map", "recall=tpr"]
    answers = [str(study / "answers.csv"), *renamed]
    assert run(["fit", *answers, "--means", "continuous"]) == 0
    assert "The order p of the mean is" in capsys.readouterr().out
    assert run(["fit", *answers, "--means", "some"]) == 2
    assert "continuous" in capsys.readouterr().err
    assert run(["fit", *answers, "--scale", "5"]) == 2
    assert "1 to 5" in capsys.readouterr().err


def test_one_sided_answers_are_announced_and_quote_no_share(tmp_path, capsys):
    rows = [f"p{person},x,0.{level},0.8,7" for person in range(20) for level in (5, 7, 9)]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(["participant,application,precision,recall,rating", *rows]))
    assert run(["fit", str(path)]) == 0
    printed = capsys.readouterr()
    assert "x: the answers say nothing about alpha and slope" in printed.out
    assert "of people would accept" not in printed.out
    assert "every answer accepts" in printed.err


def test_acceptance_that_falls_with_accuracy_asks_to_check_the_columns(tmp_path, capsys):
    levels = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    rows = [
        f"p{person},x,{p},{r},{2 if p + r > 1.5 else 6}"
        for person in range(20)
        for p, r in zip(levels, levels[2:] + levels[:2], strict=True)
    ]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(["participant,application,precision,recall,rating", *rows]))
    assert run(["fit", str(path)]) == 0
    assert "acceptance falls as accuracy rises" in capsys.readouterr().out


def test_maps_of_acceptance_come_from_the_command_line(study, capsys, tmp_path):
    model = [str(study / "fit.npz"), "--application", "text"]
    assert run(["target", *model, "--plot", str(tmp_path / "target.svg")]) == 0
    scores = [str(study / "scores.csv"), "--truth", "y", "--score", "s", "--positive", "ill"]
    drawn = ["--plot-map", str(tmp_path / "map.svg")]
    assert run(["threshold", *scores, *drawn, "--model", *model]) == 0
    assert "this classifier" in (tmp_path / "map.svg").read_text()
    assert "Share accepting: text" in (tmp_path / "target.svg").read_text()
    assert run(["threshold", *scores, *drawn, "--alpha", ".3"]) == 2
    assert "--model" in capsys.readouterr().err


def test_fit_explains_what_is_missing(study, capsys):
    assert run(["fit", str(study / "answers.csv")]) == 2
    error = capsys.readouterr().err
    assert "precision" in error
    assert "Traceback" not in error
    assert run(["fit", "nowhere.csv"]) == 2
    assert run(["fit", str(study / "answers.csv"), "--priors", "nowhere.json"]) == 2
    assert "registry prior" in capsys.readouterr().err


def test_target_reads_fits_cards_and_answers_alike(study, capsys, tmp_path):
    fit = str(study / "fit.npz")
    now = ["--precision", ".85", "--recall", ".85"]
    assert run(["target", fit, "--application", "text", *now]) == 0
    assert "For 80 % to accept" in capsys.readouterr().out
    folder = ["--registry", str(tmp_path)]
    add = ["registry", "add", fit, "--application", "text", "--name", "text-alarm"]
    assert run([*add, "--description", "An alarm that sends a text message.", *folder]) == 0
    capsys.readouterr()
    code, of_card = _json(capsys, "target", "text-alarm", *folder)
    _, of_fit = _json(capsys, "target", fit, "--application", "text")
    assert code == 0
    assert of_card["acceptance"]["mean"] == pytest.approx(of_fit["acceptance"]["mean"], abs=0.03)
    assert run(["target", fit]) == 2
    assert "application" in capsys.readouterr().err


def test_the_trade_off_is_told_drawn_and_given_as_an_exit_code(study, capsys, tmp_path):
    model = [str(study / "fit.npz"), "--application", "text"]
    code, found = _json(capsys, "trade-off", *model, "--share", ".3", "--certainty", ".6")
    assert code == 0
    shares = {row["accuracy"]: row["accepting"] for row in found["curve"]}
    assert shares[found["least_accuracy"]] >= 0.3
    picture = tmp_path / "curve.svg"
    assert run(["trade-off", *model, "--share", ".9999", "--plot", str(picture)]) == 1
    assert "At no accuracy" in capsys.readouterr().out
    assert "wanted: &gt; 99 %" in picture.read_text() or "wanted: > 99 %" in picture.read_text()


def test_the_registry_lists_shows_and_gives_priors(study, capsys, tmp_path):
    assert run(["registry", "list", "--registry", str(tmp_path)]) == 0
    assert "kay2015-alarm-text-interface" in capsys.readouterr().out
    assert run(["registry", "show", "kay2015-weather"]) == 0
    assert '"person_sd": null' in capsys.readouterr().out
    prior = tmp_path / "prior.json"
    made = ["registry", "prior", "kay2015-weather", "--application", "text", "--out", str(prior)]
    assert run(made) == 0
    columns = ["--map", "precision=ppv", "--map", "recall=tpr"]
    assert run(["fit", str(study / "answers.csv"), "--priors", str(prior), *columns]) == 0
    capsys.readouterr()
    assert run(["registry", "prior", "kay2015-location", "--application", "text"]) == 2
    assert "no interval" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("counts", "extra", "code", "verdict"),
    [
        ("980,20,20,5000", ["--share", ".5"], 0, "pass"),
        ("500,500,500,5000", [], 1, "fail"),
        ("17,3,3,70", ["--share", ".6"], 0, "investigate"),
        ("17,3,3,70", ["--share", ".6", "--strict"], 1, "investigate"),
    ],
)
def test_the_gate_tells_continuous_integration(
    study, capsys, tmp_path, counts, extra, code, verdict
):
    badge = tmp_path / "badge.json"
    arguments = ["gate", study / "fit.npz", "--application", "text", "--counts", counts, *extra]
    found, values = _json(capsys, *arguments, "--badge", badge)
    assert (found, values["verdict"]) == (code, verdict)
    assert json.loads(badge.read_text())["message"].startswith(verdict)


def test_the_gate_reads_a_table_of_predictions(study, capsys):
    arguments = ["gate", study / "fit.npz", study / "scores.csv", "--application", "text"]
    named = ["--truth", "y", "--predicted", "yhat", "--positive", "ill"]
    assert _json(capsys, *arguments, *named)[1]["provenance"]["rows_used"] == 200
    assert run([*map(str, arguments), "--truth", "y", "--predicted", "yhat"]) == 2
    assert "--positive" in capsys.readouterr().err
    assert run(["gate", str(study / "fit.npz")]) == 2
    assert run(["gate", str(study / "fit.npz"), "--counts", "1,2"]) == 2
    assert "TP,FN,FP,TN" in capsys.readouterr().err
    assert run(["gate", str(study / "fit.npz"), "--counts", "0,0,10,890"]) == 2
    assert "--counts: '0,0,10,890', without a positive case" in capsys.readouterr().err


def test_a_classifier_is_told_where_it_suits_best(study, capsys):
    arguments = ["best-application", study / "fit.npz", "--counts", "970,30,400,5000"]
    code, values = _json(capsys, *arguments)
    assert code == 0
    assert values["best"] == "text"
    assert run([*map(str, arguments)]) == 0
    assert "Best accepted in text" in capsys.readouterr().out


def test_threshold_takes_people_or_a_metric(study, capsys, tmp_path):
    arguments = ["threshold", study / "scores.csv", "--truth", "y", "--score", "s"]
    arguments += ["--positive", "ill"]
    plot = tmp_path / "threshold.png"
    report = tmp_path / "threshold.html"
    people = ["--model", study / "fit.npz", "--application", "text", "--plot", plot]
    people += ["--out", report]
    code, values = _json(capsys, *arguments, *people)
    assert code == 0
    assert plot.stat().st_size > 10_000
    assert "this classifier" in report.read_text()
    assert sum(values["variance_shares"].values()) == pytest.approx(1.0)
    assert run([*map(str, arguments), "--alpha", ".35"]) == 0
    assert "flag a case when its score reaches it" in capsys.readouterr().out
    assert run(list(map(str, arguments))) == 2


def test_going_live_waits_for_evidence(study, capsys, tmp_path):
    curve = tmp_path / "curve.csv"
    curve.write_text("size,precision,recall\n10,.5,.5\n100,.97,.99\n")
    arguments = ["go-live", str(study / "fit.npz"), str(curve), "--application", "text"]
    assert run([*arguments, "--share", ".5"]) == 0
    printed = capsys.readouterr().out
    assert "Go live from size 100" in printed
    assert "100.000" not in printed
    assert run([*arguments, "--share", ".99"]) == 1
    assert "Not enough evidence" in capsys.readouterr().out


def test_notes_are_one_line_without_code(tmp_path, capsys):
    answers = tmp_path / "few.csv"
    answers.write_text(
        "participant,application,precision,recall,rating\n"
        + "\n".join(f"p{i},alarm,{p},{p},{r}" for i in range(3) for p, r in ((0.5, 2), (1, 6)))
    )
    run(["fit", str(answers)])
    said, error = capsys.readouterr()
    assert "howgood: note: few respondents" in error
    assert "Few people answered: alarm (3)" in said
    assert "warnings.warn" not in error


def test_the_ordinal_model_compares_imagined_and_real_systems(tmp_path, capsys):
    answers = ask.simulate_ordinal_answers(people=60, random_state=1)
    path = tmp_path / "weather.csv"
    lines = [",".join(answers.columns)]
    lines += [",".join(str(value) for value in row.values()) for row in answers.rows()]
    path.write_text("\n".join(lines))
    report = tmp_path / "report.md"
    saved = tmp_path / "fit.npz"
    arguments = ["fit", path, "--model", "ordinal", "--means", "0", "--out", report]
    code, values = _json(capsys, *arguments, "--save", saved)
    assert code == 0
    assert learn.load_ordinal_fit(saved).methods_text() == values["methods"]
    assert any("last year: rated higher" in text for text in values["findings"])
    assert "What not to conclude" in report.read_text()


def _answers_of(path, rows):
    path.write_text("\n".join(["participant,application,precision,recall,rating", *rows]))
    return str(path)


def test_three_people_pass_no_gate_and_every_command_says_why(tmp_path, capsys):
    levels = ("0.5,0.6", "0.6,0.5", "0.7,0.9", "0.9,0.7", "1,1")
    rows = [f"p{person},x,{each},7" for person in range(3) for each in levels]
    model = _answers_of(tmp_path / "answers.csv", rows)
    counts = ["--counts", "15,5,6,74"]
    assert run(["gate", model, *counts]) == 0
    assert run(["gate", model, *counts, "--strict"]) == 1
    assert capsys.readouterr().out.count("investigate: the answers do not suffice") == 2
    curve = tmp_path / "curve.csv"
    curve.write_text("size,precision,recall\n10,0.9,0.9\n20,1,1\n")
    for command, code in (
        (["target", model], 0),
        (["trade-off", model], 1),
        (["go-live", model, str(curve)], 1),
        (["best-application", model, *counts], 0),
    ):
        assert run(command) == code
        assert "Not enough evidence" in capsys.readouterr().out
    assert run(["gate", model, *counts, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["evidence"] == "none"


def test_advice_about_a_renamed_column_names_ours_first(study, capsys):
    assert run(["fit", str(study / "answers.csv"), "--map", "precision=nope"]) == 2
    assert "--map precision=" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("model", "option", "models"),
    [
        ("binary", ["--application", "text"], "ordinal and failures"),
        ("binary", ["--left-out", "all"], "ordinal"),
        ("ordinal", ["--cut", "5"], "binary, multinomial and failures"),
        ("multinomial", ["--flawless", "yes"], "binary"),
        ("multinomial", ["--left-out", "one"], "ordinal"),
        ("failures", ["--prevalence", ".2"], "binary"),
    ],
)
def test_options_of_another_model_are_refused(model, option, models, study, capsys):
    assert run(["fit", str(study / "answers.csv"), "--model", model, *option]) == 2
    assert f"{option[0]} belongs to --model {models}" in capsys.readouterr().err
