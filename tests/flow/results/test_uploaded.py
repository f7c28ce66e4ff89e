"""Whatever is uploaded or typed: understood, or refused in one kind sentence."""

from tempfile import gettempdir

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from howgood.decide.thresholds import threshold
from howgood.errors import FileFormatError, HowgoodError, InputError
from howgood.flow.results.counting import counts_of_file
from howgood.flow.results.library import Accuracy, read_accuracy
from howgood.flow.results.tasks import MOST_SYSTEMS, _systems
from howgood.flow.results.uploaded import LARGEST, guess, names_as_text, numbers, read_upload
from howgood.records.elicited_metric import LinearMetric
from howgood.records.estimate import Estimate
from howgood.records.table import Table
from howgood.show.translation import translated


@given(st.binary(max_size=400), st.sampled_from(["a.csv", "b.tsv", "../../etc/x", "", "c.exe"]))
@example(b"a,b\n1,2\n\x00\n", "a.csv")
@example(b"\n\n\n\n", "a.csv")
@example(b'"a\n,b\n1,2\n', "a.csv")
@example(b"a,b\n" + b"\xff\xfe,1\n", "a.csv")
def test_any_bytes_are_a_table_or_a_kind_refusal(content, name):
    try:
        table = read_upload(name, content)
    except HowgoodError as error:
        said = str(error)
    else:
        said = ""
        assert len(table.columns) >= 2
    assert gettempdir() not in said  # the reader's own folder is nobody's business


@given(st.lists(st.tuples(st.integers(-99, 99), st.floats(-1, 1)), min_size=1, max_size=20),
       st.sampled_from([",", ";"]))  # fmt: skip
def test_what_was_written_is_read(rows, separator):
    lines = [separator.join(["n", "x"]), *(f"{n}{separator}{x!r}" for n, x in rows)]
    table = read_upload("t.csv", "\r\n".join(lines).encode("utf-8-sig"))
    assert numbers(table, "n", where="t").tolist() == [n for n, _ in rows]
    assert numbers(table, "x", where="t").tolist() == [x for _, x in rows]


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(FileFormatError, match="more than one column named score"):
        read_upload("s.csv", b"y_true,score,score\n1,2,3\n")


def test_a_file_over_the_limit_is_refused_before_it_is_read():
    with pytest.raises(FileFormatError, match="at most 20 MB"):
        read_upload("s.csv", b"a,b\n" * (LARGEST // 4 + 1))


def test_a_column_without_numbers_is_named_with_the_others():
    table = read_upload("s.csv", b"who,score,gap\nann,0.1,1\nbob,0.2,\n")
    with pytest.raises(InputError, match=r"who, score, gap"):
        numbers(table, "who", where="s.csv")
    with pytest.raises(InputError, match="first: row 2"):
        numbers(table, "gap", where="s.csv")
    with pytest.raises(InputError, match="nothing"):
        numbers(table, "nothing", where="s.csv")


def test_usual_names_are_guessed_whatever_their_case():
    assert guess(["ID", "Label", "Proba"], "truth") == "Label"
    assert guess(["ID", "Label", "Proba"], "score") == "Proba"
    assert names_as_text(np.array([3.0, "3", " x "], dtype=object)).tolist() == ["3", "3", "x"]


@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=20))
@example("9" * 5000 + " 1 2 3", "", "")
@example("", "1e999", "5")
def test_anything_typed_is_an_accuracy_or_a_kind_refusal(matrix, precision, recall):
    given_ = {"matrix": matrix, "precision": precision, "recall": recall}
    try:
        found = read_accuracy(given_)
    except InputError:
        return
    assert found is None or isinstance(found, Accuracy)
    if found is not None:
        assert 0 <= found.precision <= 1
        assert 0 <= found.recall <= 1


def test_a_share_next_to_a_percentage_is_refused_in_the_reader_s_language():
    with pytest.raises(InputError, match="both in per cent, or both as shares") as refused:
        read_accuracy({"precision": "0,9", "recall": "85"})
    assert "erwartet werden beide in Prozent oder beide als Anteil. Schreiben Sie" in str(
        translated(str(refused.value), "de")
    )
    assert read_accuracy({"precision": "0.9 %", "recall": "85"}).precision == pytest.approx(0.009)
    assert read_accuracy({"precision": "1", "recall": "1"}).precision == 1


def test_a_table_of_labels_is_counted():
    rows = ["1,1"] * 5 + ["1,0"] * 4 + ["0,1"] * 3 + ["0,0"] * 2
    content = "\n".join(["truth,prediction", *rows]).encode()
    assert counts_of_file("x.csv", content, positive="") == (5, 4, 3, 2)


def test_too_many_systems_are_refused():
    table = Table({f"c{n}": [1.0] for n in range(MOST_SYSTEMS + 2)})
    with pytest.raises(InputError, match="columns of systems"):
        _systems(table, {"item": "c0", "user": ""}, "x.csv")


def test_a_weight_known_exactly_chooses_as_the_linear_metric_does():
    rng = np.random.default_rng(2)
    truth = (rng.random(400) < 0.3).astype(int)
    scores = 1 / (1 + np.exp(-rng.normal(2.0 * truth - 1.0)))
    known = Estimate.from_draws(np.full(50, 0.2), kind="quantile")
    by_weight = threshold(known, truth, scores, random_state=1)
    by_metric = threshold(LinearMetric(a0=0.2), truth, scores, random_state=1)
    assert by_weight.chosen == by_metric.chosen
    assert by_weight.acceptance is None
