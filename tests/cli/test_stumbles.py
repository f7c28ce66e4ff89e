"""What people stumbled over at the command line, and no longer should."""

import json

import pytest

from howgood.cli.main import run

SCORES = "y,s\n1,0.9\n0,0.2\n,0.5\n1,0.7\n0,0.4\n1,\n"
CARD = "kay2015-answers-electricity"


@pytest.fixture
def folder(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(content)
        return str(path)

    return write


def test_threshold_refuses_or_leaves_out_rows_with_gaps(folder, capsys):
    arguments = ["threshold", folder("s.csv", SCORES), "--truth", "y", "--score", "s"]
    arguments += ["--alpha", "0.5", "--json"]
    assert run(arguments) == 2
    assert "--missing drop" in capsys.readouterr().err
    assert run([*arguments, "--missing", "drop"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["provenance"]["rows_dropped"] == {"missing or not finite": 2}
    assert "2 of 6 rows left out" in said.err


def test_relevance_refuses_or_leaves_out_rows_with_gaps(folder, capsys):
    rows = "y,yhat,room\n" + "on,on,a\noff,on,a\non,off,b\noff,off,b\n" * 4
    arguments = ["--outcome", "y", "--predicted", "yhat", "--context", "room", "--json"]
    clean, gappy = folder("clean.csv", rows), folder("gappy.csv", rows + "on,,a\n,on,b\n")
    assert run(["relevance", clean, *arguments]) == 0
    expected = json.loads(capsys.readouterr().out)
    assert run(["relevance", gappy, *arguments]) == 2
    assert "missing" in capsys.readouterr().err
    assert run(["relevance", gappy, *arguments, "--missing", "drop"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["models"] == expected["models"]
    assert "2 of 18 rows left out" in said.err
    assert run(["relevance", clean, *arguments, "--missing", "drop", "--reference", gappy]) == 0
    assert "gappy.csv: 1 of 18 rows left out" in capsys.readouterr().err  # one without outcome


def test_gate_leaves_out_rows_with_gaps_when_told(folder, capsys):
    rows = "y_true,y_pred\n" + "1,1\n0,0\n" * 50 + ",1\n"
    labels = folder("labels.csv", rows)
    assert run(["gate", CARD, labels]) == 2
    assert "--missing drop" in capsys.readouterr().err
    assert run(["gate", CARD, labels, "--missing", "drop"]) in (0, 1)


def test_a_learning_curve_s_columns_may_be_renamed(folder, capsys):
    curve = folder("curve.csv", "n,ppv,tpr\n10,0.5,0.5\n100,0.99,0.99\n")
    arguments = ["go-live", CARD, curve, "--share", "0.5", "--json"]
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert "curve.csv" in said
    assert "--map size=" in said
    names = ["--map", "size=n", "--map", "precision=ppv", "--map", "recall=tpr"]
    assert run([*arguments, *names]) in (0, 1)
    assert len(json.loads(capsys.readouterr().out)["table"]) > 0
    assert run([*arguments, "--map", "sise=n"]) == 2
    assert "'size'" in capsys.readouterr().err


def test_percents_are_refused_with_what_to_write(folder, capsys):
    curve = folder("curve.csv", "size,precision,recall\n10,83,90\n")
    assert run(["go-live", CARD, curve]) == 2
    said = capsys.readouterr().err
    assert "such as 83" in said
    assert "0.85" in said


def test_a_name_alone_renames_nothing_and_is_refused(folder, capsys):
    answers = folder("a.csv", "participant,rating\np,1\n")
    assert run(["fit", answers, "--map", "rating"]) == 2
    assert "rating=COLUMN" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["electricity", "kay2015-electricity"])
def test_the_card_that_is_suggested_works(name, capsys):
    assert run(["target", name]) == 2
    said = capsys.readouterr().err
    assert f"{CARD!r}" in said
    assert run(["target", CARD]) == 0


def test_messages_name_the_file_that_was_given(folder, capsys):
    pairs = folder("pairs.csv", "mu,sigma,a,b\n1,0.5,1,2\n2,,2,3\n")
    systems = ["--system", "a", "--system", "b"]
    assert run(["rank", pairs, "--mean", "mu", "--sd", "sigma", *systems]) == 2
    assert capsys.readouterr().err.startswith(f"howgood: {pairs}: values missing")
    ratings = folder("ratings.csv", "user,item,rating,a,b\nu,i,1,2,3\nu,i,,2,3\n")
    assert run(["rank", ratings, "--repeated", *systems]) == 2
    assert capsys.readouterr().err.startswith(f"howgood: {ratings}: values missing")
    full = folder("full.csv", "user,item,rating\nu,i,1\nu,i,2\n")
    other = folder("other.csv", "user,item,a\nu,i,1\n")
    assert run(["rank", full, "--predictions", other, *systems]) == 2
    assert f"{other}: no column 'b'" in capsys.readouterr().err


@pytest.mark.parametrize("engine", ["polars", "duckdb", "built-in"])
def test_a_prediction_missing_in_part_of_a_pair_is_refused_or_told(folder, capsys, engine):
    rows = "user,item,rating,a,b\nu,1,1,2,3\nu,1,2,,3\nu,2,4,4,3\nu,2,5,4,3\n"
    arguments = ["rank", folder("r.csv", rows), "--repeated", "--system", "a", "--system", "b"]
    arguments += ["--engine", engine]
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert "1 pairs with a value in some of their rows only" in said
    assert "--missing drop" in said
    assert run([*arguments, "--missing", "drop"]) == 0
    assert "it counts for the whole pair" in capsys.readouterr().err


@pytest.mark.parametrize("half", ["--precision", "--recall"])
def test_half_of_where_a_classifier_is_now_is_refused(half, capsys):
    """The other half was silently the needed one."""
    assert run(["target", CARD, half, "0.85"]) == 2
    assert "go together" in capsys.readouterr().err


def _ratings(*columns):
    return ",".join(columns) + "\n" + ("1," * (len(columns) - 1) + "2\n") * 3


def test_raw_ratings_without_a_word_about_them_say_what_to_write(folder, capsys):
    path = folder("r.csv", _ratings("user", "item", "rating", "a", "b"))
    assert run(["rank", path, "--system", "a=a", "--system", "b=b"]) == 2
    said = capsys.readouterr().err
    assert "--repeated" in said
    assert "--mean rating --sd 0.7 --trials 1" in said


def test_a_column_with_a_role_of_its_own_is_not_proposed_for_another(folder, capsys):
    assert run(["leaderboard", folder("g.csv", _ratings("system", "rater", "doc", "points"))]) == 2
    said = capsys.readouterr().err
    assert "Did you mean" not in said
    assert "--item COLUMN --grade COLUMN" in said


def test_a_table_of_votes_is_read_and_says_so(folder, capsys):
    path = folder("v.csv", "prompt,model_a,model_b,winner\n1,x,y,model_a\n2,x,y,tie\n")
    assert run(["leaderboard", path]) == 0
    assert "Read as votes: left is 'model_a', right is 'model_b'" in capsys.readouterr().out


def test_text_among_numbers_is_shown(folder, capsys):
    path = folder("t.csv", 'mean,sd,a,b\n"1,250",1,2,3\n"1,300",1,2,3\n')
    assert run(["rank", path, "--system", "a=a", "--system", "b=b"]) == 2
    assert "text such as '1,300'" in capsys.readouterr().err


@pytest.mark.parametrize(("n_positive", "said"), [(1, "With 1 case "), (3, "With 3 cases ")])
def test_no_coverage_is_claimed_for_fewer_cases_than_were_simulated(
    folder, capsys, n_positive, said
):
    rows = "y_true,score\n" + "1,0.8\n" * n_positive + "0,0.1\n0,0.3\n" * 20
    assert run(["threshold", folder("few.csv", rows), "--alpha", ".5"]) == 0
    out = capsys.readouterr().out
    assert said in out
    assert "92 to 95 %" not in out


def test_two_logs_in_which_everything_passed_differ_by_an_interval_not_by_a_point(folder, capsys):
    log = folder("log.csv", "id,ok\n" + "".join(f"{number},1\n" for number in range(100)))
    assert run(["ship", log, log, "--json"]) == 2
    found = json.loads(capsys.readouterr().out)["difference"]["interval"]
    # As if one more item were won and one lost: squares 2 of 102; Student's t, 101 degrees, 95 %.
    reach = 1.6601 * (2 / 101 / 102) ** 0.5
    assert (found["lower"], found["upper"]) == pytest.approx((-reach, reach), rel=1e-3)


def test_two_equal_logs_of_scores_say_that_they_are_equal(folder, capsys):
    rows = "".join(f"{number},{0.03 * number:.2f}\n" for number in range(20))
    log = folder("log.csv", f"id,score\n{rows}")
    assert run(["ship", log, log]) == 2
    assert "both have the same score on every item" in capsys.readouterr().out


def test_the_columns_of_a_study_s_size_are_explained(capsys):
    arguments = ["study-size", "--application", "alarm:alpha=.3,intercept=-13,slope=16"]
    run([*arguments, "--people", "10", "--studies", "2"])
    out = capsys.readouterr().out
    for column in ("width: mean over 2 simulated studies", "enough:", "covered:"):
        assert column in out


def test_the_row_numbers_that_pandas_writes_are_no_metric(folder, capsys):
    first, second = (
        folder(name, ",id,score\n" + "".join(f"{n},{n},{n % way}\n" for n in range(12)))
        for name, way in (("a.csv", 2), ("b.csv", 3))
    )
    assert run(["ship", first, second, "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert [one["metric"] for one in found["comparisons"]] == ["score"]


def test_scores_in_percent_are_shares_and_so_are_bar_and_margin(folder, capsys):
    log = folder("log.csv", "id,score\n" + "".join(f"{n},{50 + n} %\n" for n in range(12)))
    assert run(["ship", log, log, "--json"]) == 2
    found = json.loads(capsys.readouterr().out)["comparisons"][0]["base"]["mean"]
    assert found == pytest.approx((50 + 5.5) / 100)
    for option in ("--bar", "--margin"):
        assert run(["ship", log, log, option, "80"]) == 2
        assert "Write 0.8 for 80 %." in capsys.readouterr().err


def test_rows_of_several_systems_are_not_repeats_of_one(folder, capsys):
    log = folder("log.csv", "id,model,score\n1,a,1\n1,b,0\n2,a,1\n2,b,0\n")
    assert run(["ship", log, log]) == 2
    assert "2 systems: 'a', 'b'" in capsys.readouterr().err
    assert run(["ship", f"{log}#b", f"{log}#a", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["difference"]["mean"] == 1


def test_logs_without_a_common_metric_say_what_each_has(folder, capsys):
    first, second = folder("a.csv", "id,match\n1,1\n2,0\n"), folder("b.csv", "id,ok\n1,1\n2,0\n")
    assert run(["ship", first, second]) == 2
    said = capsys.readouterr().err
    assert "'match' in" in said
    assert "'ok' in" in said


def _sample(number, value):
    return json.dumps({"doc_id": number, "filtered_resps": ["A"], "metrics": ["acc"], "acc": value})


def test_samples_of_lm_eval_may_be_renamed(folder, capsys):
    logs = [
        folder(f"samples_{name}.jsonl", "\n".join(_sample(n, float(n > less)) for n in range(30)))
        for name, less in (("before", 20), ("after", 3))
    ]
    assert run(["ship", *logs, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["comparisons"][0]["n_items"] == 30


def test_a_folder_of_samples_holds_one_model_and_its_last_run(tmp_path, capsys):
    for model, day, value in (("a", 1, 0.0), ("a", 2, 1.0), ("b", 1, 0.0)):
        place = tmp_path / model
        place.mkdir(exist_ok=True)
        name = f"samples_task_2026-01-0{day}T10-00-00.jsonl"
        (place / name).write_text("\n".join(_sample(n, value) for n in range(5)))
    assert run(["ship", str(tmp_path), str(tmp_path / "a")]) == 2
    assert "samples in 2 folders" in capsys.readouterr().err
    assert run(["ship", str(tmp_path / "b"), str(tmp_path / "a"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["difference"]["mean"] == 1
    run(["ship", str(tmp_path / "b"), str(tmp_path / "a"), "--doctor"])
    assert "1 older run of the same tasks left out" in capsys.readouterr().out


@pytest.mark.parametrize("engine", ["auto", "duckdb"])
def test_a_board_of_pass_and_fail_is_one_of_ones_and_zeros(folder, capsys, engine):
    words = "item,system,rater,grade\n" + "".join(
        f"{item},{system},{rater},{'Pass' if (item + rater) % system else 'fail'}\n"
        for item in range(8)
        for system in (2, 3)
        for rater in range(3)
    )
    numbers = words.replace("Pass", "1").replace("fail", "0")
    found = []
    for name, rows in (("words.csv", words), ("numbers.csv", numbers)):
        assert run(["leaderboard", folder(name, rows), "--engine", engine, "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out)["systems"])
    assert found[0] == found[1]


def test_a_board_without_raters_says_which_option_that_is(folder, capsys):
    assert run(["leaderboard", folder("g.csv", "item,system,grade\n1,a,2\n1,b,3\n")]) == 2
    assert "or --no-rater if there is none" in capsys.readouterr().err


def test_the_nameless_first_column_that_pandas_writes_to_excel_is_read(tmp_path, capsys):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    path = tmp_path / "scores.xlsx"
    pandas.DataFrame({"y": [0, 1] * 15, "s": [n / 30 for n in range(30)]}).to_excel(path)
    arguments = ["threshold", str(path), "--truth", "y", "--score", "s", "--alpha", ".5"]
    assert run(arguments) == 0
    assert "Use" in capsys.readouterr().out
