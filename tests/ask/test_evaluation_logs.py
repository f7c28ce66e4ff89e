"""Logs of other tools: small samples written by hand from their documentation, and real ones.

Inspect, lm-eval and DeepEval themselves run in `test_logs_of_tools.py`.
promptfoo is a program for Node: its samples were written by hand after files that it wrote.
"""

import io
import json
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood import ask
from howgood.errors import InputError

INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "capitals", "model": "mockllm/model"},
    "samples": [
        {"id": "q1", "epoch": 1, "scores": {"match": {"value": "C"}}, "metadata": {"topic": "a"},
         "total_time": 2.0, "model_usage": {"m": {"total_tokens": 5, "total_cost": 0.25}}},
        {"id": "q1", "epoch": 2, "scores": {"match": {"value": "I"}}, "metadata": {"topic": "a"},
         "total_time": 4.0, "model_usage": {"m": {"total_tokens": 5, "total_cost": 0.75}}},
        {"id": "q2", "epoch": 1, "total_time": 1.0,
         "scores": {"match": {"value": "P"}, "rubric": {"value": {"tone": 4}}},
         "metadata": {"topic": "b"}},
        {"id": "q3", "epoch": 1, "scores": {}, "error": {"message": "timeout"}},
    ],
}  # fmt: skip
PROMPTFOO = {
    "version": 3,
    "results": {
        "results": [
            {"provider": {"id": name}, "vars": {"q": q}, "success": ok, "score": score,
             "promptIdx": 0, "namedScores": {"tone": 0.5}, "cost": 0.01, "latencyMs": 120}
            for name, rows in (
                ("openai:a", ((1, True, 1), (2, False, 0.2))),
                ("openai:b", ((1, True, 1),)),
            )
            for q, ok, score in rows
        ]
    },
}  # fmt: skip
LM_EVAL = [
    {"doc_id": 0, "doc": {}, "target": "a", "arguments": [], "resps": [], "filtered_resps": ["a"],
     "filter": "none", "metrics": ["acc", "acc_norm"], "acc": 1.0, "acc_norm": 0.0},
    {"doc_id": 1, "doc": {}, "target": "b", "arguments": [], "resps": [], "filtered_resps": ["a"],
     "filter": "none", "metrics": ["acc", "acc_norm"], "acc": 0.0, "acc_norm": 1.0},
]  # fmt: skip
DEEPEVAL = {
    "testRunData": {
        "testCases": [
            {"name": "test_case_0", "input": "Who?", "success": True, "runDuration": 9.5,
             "evaluationCost": 0.9, "completionTime": 1.5, "tokenCost": 0.01,
             "metricsData": [{"name": "Faithfulness", "score": 0.9, "success": True}]},
            {"name": "test_case_1", "input": "Why?", "success": False, "runDuration": 8.5,
             "evaluationCost": 0.8, "completionTime": 0.5, "tokenCost": 0.02,
             "metricsData": [{"name": "Faithfulness", "score": 0.4, "success": False}]},
        ]
    }
}  # fmt: skip


def _written(folder, name, document):
    path = folder / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def packed_inspect(document=INSPECT):
    """Return the bytes of an .eval file with its samples one by one."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        head = {name: value for name, value in document.items() if name != "samples"}
        archive.writestr("header.json", json.dumps(head))
        for sample in document["samples"]:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps(sample))
    return memory.getvalue()


def test_inspect_as_json_and_packed_say_the_same(tmp_path):
    packed = tmp_path / "log.eval"
    packed.write_bytes(packed_inspect())
    plain = ask.read_log(_written(tmp_path, "log.json", INSPECT))
    for log in (plain, ask.read_log(packed)):
        assert log.format == "Inspect"
        assert log.system == "mockllm/model"
        assert log.items == ("q1", "q1", "q2")
        assert log.metrics["match"].tolist() == [1.0, 0.0, 0.5]
        assert np.isnan(log.metrics["rubric.tone"][:2]).all()
        assert log.metrics["rubric.tone"][2] == 4.0
        assert log.attributes["topic"] == ("a", "a", "b")
        assert log.cost[:2].tolist() == [0.25, 0.75]
        assert log.latency.tolist() == [2.0, 4.0, 1.0]
        assert log.notes == ("1 of 4 samples have no score",)


@settings(max_examples=20, deadline=None)
@given(values=st.lists(st.floats(-9, 9), min_size=1, max_size=20))
def test_every_score_of_a_log_comes_back_in_its_row(values):
    samples = [
        {"id": f"q{place}", "epoch": 1, "scores": {"grade": {"value": value}}}
        for place, value in enumerate(values)
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.eval"
        path.write_bytes(packed_inspect({"eval": {"model": "m"}, "samples": samples}))
        log = ask.read_log(path)
    found = dict(zip(log.items, log.metrics["grade"].tolist(), strict=True))
    assert found == {f"q{place}": value for place, value in enumerate(values)}


def test_promptfoo_of_one_system_after_its_name(tmp_path):
    path = _written(tmp_path, "results.json", PROMPTFOO)
    with pytest.raises(InputError, match="2 systems"):
        ask.read_log(path)
    log = ask.read_log(f"{path}#openai:a")
    assert log.format == "promptfoo"
    assert log.items == ('{"q": 1}', '{"q": 2}')
    assert log.metrics["success"].tolist() == [1.0, 0.0]
    assert log.metrics["score"].tolist() == [1.0, 0.2]
    assert log.metrics["tone"].tolist() == [0.5, 0.5]
    assert log.latency.tolist() == [120.0, 120.0]
    with pytest.raises(InputError, match="openai:b"):
        ask.read_log(f"{path}#gemini")


def _cell(provider, prompt, column, test, **more):
    """A result as promptfoo writes it: `promptIdx` numbers the columns, provider by provider."""
    return {"provider": {"id": provider, "label": ""}, "promptId": prompt, "promptIdx": column,
            "testIdx": test, "vars": {"q": test}, "testCase": {"vars": {"q": test}},
            "success": True, "score": 1 - column / 10, "namedScores": {}} | more  # fmt: skip


def test_promptfoo_pairs_the_tests_of_two_providers(tmp_path):
    cells = [_cell(f"openai:{name}", "p", column, test)
             for test in range(3) for column, name in ((1, "b"), (0, "a"))]  # fmt: skip
    path = _written(tmp_path, "results.json", {"results": {"version": 3, "results": cells}})
    a, b = (ask.read_log(f"{path}#openai:{name}") for name in "ab")
    assert a.items == b.items == ('{"q": 0}', '{"q": 1}', '{"q": 2}')
    assert (a.metrics["score"].tolist(), b.metrics["score"].tolist()) == ([1.0] * 3, [0.9] * 3)


def test_each_prompt_of_a_promptfoo_provider_is_a_system_of_its_own(tmp_path):
    cells = [_cell("openai:a", f"p{column}", column, test)
             for test in range(2) for column in (1, 0)]  # fmt: skip
    path = _written(tmp_path, "results.json", {"results": {"version": 3, "results": cells}})
    with pytest.raises(InputError, match=r"2 systems.*'openai:a#2', 'openai:a#1'"):
        ask.read_log(path)
    first, second = (ask.read_log(f"{path}#openai:a#{number}") for number in (1, 2))
    assert first.items == second.items == ('{"q": 0}', '{"q": 1}')
    assert first.metrics["score"].tolist() == [1.0, 1.0]
    assert second.metrics["score"].tolist() == [0.9, 0.9]


def test_promptfoo_tests_with_equal_variables_and_other_attacks_are_no_repeats(tmp_path):
    attack = {"testCase": {"metadata": {"strategyId": "jailbreak"}}}
    cells = [_cell("openai:a", "p", 0, 0), _cell("openai:a", "p", 0, 0, **attack)]
    log = ask.read_log(_written(tmp_path, "results.json", {"results": {"results": cells}}))
    assert log.items == ('{"q": 0}', '{"q": 0}, jailbreak')


def test_a_folder_with_one_log_is_that_log(tmp_path):
    with pytest.raises(InputError, match="without a log"):
        ask.read_log(tmp_path)
    _written(tmp_path, "a.json", DEEPEVAL)
    assert ask.read_log(tmp_path).items == ("Who?", "Why?")
    later = _written(tmp_path, "b.json", DEEPEVAL)
    with pytest.raises(InputError, match=f"2 logs.*{later}"):
        ask.read_log(tmp_path)


def test_an_evaluation_that_failed_says_so(tmp_path):
    path = _written(tmp_path, "log.json", {"status": "error", "eval": {}, "samples": []})
    with pytest.raises(InputError, match="ended with status 'error'"):
        ask.read_log(path)


def test_samples_of_lm_eval_from_a_file_and_a_folder(tmp_path):
    path = tmp_path / "samples_arc_easy_2026-01-02T03-04-05.678.jsonl"
    path.write_text("\n".join(map(json.dumps, LM_EVAL)), encoding="utf-8")
    for where in (path, tmp_path):
        log = ask.read_log(where)
        assert log.format == "lm-eval samples"
        assert log.items == ("arc_easy/0", "arc_easy/1")
        assert log.metrics["acc"].tolist() == [1.0, 0.0]
        assert log.attributes["task"] == ("arc_easy", "arc_easy")


def test_deepeval_by_what_was_asked(tmp_path):
    log = ask.read_log(_written(tmp_path, "run.json", DEEPEVAL))
    assert log.format == "DeepEval"
    assert log.items == ("Who?", "Why?")
    assert log.metrics["Faithfulness"].tolist() == [0.9, 0.4]
    assert log.metrics["success"].tolist() == [1.0, 0.0]
    # What the answers took, not what judging them took.
    assert log.latency.tolist() == [1.5, 0.5]
    assert log.cost.tolist() == [0.01, 0.02]


def test_conversations_and_broken_metrics_of_deepeval_are_not_passed_over(tmp_path):
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"},
             {"role": "user", "content": "Bye"}]  # fmt: skip
    talk = {
        "name": "conversational_test_case_0",
        "success": False,
        "turns": turns,
        "metricsData": [{"name": "Role", "score": None, "success": False, "error": "timeout"}],
    }
    run = {"testRunData": {**DEEPEVAL["testRunData"], "conversationalTestCases": [talk]}}
    log = ask.read_log(_written(tmp_path, "run.json", run))
    assert log.items == ("Who?", "Why?", "Hi / Bye")
    assert log.notes == ("a metric of 1 of 3 test cases ended with an error",)


def test_a_table_has_numbers_for_metrics_and_words_for_attributes(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("id,correct,cost,topic,epoch\n1,pass,.5,law,1\n2,fail,.25,art,1\n")
    log = ask.read_log(path)
    assert log.items == ("1", "2")
    assert log.metrics["correct"].tolist() == [1.0, 0.0]
    assert list(log.metrics) == ["correct"]
    assert log.attributes["topic"] == ("law", "art")
    assert log.cost.tolist() == [0.5, 0.25]
    lines = tmp_path / "run.jsonl"
    lines.write_text('{"item": "a", "scores": {"ok": 1}}\n{"item": "b", "scores": {"ok": 0}}\n')
    assert ask.read_log(lines).metrics["scores.ok"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("log.eval", "no zip", "no log of Inspect"),
        ("log.json", "{", "no JSON"),
        ("log.csv", "a,b\n1,2\n", "names the item"),
        ("log.json", '{"eval": {}, "samples": []}', "no rows"),
    ],
)
def test_what_is_no_log_is_refused_kindly(tmp_path, name, content, text):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=text):
        ask.read_log(path)


def test_a_missing_log_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        ask.read_log(tmp_path / "none.eval")


def _lm_eval_line(number, content, **more):
    return {**LM_EVAL[0], "doc_id": number, "doc_hash": content, **more}


def _lm_eval_log(folder, lines):
    path = folder / "samples_task_2026-01-02T03-04-05.678.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return ask.read_log(path)


def test_documents_of_lm_eval_with_equal_content_stay_documents(tmp_path):
    """The harness averages over four documents: (1 + 0 + 1 + 1) / 4, whatever order lines have."""
    values = {0: ("x", 1.0), 1: ("x", 0.0), 2: ("y", 1.0), 3: ("x", 1.0)}
    lines = [_lm_eval_line(number, content, acc=acc) for number, (content, acc) in values.items()]
    found = {}
    for name, written in (("forwards", lines), ("backwards", lines[::-1])):
        (tmp_path / name).mkdir()
        log = _lm_eval_log(tmp_path / name, written)
        found[name] = dict(zip(log.items, log.metrics["acc"].tolist(), strict=True))
        assert log.metrics["acc"].mean() == 0.75
        assert len(set(log.attributes["document"])) == 2
        assert log.notes[0].startswith("3 documents")
    assert found["forwards"] == found["backwards"]
    assert found["forwards"] == {
        "task/x": 1.0, "task/x (2)": 0.0, "task/y": 1.0, "task/x (3)": 1.0,
    }  # fmt: skip


def test_filters_of_lm_eval_are_metrics_and_a_document_written_twice_is_refused(tmp_path):
    lines = [_lm_eval_line(0, "x", filter=name, metrics=["acc"]) for name in ("strict", "loose")]
    log = _lm_eval_log(tmp_path, lines)
    assert (log.items, sorted(log.metrics)) == (("task/x",), ["acc,loose", "acc,strict"])
    with pytest.raises(InputError, match=r"line 3: document 0 a second time"):
        _lm_eval_log(tmp_path, [*lines, lines[0]])


def test_inspect_says_which_samples_stand_twice(tmp_path):
    samples = [*INSPECT["samples"], INSPECT["samples"][0]]
    log = ask.read_log(_written(tmp_path, "log.json", {**INSPECT, "samples": samples}))
    assert log.notes[1] == (
        "1 sample has the id and epoch of another; they count as repeats and are averaged"
    )


def test_promptfoo_tests_that_ask_for_other_things_are_no_repeats(tmp_path):
    cells = [
        _cell("openai:a", "p", 0, test, vars={"q": 1}, testCase={"assert": [{"value": value}]})
        for test, value in ((2, "b"), (0, "a"), (1, "a"))
    ]
    log = ask.read_log(_written(tmp_path, "results.json", {"results": {"results": cells}}))
    assert log.items == ('{"q": 1}', '{"q": 1}', '{"q": 1} (2)')


def test_cases_of_deepeval_with_other_right_answers_are_no_repeats(tmp_path):
    case = DEEPEVAL["testRunData"]["testCases"][0]
    cases = [{**case, "expectedOutput": right} for right in ("a", "b", "a")]
    log = ask.read_log(_written(tmp_path, "run.json", {"testRunData": {"testCases": cases}}))
    assert log.items == ("Who?", "Who? (2)", "Who?")


def test_a_text_among_the_numbers_of_a_table_has_its_row_as_an_editor_shows_it(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("item,acc,answer\nq1,1,x\n\nq2,0,7\nq3,error,y\n")
    log = ask.read_log(path)
    assert (list(log.metrics), log.unread) == ([], {"acc": "row 5 has 'error'"})
    lines = tmp_path / "run.jsonl"
    lines.write_text('{"item": 1, "acc": 1}\n\n{"item": 2, "acc": 0}\n{"item": 3, "acc": "error"}')
    assert ask.read_log(lines).unread == {"acc": "line 4 has 'error'"}


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "0", "n/a"], [1.0, 0.0, np.nan]),
        (["1", "0", ""], [1.0, 0.0, np.nan]),
        (["85 %", "8,5 %", "100 %"], [0.85, 0.085, 1.0]),
        (["pass", "fail", "1"], [1.0, 0.0, 1.0]),
        (["85 %", "90 %", "85"], "row 4 has '85'"),
        (["1.5", "0.5", "pass"], "row 4 has 'pass'"),
    ],
)
def test_what_a_cell_of_a_table_counts(tmp_path, cells, expected):
    path = tmp_path / "run.csv"
    rows = "".join(f'q{place},"{cell}"\n' for place, cell in enumerate(cells))
    path.write_text("item,acc\n" + rows)
    if isinstance(expected, str):
        log = ask.read_log(path)
        assert (list(log.metrics), log.unread) == ([], {"acc": expected})
        return
    assert ask.read_log(path).metrics["acc"].tolist() == pytest.approx(expected, nan_ok=True)


def test_the_same_table_as_csv_json_lines_and_parquet_is_the_same_log(tmp_path):
    rows = [{"item": f"q{n}", "acc": n % 2 == 0, "share": n / 8, "topic": "ab"[n % 2]}
            for n in range(6)]  # fmt: skip
    polars = pytest.importorskip("polars")
    polars.DataFrame(rows).write_csv(tmp_path / "run.csv")
    polars.DataFrame(rows).write_parquet(tmp_path / "run.parquet")
    (tmp_path / "run.jsonl").write_text("\n".join(map(json.dumps, rows)))
    logs = [ask.read_log(tmp_path / f"run.{kind}") for kind in ("csv", "parquet", "jsonl")]
    for log in logs:
        assert log.items == logs[0].items
        assert log.attributes == logs[0].attributes
        assert log.metrics["acc"].tolist() == [1, 0, 1, 0, 1, 0]
        assert log.metrics["share"].tolist() == logs[0].metrics["share"].tolist()


def test_rows_without_an_item_are_refused_and_repeats_are_said(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("item,acc\nq1,1\n,0\n,1\n")
    with pytest.raises(InputError, match=r"2 of 3 rows without an item \(first: row 3\)"):
        ask.read_log(path)
    path.write_text("item,acc\nq1,1\nq1,0\nq2,1\n")
    assert ask.read_log(path).notes[0].startswith("1 item has several rows")
    path.write_text("item,epoch,acc\nq1,1,1\nq1,2,0\nq2,1,1\n")
    assert ask.read_log(path).notes == ()


def _scored(values):
    samples = [
        {"id": f"q{place}", "scores": {"judge": {"value": value}}}
        for place, value in enumerate(values)
    ]
    return {"status": "success", "eval": {"model": "m"}, "samples": samples}


def test_inspect_s_own_words_and_texts_of_numbers_count_as_in_inspect(tmp_path):
    scorer = pytest.importorskip("inspect_ai.scorer")
    values = ["C", "I", "P", "N", "yes", "NO", "True", "false", "0.25", "3", True, 0.5]
    log = ask.read_log(_written(tmp_path, "log.json", _scored(values)))
    assert log.metrics["judge"].tolist() == [scorer.value_to_float()(value) for value in values]


def test_a_text_among_inspect_s_scores_is_not_passed_over(tmp_path):
    log = ask.read_log(_written(tmp_path, "log.json", _scored(["C", "I", "unsure"])))
    assert "judge" not in log.metrics
    assert log.unread["judge"] == "sample q2 has 'unsure'"


def test_inspect_scores_that_are_words_are_said_to_be_no_metric(tmp_path):
    document = _scored(["blue", "red", "C"])
    for sample in document["samples"]:
        sample["scores"]["match"] = {"value": "C"}
    log = ask.read_log(_written(tmp_path, "log.json", document))
    assert list(log.metrics) == ["match"]
    assert log.notes == ("'judge' is no metric: its scores are no numbers (sample q0 has 'blue')",)


def test_inspect_says_where_its_own_number_is_no_mean_over_epochs(tmp_path):
    document = _scored(["C", "I"])
    document["eval"]["config"] = {"epochs": 3, "epochs_reducer": ["mean", "pass_at_2"]}
    log = ask.read_log(_written(tmp_path, "log.json", document))
    assert "Inspect's own number is pass_at_2 of every sample's epochs" in log.notes[0]


@pytest.mark.parametrize("name", ["logs.json", "eval-set.json", "listing.json"])
def test_a_list_of_logs_next_to_a_log_is_no_log(tmp_path, name):
    (tmp_path / name).write_text("{}")
    _written(tmp_path, "2026_task.json", _scored(["C"]))
    assert ask.read_log(tmp_path).n_items == 1


def test_a_cached_answer_of_promptfoo_says_nothing_of_cost_and_latency(tmp_path):
    rows = [_cell("m", "p", 0, test, cost=0.5, latencyMs=900) for test in range(2)]
    rows[1]["response"] = {"cached": True}
    log = ask.read_log(_written(tmp_path, "r.json", {"results": {"results": rows}}))
    for seen, paid in ((log.cost, 0.5), (log.latency, 900.0)):
        assert seen[0] == paid
        assert np.isnan(seen[1])


def test_what_inspect_s_grader_cost_is_no_cost_of_the_model(tmp_path):
    document = _scored(["C"])
    document["samples"][0]["model_usage"] = {
        "m": {"total_cost": 0.25}, "judge": {"total_cost": 0.75}
    }  # fmt: skip
    document["samples"][0]["role_usage"] = {"grader": {"total_cost": 0.75}}
    assert ask.read_log(_written(tmp_path, "log.json", document)).cost.tolist() == [0.25]


@pytest.mark.parametrize(
    "sample", [{"model_usage": []}, {"model_usage": "none"}, {"scores": {"match": 10**400}}]
)
def test_what_is_not_as_inspect_writes_it_is_read_or_refused(tmp_path, sample):
    whole = {"id": "a", "scores": {"match": {"value": "C"}}}
    content = {"eval": {"model": "m"}, "status": "success", "samples": [whole, {**whole, **sample}]}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    if "scores" in sample:
        with pytest.raises(InputError, match=r"1e\+101 in row 2"):
            ask.read_log(path)
    else:
        assert ask.read_log(path).n_items == 1


@pytest.mark.parametrize("samples", [7, '"all"', f"[{'1' * 5000}]"])
def test_samples_that_are_none_are_refused(tmp_path, samples):
    path = tmp_path / "log.json"
    path.write_text(f'{{"eval": {{}}, "samples": {samples}}}', encoding="utf-8")
    with pytest.raises(InputError):
        ask.read_log(path)
