"""`howgood reproduce all`: every paper, one page."""

import json
from types import SimpleNamespace

import pytest

from howgood.cli.main import run
from howgood.records.reproduction import Check, Reproduction
from howgood.reproduce import papers


def _reproduction(paper):
    claims = [
        Check.judged("X-1", "Fig. 1", "two < three", paper="2", ours="2", holds=True, rule="same"),
        Check.judged("X-2", "Eq. 2", "a misprint", paper="5", ours="4", holds=False, rule="same"),
        Check(item="X-3", place="§3", claim="needs their data", paper="7", ours="",
              verdict="cannot be checked here", note="The data are not public."),
    ]  # fmt: skip
    return Reproduction(paper=paper, citation=f"Author of {paper} (2000)", checks=tuple(claims),
                        figures={f"{paper}-fig1-dots": '<svg viewBox="0 0 1 1"></svg>'},
                        errata=(f"{paper} prints 5 for 4.",), seed=7)  # fmt: skip


@pytest.fixture
def asked(monkeypatch):
    """Stand in for the experiments; collect what each was given."""
    given = {}

    def module(name):
        (paper,) = (short for short, module in papers.PAPERS.items() if module == name)

        def reproduce(*, data, random_state, progress):
            given[paper] = (data, random_state)
            progress(1.0, "done")
            return _reproduction(paper)

        return SimpleNamespace(reproduce=reproduce)

    monkeypatch.setattr(papers, "import_module", module)
    return given


def test_one_page_holds_every_paper_verdict_picture_and_erratum(asked, tmp_path, capsys):
    assert run(["reproduce", "all", "--out", str(tmp_path / "out"), "--seed", "3"]) == 0
    page = (tmp_path / "out" / "index.html").read_text()
    for paper in ("s0", "s1", "s2", "s3"):
        assert f"Author of {paper} (2000): 1 hold, 1 do not hold, 1 cannot be checked here" in page
        assert f"{paper} prints 5 for 4." in page
        assert (tmp_path / "out" / f"{paper}-fig1-dots.svg").is_file()
    assert page.count("<svg") == 4
    assert "two &lt; three" in page.replace("\xa0", " ")  # no line breaks after the sign
    assert "The data are not public." in page
    assert asked["s2"] == (None, 3)
    assert capsys.readouterr().out.count("erratum:") == 4


def test_a_folder_of_data_gives_each_paper_its_own_file(asked, tmp_path):
    for name in papers.DATA_FILES.values():
        (tmp_path / name).touch()
    assert run(["reproduce", "all", "--data", str(tmp_path)]) == 0
    assert asked["s0"][0] == tmp_path / "kay2015_study1.csv"
    assert asked["s1"][0] == tmp_path / "breast-cancer-wisconsin.data"
    assert asked["s3"][0] is None


def test_one_file_for_all_papers_is_refused(asked, tmp_path, capsys):
    (tmp_path / "one.csv").touch()
    assert run(["reproduce", "all", "--data", str(tmp_path / "one.csv")]) == 2
    assert "a folder when all papers are reproduced" in capsys.readouterr().err


def test_json_of_all_papers(asked, capsys):
    assert run(["reproduce", "all", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["papers"]
    assert [each["paper"] for each in found] == ["s0", "s1", "s2", "s3"]
    assert len(found[0]["checks"]) == 3


def test_progress_rises_over_all_papers(asked):
    shares = []
    papers.reproduce_all(progress=lambda share, step: shares.append(share))
    assert shares == [0.25, 0.5, 0.75, 1.0]
