"""Names that others chose go through every table, picture, report and command as what they are."""

import csv
import json
import re
import warnings
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

from howgood import ask, learn
from howgood.cli.main import run
from howgood.errors import HowgoodWarning
from howgood.names import visible
from howgood.show import acceptability as show
from howgood.show import page, text
from howgood.show.design import asset

# Mathematics (broken and whole), a terminal's commands, turned letters, HTML, Markdown, a formula.
HOSTILE = (
    r"$\frac{$",
    "costs $5 and $x^2$",
    "\x1b[31mred\x1b[0m \x9b2J\x07",
    "\u202eturned\u2066",
    "<script>alert('x')</script>&amp;",
    "[a](http://x) | *b* `c` _d_ :smile: # e",
)
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
SVG = "{http://www.w3.org/2000/svg}"


def _write(path, table):
    with path.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return str(path)


# Shorter ones for pictures in which a name stands next to its row.
APPLICATIONS = ("$\\frac{$ \u202e\x1b[31m", "<b>$x$ _*`")


@pytest.fixture(scope="module")
def fit():
    people = {name: {"alpha": 0.3, "intercept": -13.0, "slope": 16.0} for name in APPLICATIONS}
    answers = ask.simulate_answers(people, people=12, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HowgoodWarning)
        return learn.fit_acceptability(answers, means=(0,), draws=200, random_state=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, fit):
    """Tables in which every name is hostile, and a fit of such applications."""
    folder = tmp_path_factory.mktemp("names")
    rng = np.random.default_rng(1)
    mean = rng.uniform(1, 5, 30)
    systems = {name: mean + rng.normal(0, 0.5, 30) for name in HOSTILE}
    _write(folder / "ratings.csv", {"mean": mean, "sd": np.full(30, 0.8), **systems})
    grades = [(f"q{i}", name, f"r{r}", int(rng.integers(1, 6)))
              for i in range(6) for name in HOSTILE for r in range(3)]  # fmt: skip
    named = zip(("item", "system", "rater", "grade"), zip(*grades, strict=True), strict=True)
    _write(folder / "grades.csv", dict(named))
    labels = rng.choice(HOSTILE[:3], 60)
    guesses = {name: rng.permutation(labels) for name in HOSTILE[3:5]}
    _write(folder / "choices.csv", {"y": labels, HOSTILE[5]: rng.integers(0, 2, 60), **guesses})
    truth = rng.integers(0, 2, 100)
    scores = 1 / (1 + np.exp(1 - rng.normal(2 * truth)))
    _write(folder / "scores.csv", {HOSTILE[0]: truth, HOSTILE[2]: scores})
    fit.save(folder / "fit.npz")
    return folder


def _commands(folder):
    fit, counts = f"{folder}/fit.npz", ["--counts", "90,5,5,100"]
    first, second = (["--application", name] for name in APPLICATIONS)
    columns = ["--truth", HOSTILE[0], "--score", HOSTILE[2]]
    return {
        "rank": ["rank", f"{folder}/ratings.csv", *(f"--system={name}" for name in HOSTILE)],
        "leaderboard": ["leaderboard", f"{folder}/grades.csv"],
        "relevance": ["relevance", f"{folder}/choices.csv", "--outcome", "y", "--predicted",
                      HOSTILE[3], "--predicted", HOSTILE[4], "--context", HOSTILE[5]],
        "threshold": ["threshold", f"{folder}/scores.csv", *columns, "--model", fit, *first],
        "target": ["target", fit, *second],
        "trade-off": ["trade-off", fit, *first],
        "gate": ["gate", fit, *counts, *second],
        "best-application": ["best-application", fit, *counts],
    }  # fmt: skip


REPORTING = ("rank", "leaderboard", "relevance", "threshold")
PICTURES = {"rank": "--plot", "leaderboard": "--plot", "relevance": "--plot",
            "threshold": "--plot-map", "target": "--plot", "trade-off": "--plot"}  # fmt: skip


class _Page(HTMLParser):
    """What a browser would make of a page: its tags, and its text."""

    def __init__(self, content):
        super().__init__(convert_charrefs=True)
        self.tags, self.text, self.scripts, self._is_script = set(), "", [], False
        self.feed(content)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self._is_script = tag == "script"

    def handle_endtag(self, tag):
        self._is_script = False

    def handle_data(self, data):
        if self._is_script:
            self.scripts.append(data.strip())
        self.text += data


def _names_in(command):
    """The names a command must show: all of a table's, or the application that was asked for."""
    if "--application" in command:
        return [command[command.index("--application") + 1]]
    if command[0] == "best-application":
        return APPLICATIONS
    return HOSTILE[3:5] if command[0] == "relevance" else HOSTILE


def _shown(capsys):
    said = capsys.readouterr()
    assert not ACTING.search(said.out + said.err)
    assert "Traceback" not in said.err
    return said.out


@pytest.mark.parametrize("name", _commands(""))
def test_every_command_shows_names_and_obeys_none(folder, tmp_path, capsys, name):
    command = _commands(folder)[name]
    files = ["--out", f"{tmp_path}/report.html"] if name in REPORTING else []
    files += [PICTURES[name], f"{tmp_path}/plot.svg"] if name in PICTURES else []
    assert run([*command, *files]) in (0, 1)
    shown = "".join(_shown(capsys).split())
    assert "\N{SMILING FACE WITH OPEN MOUTH AND SMILING EYES}" not in shown
    if name in PICTURES:
        _check_picture((tmp_path / "plot.svg").read_text(encoding="utf-8"), _names_in(command))
    if name in REPORTING:
        _check_page((tmp_path / "report.html").read_text(encoding="utf-8"), _names_in(command))


@pytest.mark.parametrize("name", _commands(""))
def test_json_holds_names_as_they_were_given(folder, capsys, name):
    command = _commands(folder)[name]
    assert run([*command, "--json"]) in (0, 1)
    shown = json.dumps(json.loads(_shown(capsys)))
    if name != "threshold":  # which is about scores, whoever was asked
        assert all(json.dumps(each)[1:-1] in shown for each in _names_in(command))


def test_a_fit_s_report_and_pictures_show_names(fit, tmp_path):
    report = show.fit_report(fit)
    _check_page(page.to_html(report), APPLICATIONS)
    for kind in ("svg", "png", "pdf"):
        show.save_picture(fit, tmp_path / f"plot.{kind}")
    _check_picture((tmp_path / "plot.svg").read_text(encoding="utf-8"), APPLICATIONS)
    shown = text.text_table(fit.summary(), width=300)
    assert all(visible(each) in shown for each in APPLICATIONS)


def _check_picture(content, names):
    """A picture is sound XML that holds each name, in lines or shortened, and no mathematics."""
    assert not ACTING.search(content)
    found = ElementTree.fromstring(content).iter(f"{SVG}text")  # noqa: S314 - we wrote it
    texts = "\n".join("".join(each.itertext()) for each in found)
    assert all(_is_shown(visible(each), texts) for each in names)


def _is_shown(name, texts):
    name, texts = ("".join(each.split()) for each in (name, texts))
    ends = f"{re.escape(name[:6])}[^…]*…[^…]*{re.escape(name[-4:])}"
    return name in texts or re.search(ends, texts) is not None


def _check_page(content, names):
    assert not ACTING.search(content)
    seen = _Page(content)
    assert set(seen.scripts) <= {asset("story.js").strip()}  # ours, letter by letter
    assert all(visible(each) in seen.text for each in names)


def test_markdown_shows_names_and_formats_none(folder, tmp_path, capsys):
    command = _commands(folder)["leaderboard"]
    assert run([*command, "--out", f"{tmp_path}/report.md"]) == 0
    content = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert not ACTING.search(content)
    assert all(_in_markdown(each) in content for each in HOSTILE)


def _in_markdown(name):
    """Written out by hand, for these names alone."""
    return {
        HOSTILE[0]: r"\$\\frac{\$",
        HOSTILE[1]: r"costs \$5 and \$x^2\$",
        HOSTILE[2]: r"\\u001b[31mred\\u001b[0m \\u009b2J\\u0007",
        HOSTILE[3]: r"\\u202eturned\\u2066",
        HOSTILE[4]: r"\<script>alert('x')\</script>\&amp;",
        HOSTILE[5]: r"[a\](http://x) \| \*b\* \`c\` \_d\_ :smile: # e",
    }[name]


def test_a_sentence_stays_one_line(tmp_path, capsys):
    """A name must not be able to say something in howgood's own voice."""
    forged = "svd\n- other is best beyond doubt"
    mean = np.linspace(1, 5, 40)
    table = {"mean": mean, "sd": np.full(40, 0.5), "other": mean + 0.3, forged: mean + 0.1}
    ratings = _write(tmp_path / "r.csv", table)
    arguments = ["rank", ratings, "--system", "other", "--system", forged]
    assert run([*arguments, "--out", f"{tmp_path}/r.md"]) == 0
    for shown in (capsys.readouterr().out, (tmp_path / "r.md").read_text()):
        assert "best beyond doubt" in shown
        assert "\n- other is best beyond doubt" not in shown


def test_errors_and_warnings_show_names_and_obey_none(tmp_path, capsys):
    bad = _write(tmp_path / "bad.csv", {HOSTILE[2]: ["a"], HOSTILE[3]: ["b"]})
    assert run(["rank", bad, "--system", HOSTILE[2], "--mean", HOSTILE[3]]) == 2
    _shown(capsys)
    assert run(["rank", bad, f"--nonsense{HOSTILE[2]}"]) == 2
    _shown(capsys)
    study = tmp_path / "study.toml"
    study.write_text('kind = "survey"\n"\\u001b[31mred" = 1\n')
    assert run(["check", str(study)]) == 2
    _shown(capsys)
