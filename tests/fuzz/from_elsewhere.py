"""Readers of what comes from elsewhere into a server: imports, uploads, databases, and the files
that commands take beside their first one.

Each entry is as in `readers.READERS`, which takes them in.
"""

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from howgood.flow import decisions, hosting, importing, ranking, relevance
from howgood.flow.participate import choose_condition, fill, take_part
from howgood.flow.results.counting import counts_of_file
from howgood.flow.results.uploaded import read_upload
from howgood.flow.study_files import check_study
from howgood.flow.study_files.new import template
from howgood.flow.survey_export.offline import FORMAT
from howgood.flow.survey_export.source import source_in_file
from howgood.kinds.study import Study

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
_QUESTIONS = [
    {"key": "age", "text": "How old?", "type": "number", "minimum": 18, "maximum": 99},
    {"key": "way", "text": "How?", "type": "choices",
     "options": [{"key": "bike", "text": "Bicycle"}, {"key": "bus", "text": "Bus"}]},
]  # fmt: skip
_SURVEY = {
    "kind": "survey", "slug": "doors", "title": "Doors", "consent": {"text": "I agree."},
    "demographics": _QUESTIONS,
    "survey": {
        "applications": [{"key": key, "name": key.title(), "description": "It rings.",
                          "phrases": {"happened": "{n} times.", "found": "{n} of {real}.",
                                      "missed": "{n} of {real}.", "false_alarm": "{n} times.",
                                      "cleared": "{n} times."}}
                         for key in ("bell", "camera")],
        "precision": [0.5, 1], "recall": [0.5, 1], "per_application": 2,
        "attention": [{"key": "care", "text": "Choose the second.", "answer": 2}],
    },
}  # fmt: skip
_RERATING = {
    "kind": "rerating", "slug": "songs", "title": "Songs", "consent": {"text": "I agree."},
    "rerating": {"question": "How good?", "scale": ["bad", "fair", "good"], "rounds": 2,
                 "items": [{"key": "x", "text": "First"}, {"key": "y", "text": "Second"}]},
}  # fmt: skip


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="howgood-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _host() -> hosting.Host:
    """A server's database with two studies, into which everything is imported."""
    host = hosting.open_host(str(_folder() / "answers.sqlite"))
    for study in (_SURVEY, _RERATING):
        hosting.add_study(host, Study.from_dict(study), folder=Path(), now=NOW)
    return host


def _imported(slug: str, missing: importing.Missing = "error") -> Callable[[Path], object]:
    def read(path: Path) -> object:
        files = [(path.name, path.read_bytes())]
        return importing.import_files(
            _host(), slug, files, mapping={}, missing=missing, actor="fuzz", now=NOW
        )

    return read


def _mapped(path: Path) -> object:
    """Read a table as the page does that shows what would become of it."""
    number = importing.take_upload(
        _host(), "doors", name=path.name, content=path.read_bytes(), now=NOW
    )
    mapping = {"participant": "Wer", "application": "Was", "precision": "precision",
               "recall": "recall", "acceptable": "Note"}  # fmt: skip
    try:
        importing.look_at(_host(), "doors", number, mapping=None, missing="drop", now=NOW)
        importing.look_at(_host(), "doors", number, mapping=mapping, missing="error", now=NOW)
        return importing.confirm(
            _host(), "doors", number, mapping=mapping, missing="drop", actor="fuzz", now=NOW
        )
    finally:
        importing.discard(_host(), "doors", number)


def _long_csv() -> tuple[bytes, ...]:
    return (
        b"ResponseId,application,precision,recall,acceptable,useful,intent\r\n"
        b"r1,bell,0.5,1,5,4,3\r\nr1,Bell,1,1,7,7,Extremely likely\r\nr2,camera,0.5,0.5,1,2,1\r\n",
    )


def _mapped_csv() -> tuple[bytes, ...]:
    return (
        b'Wer;Was;precision;recall;Note;useful;intent\na;bell;0.5;1;5;4;3\nb;"camera";1;1;7;7;6\n',
    )


def _qualtrics_csv() -> tuple[bytes, ...]:
    header = ["Status", "ResponseId", "EndDate", "d1", "d2", "a1s1_1", "a1s1_2", "a1s1_3", "k1"]
    rows = [
        header,
        [f'"words of {name}"' for name in header],
        ['"{""ImportId"":""' + name + '""}"' for name in header],
        ["IP Address", "R_1", "2026-05-04 10:00:00", "34", '"1,2"', "5", "4", "3", "2"],
        ["IP Address", "R_2", "2026-05-04 11:00:00", "", "Bus", "Extremely likely", "7", "6", "1"],
        ["Survey Preview", "R_3", "", "", "", "1", "1", "1", ""],
    ]
    return ("".join(",".join(row) + "\r\n" for row in rows).encode(),)


def _limesurvey_csv() -> tuple[bytes, ...]:
    return (
        b"id,submitdate,d1,d2[o1],d2[o2],a2s3[i1],a2s3[i2],a2s3[i3]\r\n"
        b"7,2026-05-04 10:00:00,,Y,,5,4,3\r\n",
    )


def _rounds_csv() -> tuple[bytes, ...]:
    return (
        b"user,item,trial,rating,at\nu1,x,1,good,2026-05-01T10:00:00+02:00\n"
        b"u1,y,1,1,2026-05-01T10:01:00+02:00\nu1,x,2,2,2026-05-02T10:00:00+02:00\n",
    )


@cache
def _offline_json() -> tuple[bytes, ...]:
    study, seed, forms = Study.from_dict(_SURVEY), 5, {}

    def filler(screen: object) -> dict[str, object]:
        forms[screen.key] = fill(screen, seed=seed)
        return forms[screen.key]

    _, taken = take_part(study, seed=seed, now=NOW, filler=filler)
    answers = [
        {"screen": each.screen, "form": forms[each.screen],
         "shown_at": (each.at - timedelta(seconds=5)).isoformat(),
         "answered_at": each.at.isoformat().replace("+00:00", "Z")}
        for each in taken.answers
    ]  # fmt: skip
    found = {"howgood": FORMAT, "format": 1, "study": "doors", "version": study.version,
             "person": "ab12", "seed": seed, "condition": choose_condition(study, {}, seed),
             "answers": answers}  # fmt: skip
    return (json.dumps(found).encode(),)


def _labels_csv() -> bytes:
    return b"y_true,y_pred\n" + b"1,1\n0,1\n1,0\n0,0\n" * 5


def _scores_csv() -> bytes:
    rows = [f"{(i * 7) % 10 // 6},{(i * 37) % 100 / 100}" for i in range(60)]
    return ("y,s\n" + "\n".join(rows) + "\n").encode()


def _model() -> object:
    from tests.fuzz.readers import small_fit  # which takes in what is listed here

    return small_fit()


def _read_threshold(path: Path) -> object:
    return decisions.decide_threshold(_model(), path, truth="y", score="s", random_state=1)


def _read_curve(path: Path) -> object:
    return decisions.decide_go_live(
        _model(), path, columns={}, application=None, share=0.5, certainty=0.8, random_state=1
    )


def _curve_csv() -> tuple[bytes, ...]:
    return (b"size,precision,recall\n100,0.6,0.5\n200,0.7,0.6\n400,0.8,0.7\n800,0.85,0.8\n",)


def _read_scores_beside(path: Path) -> object:
    """Read a table that a study file names."""
    folder = Path(tempfile.mkdtemp(dir=_folder()))
    shutil.copy(path, folder / f"scores{path.suffix}")
    text = template("comparison").partition("[comparison]")
    given = f"scores = {{ file = 'scores{path.suffix}', truth = 'y', score = 's' }}"
    study = folder / "study.toml"
    study.write_text("".join(text[:2]) + f"\n{given}\n", encoding="utf-8")
    try:
        return check_study(study)
    finally:
        shutil.rmtree(folder)


def _read_matrices_beside(path: Path) -> object:
    folder = Path(tempfile.mkdtemp(dir=_folder()))
    shutil.copy(path, folder / "table.csv")
    study = folder / "study.toml"
    study.write_text("[comparison]\ntable = 'table.csv'\n", encoding="utf-8")
    try:
        return check_study(study)
    finally:
        shutil.rmtree(folder)


def _matrices_csv() -> tuple[bytes, ...]:
    rows = [f"{40 + i},{60 - i},{i},{100 - i}" for i in range(0, 40, 5)]
    return (("tp,fn,fp,tn\n" + "\n".join(rows) + "\n").encode(),)


def _relevance_csv() -> bytes:
    rows = [f"{'abc'[i % 7 % 3]},{'abc'[i % 5 % 3]},{i % 4}" for i in range(60)]
    return ("y,yhat,hour\n" + "\n".join(rows) + "\n").encode()


def _judgements_csv() -> tuple[bytes, ...]:
    rows = [f"{'abc'[i % 7 % 3]},{'abc'[i % 5 % 3]},{i % 4},{i % 3 / 2},p{i % 4}"
            for i in range(60)]  # fmt: skip
    return (("y,predicted,hour,grade,who\n" + "\n".join(rows) + "\n").encode(),)


@cache
def _test_file() -> Path:
    path = _folder() / "test.csv"
    path.write_bytes(_relevance_csv())
    return path


def _relevance(**files: str) -> object:
    question = relevance.RelevanceQuestion(
        outcome="y", predicted={"model": "yhat"}, context=("hour",), respondent="who", **files
    )
    return relevance.score_file(_test_file(), question, seed=1)


def _ratings_csv() -> bytes:
    rows = [f"u{user},i{item},{1 + (user * 7 + item * 3 + trial) % 5}"
            for user in range(4) for item in range(3) for trial in range(2)]  # fmt: skip
    return ("user,item,rating\n" + "\n".join(rows) + "\n").encode()


def _predictions_csv() -> tuple[bytes, ...]:
    rows = [f"u{user},i{item},{3 + user / 9},{2.5 + item / 7}"
            for user in range(4) for item in range(3)]  # fmt: skip
    return (("user,item,svd,knn\n" + "\n".join(rows) + "\n").encode(),)


@cache
def _ratings_file() -> Path:
    path = _folder() / "ratings.csv"
    path.write_bytes(_ratings_csv())
    return path


def _read_predictions(path: Path) -> object:
    return ranking.rank_file(
        _ratings_file(),
        feedback=ranking.FeedbackColumns(repeated=True),
        systems={"A": "svd", "B": "knn"},
        predictions=path,
        engine="polars",
    )


@cache
def _database() -> tuple[bytes, ...]:
    path = _folder() / "small.sqlite"
    host = hosting.open_host(str(path))
    hosting.add_study(host, Study.from_dict(_RERATING), folder=Path(), now=NOW)
    host.close()
    return (path.read_bytes(),)


def _open_database(path: Path) -> object:
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    hosting.open_host(str(path)).close()
    return None


# name, ending, valid files, reader, kind of damage
Row = tuple[str, str, Callable[[], tuple[bytes, ...]], Callable[[Path], object], str]
ROWS: tuple[Row, ...] = (
    ("imported answers CSV", ".csv", _long_csv, _imported("doors"), "csv"),
    ("imported answers CSV, gaps left out", ".csv", _long_csv, _imported("doors", "drop"), "csv"),
    ("imported answers CSV, mapped", ".csv", _mapped_csv, _mapped, "csv"),
    ("Qualtrics CSV", ".csv", _qualtrics_csv, _imported("doors"), "csv"),
    ("LimeSurvey CSV", ".csv", _limesurvey_csv, _imported("doors"), "csv"),
    ("imported ratings CSV", ".csv", _rounds_csv, _imported("songs"), "csv"),
    ("offline answers JSON", ".json", _offline_json, _imported("doors"), "json"),
    ("uploaded table", ".csv", lambda: (_labels_csv(), _scores_csv()),
     lambda path: read_upload(path.name, path.read_bytes()), "csv"),
    ("uploaded labels", ".csv", lambda: (_labels_csv(),),
     lambda path: counts_of_file(path.name, path.read_bytes(), positive="1"), "csv"),
    ("scores for a threshold", ".csv", lambda: (_scores_csv(),), _read_threshold, "csv"),
    ("learning curve", ".csv", _curve_csv, _read_curve, "csv"),
    ("scores beside a study", ".csv", lambda: (_scores_csv(),), _read_scores_beside, "csv"),
    ("matrices beside a study", ".csv", _matrices_csv, _read_matrices_beside, "csv"),
    ("other rows for relevance", ".csv", lambda: (_relevance_csv(),),
     lambda path: _relevance(reference=str(path)), "csv"),
    ("graded mismatches", ".csv", _judgements_csv,
     lambda path: _relevance(judgements=str(path)), "csv"),
    ("predictions CSV", ".csv", _predictions_csv, _read_predictions, "csv"),
    ("survey to send elsewhere", ".toml", lambda: (template("survey").encode(),),
     source_in_file, "text"),
    ("database", ".sqlite", _database, _open_database, "bytes"),
)  # fmt: skip
