"""Draw the pictures of README and front page: python docs/_ext/draw_pictures.py

Two chapters of `howgood demo`, what the priors say about the share who accept, and what the
commands of how-to guides draw of invented data; on white so that they read on light and dark
pages.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from click.testing import CliRunner
from scipy.special import expit

from howgood import ask, decide, learn
from howgood.cli.main import run
from howgood.demo.walkthrough import run_alarm, run_versions
from howgood.learn.measure_weights import THREE
from howgood.records.acceptance import specificity_of
from howgood.records.priors import HOWGOOD, USUAL_MEAN
from howgood.show.figures import theme
from howgood.show.measures import weight_sections
from howgood.show.ordinal import individuals_figure
from howgood.show.watching import acceptance_chart
from howgood.stats.logistic import logistic_normal_mean

FOLDER = Path(__file__).parents[1] / "_static"
SEED = 85  # the demo's own
# The colours of the page's chart, as its style sheet has them on light paper.
_CHART_STYLE = """<style>
text { font: 14px sans-serif; fill: #5b5b66; text-anchor: middle; }
.side, .late { text-anchor: end; } .goal-text { text-anchor: start; fill: #8a5a00; }
.grid { stroke: #dcdce4; } .goal { stroke: #8a5a00; stroke-dasharray: 5 4; }
polyline { fill: none; stroke: #0072b2; stroke-width: 2; opacity: .5; }
.interval { stroke: #0072b2; stroke-width: 3; opacity: .7; } circle { fill: #0072b2; }
.change { stroke: #b3261e; stroke-width: 2; }
.change-text { fill: #b3261e; font-weight: 600; text-anchor: start; }
.change-text.late { text-anchor: end; }
</style>"""


def main():
    """Run both chapters and write one picture of each."""
    with TemporaryDirectory() as folder:
        asked, _ = run_alarm(Path(folder), seed=SEED)
        ranked = run_versions(Path(folder), seed=SEED)
    _write("front.svg", _picture(asked, "Where this classifier can go"))
    _write("ranking.svg", _picture(ranked, "Scores and places"))
    _write("prior-share.svg", _prior_shares())
    _write("in-use.svg", _in_use())
    _write("measure-weights.svg", _three_measures())
    _write("individuals.svg", _individuals())
    for name, boxes, arrows in (_going_live(), _backing_up(), _tools(), _extras()):
        _write(name, _diagram(boxes, arrows))
    for name, words, tables in _pictures_of_guides():
        _write(name, _drawn_by(words, tables))


def _going_live():
    boxes = {
        "people\n(browsers, phones)": (0, 1),
        "Caddy\nHTTPS": (1, 1),
        "howgood serve\npages and answers": (2, 1),
        "PostgreSQL or\none SQLite file": (3, 1),
        "howgood worker\nfits": (2, 0),
        "howgood backup\nevery night": (3, 0),
    }
    people, caddy, serve, database, worker, backup = boxes
    pairs = ((people, caddy), (caddy, serve), (serve, database), (worker, database))
    return "go-live.svg", boxes, (*pairs, (database, backup))


def _backing_up():
    boxes = {
        "answers\nof the running server": (0, 0),
        "howgood backup --verify": (1, 0),
        "copies,\non another machine too": (2, 0),
        "howgood restore": (3, 0),
    }
    return "backup.svg", boxes, tuple(pairwise(boxes))


def _tools():
    asked, howgood = "what people\nanswered", "howgood"
    tools = (
        "pytest, GitHub Actions", "MLflow, DVC", "pandas, Polars, PyArrow, Spark",
        "scikit-learn: scorer, threshold",
    )  # fmt: skip
    boxes = {asked: (0, 1.5), howgood: (0.8, 1.5)} | {
        tool: (2, row) for row, tool in enumerate(tools)
    }
    return "tools.svg", boxes, ((asked, howgood), *((howgood, tool) for tool in tools))


def _extras():
    core = "howgood\nask, learn, score, decide"
    extras = (
        "[web]\nstudies in the browser", "[plots]\npictures, reports",
        "[files]\nlarge tables", "[sklearn]\nscorers",
    )  # fmt: skip
    boxes = {core: (1.5, 1)} | {extra: (column, 0) for column, extra in enumerate(extras)}
    return "extras.svg", boxes, tuple((extra, core) for extra in extras)


def _diagram(boxes, arrows):
    """Draw boxes, a place (column, row) each, and arrows between them."""
    columns, rows = (1 + max(place[axis] for place in boxes.values()) for axis in (0, 1))
    with theme.canvas(width=2.0 * columns, height=0.3 + 0.8 * rows) as figure:
        axes = figure.subplots()
        axes.set(xlim=(-0.5, columns - 0.5), ylim=(-0.5, rows - 0.5))
        axes.axis("off")
        style = {
            "boxstyle": "round,pad=.5",
            "facecolor": theme.PAPER,
            "edgecolor": theme.COLOURS[0],
        }
        drawn = {
            text: axes.text(*place, text, ha="center", va="center", fontsize=9, bbox=style)
            for text, place in boxes.items()
        }
        for start, end in arrows:
            axes.annotate(
                "", boxes[end], boxes[start],
                arrowprops={
                    "arrowstyle": "->", "color": theme.INK, "shrinkA": 4, "shrinkB": 4,
                    "patchA": drawn[start].get_bbox_patch(), "patchB": drawn[end].get_bbox_patch(),
                },
            )  # fmt: skip
        return theme.to_svg(figure, title="; ".join(boxes).replace("\n", " "))


def _in_use():
    """The chart of a product that 88 % accepted, and 62 % since a release in week nine."""
    rng, start = np.random.default_rng(SEED), datetime(2026, 3, 2, tzinfo=UTC)
    hours = np.sort(rng.integers(0, 14 * 7 * 24, 900))
    accepted = rng.random(900) < np.where(hours < 9 * 7 * 24, 0.88, 0.62)
    answers = {
        "participant": [f"user {number}" for number in range(900)],
        "at": [start + timedelta(hours=int(hour)) for hour in hours],
        "accepted": accepted.tolist(),
    }
    chart = acceptance_chart(decide.watch(answers, share=0.8))
    head, _, rest = chart.partition(">")
    return f'{head} xmlns="http://www.w3.org/2000/svg">{_CHART_STYLE}{rest}'


def _pictures_of_guides():
    return (
        _shipping(), _judging(), _grading(), _voting(), _relevance(), _failing(), _agreeing(),
        _too_low(), _gate(), _people_who_differ(), _every_rating(),
    )  # fmt: skip


def _drawn_by(words, tables):
    """Return the picture that a command draws of tables, each a dict of columns."""
    with CliRunner().isolated_filesystem():
        for file, table in tables.items():
            rows = zip(*table.values(), strict=True)
            lines = [",".join(table), *(",".join(map(str, row)) for row in rows)]
            Path(file).write_text("\n".join(lines) + "\n")
        run([*words.split(), *tables, "--plot", "picture.svg"])
        if not Path("picture.svg").is_file():
            raise SystemExit(f"{words} drew nothing")
        return Path("picture.svg").read_text("utf-8")


def _shipping():
    rng, items = np.random.default_rng(SEED), range(300)
    logs = {
        f"{name}.csv": {"item": items, "correct": (rng.random(300) < rate).astype(int)}
        for name, rate in (("base", 0.62), ("candidate", 0.72))
    }
    return "ship.svg", "ship --metric correct --item item", logs


def _judging():
    rng, n = np.random.default_rng(SEED), 480
    system, output = np.arange(n) % 2, rng.random(n)
    good = output < 0.55 + 0.15 * system
    judge = np.where(rng.random(n) < 0.12, True, good).astype(int)
    label = [str(int(passed)) if number < 160 else "" for number, passed in enumerate(good)]
    table = {
        "item": np.arange(n) // 2,
        "system": np.where(system, "new prompt", "old prompt"),
        "rater": [f"rater {number % 8}" for number in range(n)],
        "label": label,
        "judge": judge,
    }
    return "judge.svg", "judge --system system", {"labels.csv": table}


def _grading():
    rng = np.random.default_rng(SEED)
    levels = {"model A": 3.9, "model B": 3.7, "model C": 3.65, "model D": 3.1}
    item, rater, system = (
        part.ravel() for part in np.meshgrid(range(40), range(6), list(levels), indexing="ij")
    )
    noise = rng.normal(0, 0.6, 40)[item] + rng.normal(0, 0.4, 6)[rater] + rng.normal(0, 0.8, 960)
    grade = np.clip(np.round([levels[name] for name in system] + noise), 1, 5).astype(int)
    table = {"item": item, "rater": rater, "system": system, "grade": grade}
    return "grades.svg", "leaderboard", {"grades.csv": table}


def _voting():
    rng, n = np.random.default_rng(SEED), 900
    names, strength = (
        np.array(["large", "medium", "small", "old"]),
        np.array([0.8, 0.6, -0.2, -1.0]),
    )
    left = rng.integers(4, size=n)
    right = (left + 1 + rng.integers(3, size=n)) % 4
    won = rng.random(n) < 1 / (1 + np.exp(strength[right] - strength[left]))
    table = {"a": names[left], "b": names[right], "winner": np.where(won, "left", "right")}
    return "votes.svg", "leaderboard --left a --right b --winner winner", {"votes.csv": table}


def _relevance():
    rng, n = np.random.default_rng(SEED), 600
    room, evening = rng.integers(0, 3, n), rng.integers(0, 2, n)
    lights = np.array(["bright", "warm", "dim"])
    chances = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6]])
    chosen = [rng.choice(3, p=chances[kind]) for kind in (room + evening) % 3]
    usual = chances[(room + evening) % 3].argmax(axis=1)
    table = {
        "room": room,
        "evening": evening,
        "light": lights[chosen],
        "model": lights[np.where(rng.random(n) < 0.8, usual, rng.integers(0, 3, n))],
        "coin": lights[rng.integers(0, 3, n)],
    }
    words = "relevance --outcome light --predicted model --predicted coin --context room,evening"
    return "relevance.svg", words, {"lights.csv": table}


def _failing():
    weights = {"wrong": 0.3, "invented": 1.2, "refused": 0.3}
    answers = ask.simulate_failure_answers(weights, people=40, level=4.0, random_state=SEED)
    words = "fit --model failures " + " ".join(f"--kind {kind}" for kind in weights)
    return "failures.svg", words, {"answers.csv": answers}


def _agreeing():
    rng = np.random.default_rng(SEED)
    item, rater = (part.ravel() for part in np.meshgrid(range(40), range(6), indexing="ij"))
    worth = rng.normal(3.2, 0.9, 40)[item] + rng.normal(0, 0.4, 6)[rater]
    grade = np.clip(np.round(worth + rng.normal(0, 0.6, 240)), 1, 5).astype(int)
    again = np.clip(np.round(worth[:60] + rng.normal(0, 0.6, 60)), 1, 5).astype(int)
    table = {
        "item": [*item, *item[:60]],
        "rater": [*rater, *rater[:60]],
        "grade": [*grade, *again],
    }
    return "agreement.svg", "agreement", {"grades.csv": table}


def _too_low():
    rng = np.random.default_rng(SEED)
    table = {"sold": rng.normal(100, 15, 300).round(1), "forecast": [100.0] * 300}
    words = f"quantile --truth sold --predicted forecast --simulate 4 --seed {SEED} --unit loaves"
    return "quantile.svg", words, {"bread.csv": table}


def _gate():
    truth = {"alarm": {"alpha": 0.25, "intercept": -10.0, "slope": 14.0}}
    answers = ask.simulate_answers(truth, people=25, per_person=8, random_state=SEED)
    return (
        "gate.svg",
        f"gate --counts 85,15,10,890 --share .6 --seed {SEED}",
        {"alarm.csv": answers},
    )


def _people_who_differ():
    """Two climates in which people weigh precision differently."""
    tables = []
    for seed, (climate, alpha) in enumerate({"cold": 0.25, "warm": 0.65}.items()):
        truth = {"alarm": {"alpha": alpha, "intercept": -12.0, "slope": 16.0}}
        table = dict(ask.simulate_answers(truth, people=25, per_person=8, random_state=seed))
        people = [f"{climate} {name}" for name in table["participant"]]
        tables.append(table | {"participant": people, "climate": [climate] * len(people)})
    answers = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    return "people.svg", "fit --by climate", {"answers.csv": answers}


def _every_rating():
    """Ratings of one imagined system, in no order."""
    ratings = ask.simulate_ordinal_answers(people=60, random_state=SEED)
    shown = np.asarray(ratings["part"]) == "hypothetical"
    kept = {name: np.asarray(column)[shown] for name, column in ratings.items() if name != "part"}
    return "multinomial.svg", "fit --model multinomial --means 0", {"ratings.csv": kept}


def _individuals():
    """Draw what was predicted for people who were left out, and what they said."""
    ratings = ask.simulate_ordinal_answers(people=40, random_state=SEED)
    left = learn.leave_one_person_out(ratings, means=(0,), draws=1000, random_state=SEED)
    with individuals_figure(left) as figure:
        return theme.to_svg(figure, title="Ratings predicted for individuals, and those given")


def _three_measures():
    """Draw weights of people for whom being left in peace counts most."""
    rng, weights = np.random.default_rng(SEED), np.array([0.15, 0.3, 0.55])
    shown = rng.permuted(np.tile(np.arange(16), (60, 1)), axis=1)[:, :12]
    grid = np.array([(one.precision, one.recall) for one in ask.scenarios()])[shown]
    precision, recall = grid[..., 0], grid[..., 1]
    others = rng.choice([1.2, 3.0, 15.0], shown.shape)
    rates = np.stack([precision, recall, specificity_of(precision, recall, others)])
    center = 1.0 + 16.0 * (np.tensordot(weights, rates, axes=1) - 0.8)
    accepts = rng.random(shown.shape) < expit(center + 1.5 * rng.standard_normal((60, 1)))
    answers = {
        "participant": np.repeat([f"p{number}" for number in range(60)], 12),
        "application": np.full(shown.size, "alarm", dtype=object),
        **{name: rate.ravel() for name, rate in zip(THREE, rates, strict=True)},
        "accepted": accepts.ravel().astype(int),
    }
    fit = learn.fit_acceptability(answers, measures=THREE, means=(1,), random_state=SEED)
    return weight_sections(fit)[0].svg


def _picture(chapter, title):
    (svg,) = (section.svg for section in chapter.sections if section.title == title)
    return svg


def _prior_shares():
    """Draw the share accepting before anybody has answered: default priors, and wide ones."""
    means = (0.5, 0.65, 0.75, 0.85, 1.0)
    wide = replace(HOWGOOD, curve=None)
    titles = {"default priors": HOWGOOD, "wide priors of intercept and slope": wide}
    with theme.canvas(width=7.5, height=3.2) as figure:
        both = figure.subplots(1, 2, sharey=True)
        for axes, (title, priors) in zip(both, titles.items(), strict=True):
            for colour, mean in zip(theme.COLOURS, means, strict=False):
                below = np.linspace(0, 1, 101)
                shares = np.quantile(_drawn_shares(priors, mean), below)
                axes.plot(shares, below, color=colour, label=f"{mean:g}")
            axes.set(title=title, xlabel="share of people accepting", xlim=(0, 1))
        both[0].set(ylabel="prior probability below", ylim=(0, 1))
        both[1].legend(title="weighted mean", frameon=False, loc="lower right")
        return theme.to_svg(figure, title="Prior distribution of the share accepting")


def _drawn_shares(priors, mean, n=4000):
    """Return shares accepting, with everything drawn from the priors."""
    rng, curve = np.random.default_rng(SEED), priors.curve
    if curve is None:
        place = rng.normal(0, priors.intercept.sd, n) + mean * rng.normal(0, priors.slope.sd, n)
    else:
        level = rng.normal(curve.level_mean, curve.level_sd, n)
        place = level + (mean - USUAL_MEAN) * np.abs(rng.normal(0, curve.slope_scale, n))
    return logistic_normal_mean(place, np.abs(rng.normal(0, priors.person_sd.scale, n)))


def _write(name, svg):
    svg = theme.of_widths(svg)[0].replace("currentColor", "#1b1b1f")
    svg = svg.replace("<svg ", '<svg style="background:#fff" ', 1)
    (FOLDER / name).write_text(svg, encoding="utf-8")
    print(f"wrote {name}, {len(svg) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
