"""Every reader of files there is, each with files it understands.

A new reader is fuzzed by adding a line to `READERS`: a name, an ending, valid contents to start
from (as bytes), and the call that reads a file to the end. Whatever bytes it is given, a reader
returns or raises a `HowgoodError`; nothing else.
"""

import atexit
import gzip
import io
import json
import shutil
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from tests.ask.test_evaluation_logs import DEEPEVAL, INSPECT, LM_EVAL, PROMPTFOO, packed_inspect
from tests.fuzz.from_elsewhere import ROWS

from howgood import ask, decide, learn, score
from howgood.decide.vote_rows import VoteRoles
from howgood.errors import HowgoodWarning
from howgood.flow import (
    acceptability,
    decisions,
    elicit,
    elicit_criteria,
    elicit_quantile,
    judge,
    leaderboard,
    ranking,
    registry,
    relevance,
    saved_results,
    ship,
)
from howgood.flow.study_files import check_study
from howgood.flow.study_files.as_text import commented_yaml
from howgood.flow.study_files.attached_files import picture_problem
from howgood.flow.study_files.new import new_study, template
from howgood.kinds.criteria import plan as criteria_plan
from howgood.learn.cards import prior_of_card
from howgood.learn.elicitation.saved import is_elicited
from howgood.learn.fit_file import kind_of_fit
from howgood.records.priors import HOWGOOD
from howgood.score.judge_rows import JudgeColumns
from howgood.show.text import to_json

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True, kw_only=True)
class Reader:
    """How to read one kind of file, and valid files to damage."""

    name: str
    suffix: str
    valid: Callable[[], tuple[bytes, ...]]
    read: Callable[[Path], object]
    kind: str  # "text", "csv", "json", "parquet", "npz": which damage it gets


def _outputs(output: str) -> bytes:
    rows = [
        {"prompt": f"Question {n}?", "model": model, "output": output}
        for n in range(2)
        for model in "ab"
    ]
    return "\n".join(map(json.dumps, rows)).encode()


def _study_about_outputs(path: Path) -> object:
    (path.parent / "door.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    for old in path.parent.glob("*.toml"):
        old.unlink()
    return check_study(new_study("votes", path))


def _answers_csv() -> bytes:
    rows = ["participant,application,precision,recall,rating"]
    for person in range(6):
        for precision, recall in ((0.5, 1), (1, 0.5), (0.8333, 0.6667), (1, 1)):
            rating = min(7, max(1, round(9 * precision * recall) - person % 3))
            rows.append(f"p{person},alarm,{precision},{recall},{rating}")
    return ("\n".join(rows) + "\n").encode()


def _answers_rows() -> list[dict[str, object]]:
    header, *lines = _answers_csv().decode().split()
    names = header.split(",")
    return [
        {
            name: value if name in ("participant", "application") else float(value)
            for name, value in zip(names, line.split(","), strict=True)
        }
        for line in lines
    ]


def _answers_jsonl() -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in _answers_rows())


def _answers_xlsx() -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    rows = _answers_rows()
    for row in (list(rows[0]), *(list(each.values()) for each in rows)):
        book.active.append(row)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def _labelled_answers_csv() -> bytes:
    return (
        "participant;application;precision;recall;rating;part\r\n"
        'a;"alarm; text";0,5;1;Quite likely;real\r\n'
        "b;weather;0,75;0,5;Extremely unlikely;real\r\n"
    ).encode("utf-8-sig")


def _ratings_csv() -> bytes:
    rows = ["user,item,rating,svd,knn"]
    rows += [
        f"u{user},i{item},{1 + (user * 7 + item * 3 + trial) % 5},{3 + user / 9},{2.5 + item / 7}"
        for user in range(4)
        for item in range(3)
        for trial in range(2)
    ]
    return ("\n".join(rows) + "\n").encode()


def _grades_csv() -> bytes:
    rows = [
        f"q{item},{system},r{rater},{1 + (item * 5 + rater * 3 + len(system)) % 5}"
        for item in range(5)
        for rater in range(3)
        for system in ("large", "small")
    ]
    return ("item,system,rater,grade\n" + "\n".join(rows) + "\n").encode()


def _summed_ratings_csv() -> bytes:
    rows = [f"{1 + i % 5},{0.1 * (1 + i % 4)},{1 + i % 4},{3 + i / 20}" for i in range(20)]
    return ("mean,sd,svd,knn\n" + "\n".join(rows) + "\n").encode()


def _scores_csv() -> bytes:
    rows = [f"{(i * 7) % 10 // 6},{(i * 37) % 100 / 100}" for i in range(60)]
    return ("y,s\n" + "\n".join(rows) + "\n").encode()


def _relevance_csv() -> bytes:
    rows = [
        f"{'on' if i % 3 else 'off'},{'on' if i % 2 else 'off'},{i % 2},r{i % 3}" for i in range(24)
    ]
    return ("y,yhat,hour,room\n" + "\n".join(rows) + "\n").encode()


def as_parquet(csv: bytes) -> bytes:
    """Return the same table as Parquet."""
    import polars

    target = io.BytesIO()
    polars.read_csv(csv).write_parquet(target, compression="snappy")
    return target.getvalue()


@cache
def small_fit() -> learn.AcceptabilityFit:
    answers = ask.simulate_answers(
        {"alarm": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0}}, people=12, random_state=1
    )
    return learn.fit_acceptability(answers, draws=200, random_state=1)


@cache
def _saved_fit() -> bytes:
    target = Path(_folder()) / "fit.npz"
    small_fit().save(target)
    return target.read_bytes()


@cache
def _saved_failures_fit() -> bytes:
    """A fit of failures as `FailuresFit.save` writes it."""
    answers = ask.simulate_failure_answers({"wrong": 0.3, "rude": 1.0}, people=20, random_state=1)
    target = Path(_folder()) / "failures.npz"
    learn.fit_failures(answers, kinds=("wrong", "rude"), draws=200, random_state=1).save(target)
    return target.read_bytes()


def _saved_ordinal_fit() -> bytes:
    # Fewer people fail the gates, and another engine takes half a minute.
    answers = ask.simulate_ordinal_answers(people=40, random_state=1)
    target = Path(_folder()) / "ordinal.npz"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HowgoodWarning)
        learn.fit_ordinal(answers, means=(0,), draws=200, random_state=1).save(target)
    return target.read_bytes()


@cache
def _folder() -> str:
    folder = tempfile.mkdtemp(prefix="howgood-fuzz-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _card() -> bytes:
    card = registry.card_of_fit(small_fit(), "alarm", name="alarm", description="An alarm.")
    return json.dumps(card.to_dict(), indent=1).encode()


@cache
def _published_card() -> bytes:
    return to_json(registry.cards()["kay2015-weather"].to_dict()).encode()


@cache
def _elicited() -> bytes:
    columns = np.genfromtxt(io.BytesIO(_scores_csv()), delimiter=",", names=True)
    matrices = learn.threshold_matrices(columns["y"], columns["s"])
    learner = learn.Elicitor(matrices, families=("linear",), random_state=1, max_queries=6)
    target = Path(_folder()) / "elicited.json"
    learn.ask_oracle(learner, score.LinearMetric(a0=0.3).prefers).save(target)
    return target.read_bytes()


@cache
def _log() -> bytes:
    columns = np.genfromtxt(io.BytesIO(_scores_csv()), delimiter=",", names=True)
    learner = learn.Elicitor(
        learn.threshold_matrices(columns["y"], columns["s"]),
        families=("linear",),
        random_state=1,
        max_queries=6,
    )
    for choice in ("first", "second", "same"):
        learner.answer(choice)
    return to_json(learn.elicitation_log(learner) | {"direct_after": 3.0}).encode()


@cache
def _wording() -> bytes:
    return to_json(ask.CANCER_WORDING.to_dict()).encode()


@cache
def _priors() -> tuple[bytes, ...]:
    informed = prior_of_card(registry.read_card(_card_file()), application="new")
    return to_json(HOWGOOD.to_dict()).encode(), to_json(informed.to_dict()).encode()


def _card_file() -> Path:
    path = Path(_folder()) / "card.json"
    path.write_bytes(_card())
    return path


def _toml_studies() -> tuple[bytes, ...]:
    written = tuple(template(kind).encode() for kind in ("survey", "comparison", "rerating"))
    return (*written, (EXAMPLES / "alarm-survey.toml").read_bytes())


def _yaml_studies() -> tuple[bytes, ...]:
    written = (EXAMPLES / "bilder-bewertung.yaml").read_bytes()
    return (written, commented_yaml(template("comparison")).encode())


def _read_labels(path: Path) -> object:
    return decisions.labels_from(path, counts=None, truth="y", predicted="yhat", positive="on")


def _forecasts_csv() -> bytes:
    rows = [f"{10 + i % 7},{11 + i % 5},{9.5 + i % 6}" for i in range(24)]
    return ("y,model,rule\n" + "\n".join(rows) + "\n").encode()


def _read_forecasts(path: Path) -> object:
    return decisions.predictions_for(
        _quantile(),
        path,
        truth="y",
        systems=["model", "rule"],
        positive=None,
        group=None,
        missing="error",
    )


@cache
def _quantile() -> learn.QuantileResult:
    days = range(40)
    return learn.QuantileElicitor(
        [float(day % 9) for day in days], [float(day % 7) for day in days], random_state=1
    ).result()


def _read_relevance(path: Path) -> object:
    question = relevance.RelevanceQuestion(
        outcome="y", predicted={"model": "yhat"}, context=("hour", "room")
    )
    return relevance.score_file(path, question, seed=1)


def _read_repeated(path: Path, engine: str = "auto") -> object:
    return ranking.rank_file(
        path,
        feedback=ranking.FeedbackColumns(repeated=True),
        systems={"A": "svd", "B": "knn"},
        engine=engine,
    )


def _read_grades(path: Path) -> object:
    leaderboard.columns_of_file(path, named={})
    columns = leaderboard.GradeColumns()
    leaderboard.halves_of_grades(path, columns=columns, splits=1)
    return leaderboard.rank_criteria_file(path, columns=columns, missing="drop")


def _read_judged(path: Path) -> object:
    columns = JudgeColumns(item="item", rater="rater", label="grade", judge="judge")
    return judge.judge_file(path, columns=columns, missing="drop")


def _votes_csv() -> bytes:
    rows = ["left,right,winner,item,rater"]
    rows += [
        f"{'abc'[each % 3]},{'bca'[each % 3]},{('left', 'right', 'tie')[each % 5 % 3]},"
        f"q{each % 7},r{each % 4}"
        for each in range(30)
    ]
    return ("\n".join(rows) + "\n").encode()


def _judged_csv() -> bytes:
    rows = ["item,rater,grade,judge"]
    rows += [
        f"q{each},r{each % 5},{each % 3 + 1 if each < 20 else ''},{each % 4}" for each in range(30)
    ]
    return ("\n".join(rows) + "\n").encode()


@cache
def _saved_result() -> bytes:
    """Return a saved decision: every kind of value that results have is somewhere in it."""
    rows = {"item": list(range(8)), "good": [0.0, 1.0] * 4}
    decision = decide.ship(rows, {**rows, "good": [1.0] * 8}, metric="good")
    head = {"format": saved_results.FORMAT, "version": 1, "class": "ShipDecision"}
    return to_json({**head, "values": decision.to_dict()}, whole=True).encode()


def _read_summed(path: Path, engine: str = "auto", metric: str = "rmse") -> object:
    return ranking.rank_file(
        path,
        feedback=ranking.FeedbackColumns(),
        systems={"A": "svd", "B": "knn"},
        engine=engine,
        metric=metric,
    )


def _classes() -> bytes:
    """Return labels, probabilities of three classes, groups and amounts."""
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([1, 1, 1], size=60)
    rows = [
        f"{'abc'[place % 3]},{a:.4f},{b:.4f},{c:.4f},{place % 2},{'fm'[place % 4 // 2]},"
        f"{10 * a:.3f}"
        for place, (a, b, c) in enumerate(chances)
    ]
    return "\n".join(["y,p_a,p_b,p_c,t,sex,sold", *rows]).encode()


def _outcomes_of_a_study(path: Path) -> object:
    plan = {
        "outcomes": {"file": str(path), "truth": "t", "score": "p_a", "group": "sex"}
    }  # fmt: skip
    problems = []
    filled = criteria_plan.fill_from_files(plan, ask.open_table, problems)
    return filled, problems


def _interview(path: Path) -> object:
    return elicit.start(path, truth="y", score="s", families=("linear",), random_state=1)


def _table(engine: str) -> Callable[[Path], object]:
    def read(path: Path) -> object:
        frame = ask.open_table(path, engine=engine)
        return ask.read_answers(frame)

    return read


def _used_fit(path: Path) -> object:
    """A fit that loads is a fit that answers: damage must not come out as a number later."""
    kind_of_fit(path)
    fit = learn.load_fit(path)
    return (
        fit.summary(),
        fit.predict(precision=0.9, recall=0.8, application=fit.applications[0]),
        fit.metric(fit.applications[0]),
    )


def _used_ordinal_fit(path: Path) -> object:
    fit = learn.load_ordinal_fit(path)
    return fit.summary(), fit.predict(precision=0.9, recall=0.8, part=fit.parts[0])


def _used_failures_fit(path: Path) -> object:
    fit = learn.load_failures(path)
    return fit.summary(), fit.predict({fit.kinds[0]: 0.1}), fit.tolerable(fit.kinds[0])


def _used_card(path: Path) -> object:
    card = registry.read_card(path)
    shares = card.acceptance_draws(card.application).shares(0.9, 0.8) if card.draws else None
    return card.to_dict(), shares, prior_of_card(card, application="new")


# Parquet is not read by Polars here: it ends the process at some damage, which is why "auto"
# gives it large files alone.
READERS: tuple[Reader, ...] = (
    Reader(name="study TOML", suffix=".toml", valid=_toml_studies, read=check_study, kind="text"),
    Reader(name="study YAML", suffix=".yaml", valid=_yaml_studies, read=check_study, kind="text"),
    Reader(
        name="picture",
        suffix=".svg",
        valid=lambda: (b"<?xml version='1.0'?><!-- by hand --><svg xmlns='x'></svg>",),
        read=lambda path: picture_problem(path, path.parent),
        kind="bytes",
    ),
    Reader(
        name="answers CSV",
        suffix=".csv",
        valid=lambda: (_answers_csv(), _labelled_answers_csv()),
        read=ask.read_answers,
        kind="csv",
    ),
    Reader(
        name="answers CSV, Polars",
        suffix=".csv",
        valid=lambda: (_answers_csv(), _labelled_answers_csv()),
        read=_table("polars"),
        kind="csv",
    ),
    Reader(
        name="answers CSV, DuckDB",
        suffix=".csv",
        valid=lambda: (_answers_csv(), _labelled_answers_csv()),
        read=_table("duckdb"),
        kind="csv",
    ),
    Reader(
        name="answers CSV, compressed",
        suffix=".csv.gz",
        valid=lambda: (gzip.compress(_answers_csv(), mtime=0),),
        read=ask.read_answers,
        kind="bytes",
    ),
    Reader(
        name="answers JSONL",
        suffix=".jsonl",
        valid=lambda: (_answers_jsonl(),),
        read=ask.read_answers,
        kind="text",
    ),
    Reader(
        name="answers JSON",
        suffix=".json",
        valid=lambda: (json.dumps(_answers_rows()).encode(),),
        read=_table("duckdb"),
        kind="json",
    ),
    Reader(
        name="answers Excel",
        suffix=".xlsx",
        valid=lambda: (_answers_xlsx(),),
        read=ask.read_answers,
        kind="bytes",
    ),
    Reader(
        name="answers Parquet",
        suffix=".parquet",
        valid=lambda: (as_parquet(_answers_csv()),),
        read=ask.read_answers,
        kind="parquet",
    ),
    Reader(
        name="repeated ratings CSV",
        suffix=".csv",
        valid=lambda: (_ratings_csv(),),
        read=_read_repeated,
        kind="csv",
    ),
    Reader(
        name="repeated ratings CSV, DuckDB",
        suffix=".csv",
        valid=lambda: (_ratings_csv(),),
        read=lambda path: _read_repeated(path, "duckdb"),
        kind="csv",
    ),
    Reader(
        name="grades CSV",
        suffix=".csv",
        valid=lambda: (_grades_csv(),),
        read=_read_grades,
        kind="csv",
    ),
    Reader(
        name="votes CSV",
        suffix=".csv",
        valid=lambda: (_votes_csv(),),
        read=lambda path: leaderboard.rank_votes_file(path, columns=VoteRoles()),
        kind="csv",
    ),
    Reader(
        name="halves of votes CSV",
        suffix=".csv",
        valid=lambda: (_votes_csv(),),
        read=lambda path: leaderboard.halves_of_votes(
            path, columns=VoteRoles(item="item", rater="rater"), splits=1
        ),
        kind="csv",
    ),
    Reader(
        name="judge's labels CSV",
        suffix=".csv",
        valid=lambda: (_judged_csv(),),
        read=_read_judged,
        kind="csv",
    ),
    Reader(
        name="judge's anchors CSV",
        suffix=".csv",
        valid=lambda: (_judged_csv(),),
        read=lambda path: judge.drift_of_files(
            path, path, columns=JudgeColumns(item="item", rater=None, label="", judge="judge")
        ),
        kind="csv",
    ),
    Reader(
        name="evaluation log, Inspect",
        suffix=".eval",
        valid=lambda: (packed_inspect(),),
        read=lambda path: ship.read_logs(str(path), str(path)),
        kind="text",
    ),
    *(
        Reader(
            name=f"evaluation log, {name}",
            suffix=suffix,
            valid=lambda content=content: (content,),
            read=lambda path, whose=whose: ship.read_logs(f"{path}{whose}", f"{path}{whose}"),
            kind="text" if suffix == ".jsonl" else "json",
        )
        for name, suffix, content, whose in (
            ("Inspect JSON", ".json", json.dumps(INSPECT).encode(), ""),
            ("promptfoo", ".json", json.dumps(PROMPTFOO).encode(), "#openai:a"),
            ("DeepEval", ".json", json.dumps(DEEPEVAL).encode(), ""),
            ("lm-eval", ".jsonl", "\n".join(map(json.dumps, LM_EVAL)).encode(), ""),
        )
    ),
    Reader(
        name="alternatives by criteria",
        suffix=".csv",
        valid=lambda: (b"name,quality,price\na,.8,3\nb,.7,2\nc,.9,5\n",),
        read=lambda path: elicit_criteria.start(
            path, criteria={"quality": "max", "price": "min"}, name=None, random_state=1
        ),
        kind="csv",
    ),
    Reader(
        name="outputs to vote on",
        suffix=".jsonl",
        valid=lambda: (_outputs("door.svg"), _outputs("Six minutes.")),
        read=_study_about_outputs,
        kind="text",
    ),
    Reader(
        name="grades of raters",
        suffix=".csv",
        valid=lambda: (
            b"item,rater,grade\n"
            + b"".join(b"q%d,r%d,%d\n" % (n // 3, n % 3, n % 4 + 1) for n in range(30)),
        ),
        read=lambda path: judge.agreement_of_file(
            path,
            named={},
            level="ordinal",
            missing="drop",
            engine="auto",
        ),
        kind="csv",
    ),
    Reader(
        name="answers in use",
        suffix=".csv",
        valid=lambda: (
            b"participant,at,accepted\n"
            + b"".join(
                b"p%d,2026-05-%02dT10:00:00,%d\n" % (n % 7, n, n % 3 > 0) for n in range(1, 29)
            ),
        ),
        read=lambda path: decisions.watch_file(
            path, columns={}, share=0.8, level=0.05, cut=5, since=None, period="auto"
        ),
        kind="csv",
    ),
    Reader(
        name="ratings in sessions",
        suffix=".csv",
        valid=lambda: (
            b"user,item,trial,rating,pi1,pi2\n"
            + b"".join(
                b"u%d,i%d,%d,%d,3.5,%d\n" % (n % 4, n % 3, n // 12, n % 5 + 1, n % 4 + 1)
                for n in range(36)
            ),
        ),
        read=lambda path: ranking.sessions_of_file(
            path, columns=ranking.SessionColumns(session="trial"), systems={"a": "pi1", "b": "pi2"}
        ),
        kind="csv",
    ),
    Reader(
        name="tolerated rates",
        suffix=".json",
        valid=lambda: (b'{"bar": {"together": {"invented": 0.02, "refused": 0.1}}}',),
        read=lambda path: ship.read_bar(str(path)),
        kind="json",
    ),
    Reader(
        name="saved result",
        suffix=".json",
        valid=lambda: (_saved_result(),),
        read=decide.ShipDecision.load,
        kind="json",
    ),
    Reader(
        name="evaluation log, CSV",
        suffix=".csv",
        valid=lambda: (_judged_csv(),),
        read=lambda path: ship.ship_logs(
            ship.read_logs(str(path), str(path)), ship.ShipQuestion(metrics=("judge",))
        ),
        kind="csv",
    ),
    Reader(
        name="ratings CSV",
        suffix=".csv",
        valid=lambda: (_summed_ratings_csv(),),
        read=_read_summed,
        kind="csv",
    ),
    Reader(
        name="ratings CSV, built-in",
        suffix=".csv",
        valid=lambda: (_summed_ratings_csv(),),
        read=lambda path: _read_summed(path, "built-in"),
        kind="csv",
    ),
    Reader(
        name="ratings CSV, absolute errors",
        suffix=".csv",
        valid=lambda: (_summed_ratings_csv(),),
        read=lambda path: _read_summed(path, metric="mae"),
        kind="csv",
    ),
    Reader(
        name="ratings Parquet",
        suffix=".parquet",
        valid=lambda: (as_parquet(_summed_ratings_csv()),),
        read=_read_summed,
        kind="parquet",
    ),
    Reader(
        name="scores CSV",
        suffix=".csv",
        valid=lambda: (_scores_csv(),),
        read=_interview,
        kind="csv",
    ),
    Reader(
        name="labels CSV",
        suffix=".csv",
        valid=lambda: (_relevance_csv(),),
        read=_read_labels,
        kind="csv",
    ),
    Reader(
        name="forecasts CSV",
        suffix=".csv",
        valid=lambda: (_forecasts_csv(),),
        read=_read_forecasts,
        kind="csv",
    ),
    Reader(
        name="relevance CSV",
        suffix=".csv",
        valid=lambda: (_relevance_csv(),),
        read=_read_relevance,
        kind="csv",
    ),
    Reader(
        name="model card",
        suffix=".json",
        valid=lambda: (_card(), _published_card()),
        read=_used_card,
        kind="json",
    ),
    Reader(
        name="priors",
        suffix=".json",
        valid=_priors,
        read=lambda path: acceptability.open_priors(str(path)),
        kind="json",
    ),
    Reader(
        name="elicited metric",
        suffix=".json",
        valid=lambda: (_elicited(),),
        read=lambda path: is_elicited(path) and learn.load_elicited(path).to_dict(),
        kind="json",
    ),
    Reader(
        name="probabilities of classes",
        suffix=".csv",
        valid=lambda: (_classes(),),
        read=lambda path: elicit_criteria.start_weighing(
            path,
            truth="y",
            score="",
            positive="1",
            classes=["p_a", "p_b", "p_c"],
            group=None,
            random_state=1,
        ),
        kind="csv",
    ),
    Reader(
        name="scores by group",
        suffix=".csv",
        valid=lambda: (_classes(),),
        read=_outcomes_of_a_study,
        kind="csv",
    ),
    Reader(
        name="forecasts",
        suffix=".csv",
        valid=lambda: (_classes(),),
        read=lambda path: elicit_quantile.start(
            path, truth="sold", predicted="p_a", unit="", random_state=1
        ),
        kind="csv",
    ),
    Reader(
        name="elicitation log",
        suffix=".json",
        valid=lambda: (_log(),),
        read=elicit.resume,
        kind="json",
    ),
    Reader(
        name="comparison wording",
        suffix=".json",
        valid=lambda: (_wording(),),
        read=elicit.read_wording,
        kind="json",
    ),
    Reader(
        name="saved fit of failures",
        suffix=".npz",
        valid=lambda: (_saved_failures_fit(),),
        read=_used_failures_fit,
        kind="npz",
    ),
    Reader(
        name="saved ordinal fit",
        suffix=".npz",
        valid=lambda: (_saved_ordinal_fit(),),
        read=_used_ordinal_fit,
        kind="npz",
    ),
    Reader(
        name="saved fit", suffix=".npz", valid=lambda: (_saved_fit(),), read=_used_fit, kind="npz"
    ),
    *(
        Reader(name=name, suffix=suffix, valid=valid, read=read, kind=kind)
        for name, suffix, valid, read, kind in ROWS
    ),
)
