"""What is said against what happened, on real data: `python -m benchmarks.validity`.

Public boards are split in two, by documents (prompts), by raters, and by both. One half says which
systems differ and how surely; the other half shows what happened. The same is asked of the methods
people use; how well votes are predicted that were held out; and what people said about accuracy
whom a fit had not seen. Writes docs/explanation/external-validity.md; needs `../shared/data` (or
`HOWGOOD_DATA`), pandas, statsmodels, scikit-learn, evalica and choix, and takes some minutes. For
data of your own: `howgood leaderboard FILE --halves 8`.

In: three files. Out: one page. Absent: simulated studies (see docs/explanation/calibration.md).
"""

import json
import math
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.special import expit, ndtri
from scipy.stats import t as student

from benchmarks.rows import Row
from howgood import decide, learn
from howgood.decide.halves import Half, Halves, half_of
from howgood.errors import DroppedRowsWarning, HowgoodWarning

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("HOWGOOD_DATA", ROOT.parent / "shared" / "data"))
PAGE = ROOT / "docs" / "explanation" / "external-validity.md"
SEED, SPLITS, LEVEL = 20931, 8, 0.05
KINDS = {"documents": (True, False), "raters": (False, True), "documents and raters": (True, True)}
_Z = float(ndtri(1 - LEVEL / 2))


def _row(halves: Halves, name: str) -> str:
    if not halves.pairs:
        return f"| {name} | did not converge ({halves.failed} of {halves.failed} halves) | | | |"
    turned = f"{halves.turned / halves.settled:.1%}" if halves.settled else "none settled"
    note = f" ({halves.failed} halves did not converge)" if halves.failed else ""
    return (
        f"| {name}{note} | {halves.within / halves.pairs:.1%} "
        f"| {halves.settled / halves.pairs:.0%} | {turned} "
        f"| {halves.contradicted} of {halves.pairs:,} |"
    )


def crossed(rows) -> Half:
    return half_of(_graded(rows))


def crossed_with_documents(rows) -> Half:
    return half_of(_graded(rows, cluster="doc"))


def _graded(rows, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedRowsWarning)
        return decide.rank_grades(
            rows, item="segment", grade="penalty", greater_is_better=False, missing="drop",
            **options,
        )  # fmt: skip


def paired_t(rows) -> Half:
    """The usual test: mean of an output's grades, paired over segments."""
    table = rows.pivot_table(index="segment", columns="system", values="penalty").dropna()
    values = table.to_numpy()
    n = len(values)
    apart = values[:, :, None] - values[:, None, :]
    differences, se = apart.mean(axis=0), apart.std(axis=0, ddof=1) / math.sqrt(n)
    reach = student.ppf(1 - LEVEL / 2, n - 1) * se
    # One-sided at the level, as our errors are.
    separated = np.abs(differences) > student.ppf(1 - LEVEL, n - 1) * se
    return _half(tuple(table.columns), differences, reach, separated)


def mixed_model(rows) -> Half:
    """A mixed model as textbooks have it: systems fixed, documents and segments random."""
    import statsmodels.formula.api as smf

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # statsmodels warns of variances at zero
        fitted = smf.mixedlm(
            "penalty ~ 0 + C(system)", rows, groups="doc", re_formula="1",
            vc_formula={"segment": "0 + C(segment)"},
        ).fit(method="lbfgs")  # fmt: skip
    names = [name for name in fitted.params.index if name.startswith("C(system)")]
    means = fitted.params[names].to_numpy()
    covariance = fitted.cov_params().loc[names, names].to_numpy()
    own = np.diag(covariance)
    se = np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 0.0))
    differences = means[:, None] - means
    systems = tuple(name.split("[")[1].rstrip("]") for name in names)
    separated = np.abs(differences) > ndtri(1 - LEVEL) * se
    return _half(systems, differences, _Z * se, separated)


def votes_clustered(rows) -> Half:
    return half_of(decide.rank_votes(rows, item="prompt", rater="worker"))


def votes_evalica(rows) -> Half:
    """Bradley and Terry by evalica, with the usual bootstrap over votes (200 times)."""
    import evalica
    from evalica import Winner

    winners = {"left": Winner.X, "right": Winner.Y, "tie": Winner.Draw}
    names = tuple(sorted(set(rows["left"]) | set(rows["right"])))
    rng = np.random.default_rng(0)
    draws = np.full((200, len(names)), np.nan)
    for draw in range(-1, len(draws)):
        some = rows if draw < 0 else rows.iloc[rng.integers(len(rows), size=len(rows))]
        found = evalica.bradley_terry(
            some["left"].tolist(), some["right"].tolist(), [winners[w] for w in some["winner"]]
        ).scores
        strengths = np.log(np.maximum(found.reindex(names).to_numpy(dtype=float), 1e-12))
        if draw < 0:
            middle = strengths
        else:
            draws[draw] = strengths
    apart = draws[:, :, None] - draws[:, None, :]
    lower, upper = np.nanquantile(apart, [LEVEL / 2, 1 - LEVEL / 2], axis=0)
    ahead = np.nanmean(apart > 0, axis=0)
    separated = np.minimum(ahead, 1 - ahead) < LEVEL
    return _half(names, middle[:, None] - middle, (upper - lower) / 2, separated)


def _half(systems, differences, reach, is_settled) -> Half:
    return Half(systems=systems, differences=differences, reach=reach, is_settled=is_settled)


GRADES: dict[str, Callable] = {
    "howgood, `--cluster doc`": crossed_with_documents,
    "howgood": crossed,
    "paired t-test over segments": paired_t,
    "mixed model (statsmodels: documents, segments)": mixed_model,
}
VOTES: dict[str, Callable] = {
    "howgood": votes_clustered,
    "evalica, bootstrap over votes": votes_evalica,
}


def halves(rows, item: str, rater: str, kind: tuple[bool, bool]) -> Iterator[tuple]:
    """Yield pairs of tables that share no item, no rater, or neither."""
    rng = np.random.default_rng([SEED, *kind])
    for _ in range(SPLITS):
        parts = [rows, rows]
        for column, is_split in ((item, kind[0]), (rater, kind[1])):
            if is_split:
                names = rng.permutation(rows[column].unique())
                sides = names[: len(names) // 2], names[len(names) // 2 :]
                parts = [part[part[column].isin(s)] for part, s in zip(parts, sides, strict=True)]
        yield tuple(parts)


def table(rows, item, rater, methods) -> list[str]:
    lines = []
    for kind, split in KINDS.items():
        lines += [f"\n**Other {kind}** ({SPLITS} splits)\n", *HEAD]
        for name, method in methods.items():
            lines.append(_row(_compared(method, halves(rows, item, rater, split)), name))
            print(lines[-1], file=sys.stderr, flush=True)
    return lines


def _compared(method, pairs) -> Halves:
    found = Halves(splits=SPLITS)
    for one, other in pairs:
        try:
            found = found.plus(method(one), method(other))
        except (np.linalg.LinAlgError, ValueError) as error:
            found = replace(found, failed=found.failed + 1)
            print(error, file=sys.stderr)
    return found


FOLDS = 10


def predicted_by_howgood(votes, held, new) -> np.ndarray:
    """Chance that left wins, over what is known of the difference, and of a new prompt's effect."""
    ranking = decide.rank_votes(votes, item="prompt", rater="worker")
    at = _places(ranking.systems, held)
    variance = ranking.difference_variances[at]
    if new == "prompts":
        variance = variance + ranking.sources.n_items * ranking.sources.items[at]
    side = ranking.provenance.settings["order effect (left, log odds)"]["estimate"]
    # The mean of a logistic curve over a Gaussian, nearly.
    return expit((ranking.differences[at] + side) / np.sqrt(1 + np.pi / 8 * variance))


def predicted_by_evalica(votes, held, new) -> np.ndarray:
    return _evalica_chances("bradley_terry", votes, held)


def predicted_by_newman(votes, held, new) -> np.ndarray:
    return _evalica_chances("newman", votes, held)


def _evalica_chances(method, votes, held) -> np.ndarray:
    import evalica

    winners = {"left": evalica.Winner.X, "right": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    strength = getattr(evalica, method)(
        votes["left"].tolist(), votes["right"].tolist(), [winners[w] for w in votes["winner"]]
    ).scores
    left, right = (held[side].map(strength).to_numpy() for side in ("left", "right"))
    return left / (left + right)


def predicted_by_choix(votes, held, new) -> np.ndarray:
    import choix

    names = tuple(sorted(set(votes["left"]) | set(votes["right"])))
    decided = votes[votes["winner"] != "tie"]
    left, right = _places(names, decided)
    won = (decided["winner"] == "left").to_numpy()
    pairs = np.column_stack([np.where(won, left, right), np.where(won, right, left)]).tolist()
    strength = choix.ilsr_pairwise(len(names), pairs, alpha=0.01)
    left, right = _places(names, held)
    return expit(strength[left] - strength[right])


def _places(names, votes) -> tuple[np.ndarray, np.ndarray]:
    place = {name: at for at, name in enumerate(names)}
    return tuple(votes[side].map(place).to_numpy() for side in ("left", "right"))


PREDICTED: dict[str, Callable] = {
    "howgood": predicted_by_howgood,
    "evalica, Bradley-Terry (ties as half wins)": predicted_by_evalica,
    "evalica, Newman (ties)": predicted_by_newman,
    "choix, ilsr_pairwise, alpha .01 (without ties)": predicted_by_choix,
}


def held_out(votes) -> list[str]:
    """Return how well votes are predicted that a fit has not seen; every vote is held out once."""
    lines = [HELD_OUT]
    columns = {"votes": None, "raters": "worker", "prompts": "prompt"}
    for new, column in columns.items():
        rng = np.random.default_rng([SEED, len(new)])
        units = np.arange(len(votes)) if column is None else votes[column].unique()
        order = rng.permutation(units)
        folds = np.array_split(order, min(FOLDS, len(order)) if column != "prompt" else len(order))
        losses = {name: [] for name in PREDICTED}
        right = {name: [] for name in PREDICTED}
        for fold in folds:
            is_held = np.isin(units if column is None else votes[column].to_numpy(), fold)
            rest, held = votes[~is_held], votes[is_held & (votes["winner"] != "tie").to_numpy()]
            known = set(rest["left"]) | set(rest["right"])
            held = held[held["left"].isin(known) & held["right"].isin(known)]
            won = (held["winner"] == "left").to_numpy()
            for name, method in PREDICTED.items():
                chance = np.clip(method(rest, held, new), 1e-12, 1 - 1e-12)
                losses[name].append(-np.log(np.where(won, chance, 1 - chance)))
                right[name].append(np.where(chance == 0.5, 0.5, (chance > 0.5) == won))
        lines += [f"\n**Held-out {new}** ({len(folds)} parts)\n", *HELD_OUT_HEAD]
        ours = [part.mean() for part in losses["howgood"]]
        for name in PREDICTED:
            more = np.array([part.mean() for part in losses[name]]) - ours
            reach = student.ppf(0.975, len(more) - 1) * more.std(ddof=1) / math.sqrt(len(more))
            worse = "" if name == "howgood" else f"{more.mean():+.4f} ± {reach:.4f}"
            lines.append(f"| {name} | {np.concatenate(losses[name]).mean():.4f} | {worse} "
                         f"| {np.concatenate(right[name]).mean():.1%} |")  # fmt: skip
            print(lines[-1], file=sys.stderr, flush=True)
    return lines


HELD_OUT = """
### Votes that were held out

Votes are held out in parts, the others are fitted, and the winner of each held-out vote that is no
tie is predicted. The log loss is the mean of minus the logarithm of the probability given to what
happened: smaller is better, .6931 is a coin. howgood's probability is the mean over what is known
of the difference, with the effect of the side; for prompts nobody has seen, also over what another
prompt may do. This formula was chosen among some twenty after looking at other random parts of the
same votes, so small leads of howgood prove little. Next to it: how much more a method loses than
howgood, part by part, with a 95 % interval."""
HELD_OUT_HEAD = (
    "| method | log loss | more than howgood | winner called right |",
    "|---|---|---|---|",
)

HEAD = (
    "| method | halves agree within what they say | pairs settled | of these, the other way round "
    "in the other half | settled both ways |",
    "|---|---|---|---|---|",
)

INTRODUCTION = """# Said against happened, on real data

Written by `python -m benchmarks.validity`; do not edit.

Simulations show that a method does what it should when its assumptions hold. This page asks real
data instead: people's answers, grades and votes that howgood had not seen. To ask your own board,
`howgood leaderboard FILE --halves 8` makes the tables of halves below from your file.
"""
BOARDS = """
## Does a leaderboard hold on other documents and other raters?

Each set is split in two halves that share no documents (prompts), no raters, or neither. Each half
makes its own board.

- **Halves agree within what they say**: the difference of a pair of systems in one half lies no
  further from that in the other than the two 95 % intervals allow together. 95 % is right; fewer
  means that intervals promise too much. Pairs of one split hang together, and splits overlap: read
  the shares as rough.
- **Settled**: pairs whose order the first half calls wrong with less than 5 %.
- **The other way round**: of these, how many have the opposite order in the other half, which has
  noise of its own.
- **Settled both ways**: both halves are sure, and contradict each other.

A method that settles little can hardly be wrong: look at agreement and at the pairs settled
together. Grades of other raters are where howgood agrees least, too: four raters in each half say
little about four others. Of the votes, six or seven prompts in a half are few: howgood settles a
tenth to a fifth of the pairs there, evalica half of them. The other half is as noisy: a pair that
is settled with an error of 2 % comes out the other way round there in 8 to 17 %, the more the
closer systems are to each other. Pairs settled both ways are free of that noise.
"""


PEOPLE = """
## Do people whom nobody asked answer as predicted?

{answers:,} answers of {people} people about {applications} applications (Kay, Patel and Kientz
2015, study 1, CC BY 4.0). People are held out in {folds} parts; the others are fitted, and the
share of people who would accept each scenario is predicted for those held out. Other methods are
given the same answers. The log loss is the mean of minus the logarithm of the probability given
to what happened: smaller is better, .6931 is a coin. Next to it how much more a method loses than
howgood, person by person, with a 95 % interval.
"""
PEOPLE_HEAD = ("| method | log loss | more than howgood |", "|---|---|---|")
SAID_HEAD = ("| said | happened | answers |", "|---|---|---|")
_ANSWER = ("application", "ppv", "tpr")


def shares_by_howgood(rest, held) -> np.ndarray:
    fit = _fitted(rest)
    cells = held[list(_ANSWER)].drop_duplicates()
    said = {
        tuple(cell): fit.predict(application=cell[0], precision=cell[1], recall=cell[2]).mean
        for cell in cells.itertuples(index=False)
    }
    return np.array([said[cell] for cell in held[list(_ANSWER)].itertuples(index=False, name=None)])


def shares_by_branch(rest, held) -> np.ndarray:
    """Return the same, with people compared by the branch of the study they were in."""
    fit = _fitted(rest, by="branch")
    keys = ["branch", *_ANSWER]
    said = {
        cell: fit.predict(segment=cell[0], application=cell[1], precision=cell[2],
                          recall=cell[3]).mean
        for cell in held[keys].drop_duplicates().itertuples(index=False, name=None)
    }  # fmt: skip
    return np.array([said[cell] for cell in held[keys].itertuples(index=False, name=None)])


def _fitted(rows, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HowgoodWarning)  # halves are few people, on purpose
        return learn.fit_acceptability(
            rows, columns={"precision": "ppv", "recall": "tpr", "accepted": "acceptable_b"},
            random_state=SEED, **options,
        )  # fmt: skip


def _logistic(features: Callable) -> Callable:
    """Return predictions of a logistic regression in each application."""

    def shares(rest, held) -> np.ndarray:
        from sklearn.linear_model import LogisticRegression

        said = np.empty(len(held))
        for name in held["application"].unique():
            known, new = rest[rest["application"] == name], held["application"] == name
            model = LogisticRegression(C=1e6).fit(features(known), known["acceptable_b"])
            said[new.to_numpy()] = model.predict_proba(features(held[new]))[:, 1]
        return said

    return shares


def _f1(rows) -> np.ndarray:
    return (2 * rows["ppv"] * rows["tpr"] / (rows["ppv"] + rows["tpr"])).to_numpy()[:, None]


def shares_as_counted(by: list[str]) -> Callable:
    """Return the share of the others who accepted, half an answer of each kind added."""

    def shares(rest, held) -> np.ndarray:
        counted = rest.groupby(by)["acceptable_b"].agg(["sum", "count"])
        found = held[by].merge(counted, left_on=by, right_index=True, how="left").fillna(0.0)
        return ((found["sum"] + 0.5) / (found["count"] + 1)).to_numpy()

    return shares


SHARES: dict[str, Callable] = {
    "howgood": shares_by_howgood,
    'howgood, `by="branch"`': shares_by_branch,
    "logistic regression on F1": _logistic(_f1),
    "logistic regression on precision and recall": _logistic(
        lambda rows: rows[["ppv", "tpr"]].to_numpy()
    ),
    "share of the others, scenario by scenario": shares_as_counted(list(_ANSWER)),
    "share of the others in the application": shares_as_counted(["application"]),
}


def acceptability(answers) -> list[str]:
    """Return how well answers of people are predicted whom a fit has not seen."""
    answers = answers.dropna(subset=["acceptable_b"]).astype({"acceptable_b": bool})
    people = np.random.default_rng(SEED).permutation(answers["participant"].unique())
    said = {name: np.empty(len(answers)) for name in SHARES}
    for fold in np.array_split(people, FOLDS):
        is_held = answers["participant"].isin(fold).to_numpy()
        for name, method in SHARES.items():
            said[name][is_held] = method(answers[~is_held], answers[is_held])
    happened = answers["acceptable_b"].to_numpy()
    losses = {name: -np.log(np.where(happened, each, 1 - each)) for name, each in said.items()}
    lines = [
        PEOPLE.format(
            answers=len(answers), people=len(people), folds=FOLDS,
            applications=answers["application"].nunique(),
        ),
        *PEOPLE_HEAD,
    ]  # fmt: skip
    for name, loss in losses.items():
        more = np.array([part.mean() for _, part in
                         (answers.assign(more=loss - losses["howgood"])
                          .groupby("participant")["more"])])  # fmt: skip
        reach = student.ppf(0.975, len(more) - 1) * more.std(ddof=1) / math.sqrt(len(more))
        worse = "" if name == "howgood" else f"{more.mean():+.4f} ± {reach:.4f}"
        lines.append(f"| {name} | {loss.mean():.4f} | {worse} |")
        print(lines[-1], file=sys.stderr, flush=True)
    for name in list(SHARES)[:2]:
        lines += [f"\nHow often people accepted what {name} gave this chance:\n", *SAID_HEAD]
        for low in np.arange(0, 1, 0.2):
            here = (said[name] >= low) & (said[name] < low + 0.2)
            if here.any():
                lines.append(
                    f"| {said[name][here].mean():.0%} | {happened[here].mean():.0%} "
                    f"| {here.sum():,} |"
                )
    lines.append(BRANCHES)
    return [*lines, *_halves_of_people(answers)]


ONE_ALPHA = "weight of precision (alpha), the same for all"
PRINTED = "weight of precision as fits print it: of other people, too"
SHARE = "share accepting 85 % precision and recall"
BRANCHES = """
The people of one branch judged three applications, those of the other two, and were more lenient
about the one that both judged. A fit of all people takes this for chance, and says too much for two
applications that only the stricter ones were asked about. With `by="branch"` the difference is seen
(and has a high probability): compare people by whatever divided them. What is still said too high
is what 53 people leave open.
"""


def _halves_of_people(answers) -> list[str]:
    """Return how often two halves of the people agree about alpha and the share at 85 %."""
    rng = np.random.default_rng([SEED, 85])
    agree = {name: [] for name in (ONE_ALPHA, PRINTED, SHARE)}
    for _ in range(SPLITS):
        parts = []
        for _, rows in answers.groupby("branch"):
            people = rng.permutation(rows["participant"].unique())
            parts.append(np.array_split(people, 2))
        fits = [
            _fitted(answers[answers["participant"].isin(np.concatenate(half))])
            for half in zip(*parts, strict=True)
        ]
        for name in answers["application"].unique():
            both = {
                ONE_ALPHA: [fit.estimate("alpha", name) for fit in fits],
                PRINTED: [fit.other_people().alpha(name) for fit in fits],
                SHARE: [fit.predict(application=name, precision=0.85, recall=0.85) for fit in fits],
            }
            for what, (one, other) in both.items():
                reach = math.hypot(*((e.interval.upper - e.interval.lower) / 2
                                     for e in (one, other)))  # fmt: skip
                agree[what].append(abs(one.mean - other.mean) <= reach)
    return [
        f"\nTwo halves of the people ({SPLITS} splits), each fitted by itself: how often they "
        "agree within what\nboth 95 % intervals allow together. 95 % is right; applications of one "
        "split hang together.\n",
        "| what | agree |",
        "|---|---|",
        *(f"| {what} | {sum(found)} of {len(found)} |" for what, found in agree.items()),
    ]


LEDGER = ROOT / "docs" / "_data" / "calibration.json"
FEW = "difference of mean grades, items in clusters"


def few_raters() -> list[str]:
    """Return how often intervals held with few raters, from the last run of the proofs."""
    rows = json.loads(LEDGER.read_text(encoding="utf-8"))
    lines = [f"| {row['setting']} | {row['found']} | {row['n']:,} |" for row in rows
             if row["quantity"] == FEW]  # fmt: skip
    lines.sort(key=lambda line: int(re.search(r"(\d+) raters", line)[1]))
    return [
        "\n### Few raters, simulated\n",
        "What two data sets cannot show, because nobody knows the truth behind them: how often the "
        "80 and\n95 % intervals of a difference hold it, by the number of raters (from "
        "[the proofs](calibration.md)).\n",
        "| simulated | held | studies |",
        "|---|---|---|",
        *lines,
    ]


def run() -> list[Row]:
    """Write the page; it has no rows among those of speed."""
    import pandas as pd

    names = ("kay2015_study1.csv", "wmt23_mqm_zhen.csv", "llmfao_votes.csv")
    missing = [name for name in names if not (DATA / name).is_file()]
    if missing:
        print(f"{DATA}: {', '.join(missing)} not found; name the folder with HOWGOOD_DATA")
        return []
    grades = pd.read_csv(DATA / "wmt23_mqm_zhen.csv")
    votes = pd.read_csv(DATA / "llmfao_votes.csv")
    lines = [
        INTRODUCTION,
        *acceptability(pd.read_csv(DATA / "kay2015_study1.csv")),
        BOARDS,
        f"### Grades: WMT 2023, Chinese to English\n\n{len(grades):,} MQM penalties of "
        f"{grades['system'].nunique()} systems by {grades['rater'].nunique()} raters; "
        f"{grades['segment'].nunique()} segments of {grades['doc'].nunique()} documents "
        "(Google, wmt-mqm-human-evaluation, Apache 2.0).",
        *table(grades, "doc", "rater", GRADES),
        f"\n### Votes: LLMFAO\n\n{len(votes):,} votes over {votes['left'].nunique()} language "
        f"models, {votes['prompt'].nunique()} prompts, {votes['worker'].nunique()} workers "
        "(Ustalov, CC BY 4.0).",
        *table(votes, "prompt", "worker", VOTES),
        *held_out(votes),
        *few_raters(),
        "",
    ]
    PAGE.write_text("\n".join(lines), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return []


if __name__ == "__main__":
    run()
