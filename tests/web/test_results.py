"""Results in the browser: fit, look, upload, publish; viewers read only."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from tests.flow.results.conftest import RERATING, SURVEY, comparison
from tests.web.conftest import hidden_fields

from howgood.demo.web import add_people
from howgood.flow.hosting import add_study
from howgood.flow.importing import import_files, take_upload, undo_import
from howgood.flow.results.tasks import run_task
from howgood.kinds.study import Study
from howgood.store import jobs

FORBIDDEN, NOT_FOUND, WRONG = 403, 404, 422
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def asked(host):
    def put(study, people):
        now = datetime.now(UTC)
        row = add_study(host, Study.from_dict(study), folder=Path(), now=now)
        add_people(host, row.slug, people=people, seed=1, now=now)
        return row

    return put


@pytest.fixture
def work(host):
    """Do what waits, in this process."""

    def done():
        now = datetime.now(UTC)
        while job := host.database.write(
            lambda c: jobs.claim(c, "test", now=now, until=now + timedelta(minutes=1))
        ):
            try:
                result = run_task(host, job.study, job.task, job.settings).to_dict()
            except ValueError as error:
                said = str(error)
                host.database.write(lambda c, j=job, s=said: jobs.fail(c, j, s, now=now))
                continue
            host.database.write(
                lambda c, j=job, r=result: jobs.finish(c, j, r, message=r["summary"], now=now)
            )

    return done


def _csrf(client, path):
    return hidden_fields(client.get(path))["csrf"]


def _fit(client, slug, **chosen):
    path = f"/studies/{slug}/results"
    return client.post(path, data={"csrf": _csrf(client, path)} | chosen)


def _upload(client, slug, content, *, purpose="classifier", name="scores.csv"):
    path = f"/studies/{slug}/results"
    return client.post(
        f"{path}/uploads",
        data={"csrf": _csrf(client, path), "purpose": purpose},
        files={"file": (name, content)},
    )


def _scores(rows=300):
    rng = np.random.default_rng(3)
    truth = rng.random(rows) < 0.4
    scores = 1 / (1 + np.exp(-(2.5 * truth - 1.2 + rng.normal(size=rows))))
    lines = "\n".join(f"{int(t)},{s:.4f}" for t, s in zip(truth, scores, strict=True))
    return f"y_true,y_score\n{lines}\n".encode()


def test_a_survey_is_fitted_read_downloaded_and_judged(owner, asked, work):
    asked(SURVEY, 10)
    page = owner.get("/studies/doors/results")
    assert "No result yet" in page.text
    waiting = _fit(owner, "doors", people="attentive", priors="howgood", cut="5")
    assert 'hx-trigger="every 1s"' in waiting.text
    assert "Look again" in waiting.text
    work()
    number = waiting.url.path.rpartition("/")[2]
    part = owner.get(f"/studies/doors/results/{number}/progress")
    assert part.headers["HX-Refresh"] == "true"
    page = owner.get("/studies/doors/results")
    assert "to be accepted by half of people you need about" in page.text
    assert "10 people, 90 judgements" in page.text
    assert "Newer answers" not in page.text
    pictures = re.findall(r'src="(/studies/doors/results/\d+/\d+\.svg)"', page.text)
    assert len(pictures) == 3  # two of the fit and every item; the map is drawn in the page
    picture = owner.get(pictures[0])
    assert picture.headers["content-type"] == "image/svg+xml"
    assert "prefers-color-scheme:dark" in picture.text
    assert "sandbox" in picture.headers["content-security-policy"]
    report = owner.get(f"/studies/doors/results/{number}/report.html")
    assert report.headers["content-disposition"].startswith("attachment")
    assert "<svg" in report.text
    mapped = _upload(owner, "doors", _scores())
    assert mapped.url.path.startswith("/studies/doors/results/uploads/")
    assert '<option value="y_true" selected>' in mapped.text
    form = {"csrf": hidden_fields(mapped)["csrf"], "truth": "y_true", "score": "y_score",
            "positive": "1", "application": "The bell"}  # fmt: skip
    judged = owner.post(mapped.url.path, data=form)
    work()
    page = owner.get(judged.url.path)
    assert "of people would accept it" in page.text
    assert "The classifier on the map of acceptance" in page.text
    assert "Every threshold" in page.text


def test_undoing_an_import_makes_a_result_stale_though_as_many_answers_came_since(
    owner, host, asked, work
):
    asked(RERATING, 2)
    rows = "participant,item,trial,rating\nx,s1,1,{rating}\n"
    options = {"mapping": {}, "actor": "ada", "now": datetime.now(UTC)}
    files = [[("a.csv", rows.format(rating=rating).encode())] for rating in (1, 5)]
    first = import_files(host, "songs", files[0], **options)
    _fit(owner, "songs")
    work()
    result = "/studies/songs/results"
    assert "since this result" not in owner.get(result).text
    undo_import(host, "songs", first.number, actor="ada", now=datetime.now(UTC))
    second = import_files(host, "songs", files[1], **options)
    assert first.answers == second.answers == 1
    assert "An import was undone since this result" in owner.get(result).text
    _fit(owner, "songs", seed="2")
    work()
    assert "since this result" not in owner.get(result).text


def test_newer_answers_make_a_result_stale(owner, host, asked, work):
    asked(RERATING, 2)
    _fit(owner, "songs")
    work()
    assert "came in since" not in owner.get("/studies/songs/results").text
    add_people(host, "songs", people=1, seed=9, now=datetime.now(UTC))
    assert "Newer answers came in since" in owner.get("/studies/songs/results").text


def test_nobody_yet_is_a_page_and_no_error(owner, asked, work):
    asked(SURVEY, 0)
    waiting = _fit(owner, "doors")
    work()
    page = owner.get(waiting.url.path)
    assert page.status_code == 200
    assert "Not enough evidence yet. Nobody has answered yet." in page.text
    assert "Download" not in page.text


def test_a_rerating_ranks_uploaded_systems(owner, asked, work):
    asked(RERATING, 5)
    csv = "Item,one,two\n" + "\n".join(f"s{n},{3 + n / 10},{5 - n / 2}" for n in range(1, 6))
    mapped = _upload(owner, "songs", csv.encode(), purpose="systems")
    assert '<option value="Item" selected>' in mapped.text
    judged = owner.post(
        mapped.url.path, data={"csrf": hidden_fields(mapped)["csrf"], "item": "Item", "user": ""}
    )
    work()
    page = owner.get(judged.url.path)
    assert "Ranking of 2 systems" in page.text.replace("ranking", "Ranking")
    assert "2 systems on 5 people" in owner.get("/studies/songs/results").text


def test_a_comparison_judges_a_classifier_by_the_groups_weight(owner, asked, work):
    asked(comparison(), 3)
    _fit(owner, "pairs")
    work()
    page = owner.get("/studies/pairs/results")
    assert "On average over 3 people" in page.text
    mapped = _upload(owner, "pairs", _scores())
    judged = owner.post(
        mapped.url.path,
        data={"csrf": hidden_fields(mapped)["csrf"], "truth": "y_true", "score": "y_score"},
    )
    work()
    page = owner.get(judged.url.path)
    assert "flag a case when its score reaches it" in page.text
    assert "group&#x27;s mean weight of errors" in page.text


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"", "empty"), (b"\x00\x01", "binary"), (b"only\n1\n2\n", "one column"),
     (b"a,b\n1\n", "row 2: found 1 field, expected 2"), (b"a,b\n", "without rows")],
)  # fmt: skip
def test_a_file_that_is_no_table_is_refused_whole(owner, asked, host, content, told):
    row = asked(RERATING, 1)
    page = _upload(owner, "songs", content, purpose="systems")
    assert page.status_code == WRONG
    assert told in page.text
    with host.database.reading() as connection:
        assert jobs.of_study(connection, row.number) == ()


def test_a_file_that_is_too_large_is_refused_kindly(owner, asked):
    asked(RERATING, 1)
    large = b"item,a\n" + b"x,1\n" * (6 * 2**20)
    page = _upload(owner, "songs", large, purpose="systems")
    assert page.status_code == 413
    assert "larger than 20 MB" in page.text


def test_wrong_columns_are_named_and_other_items_too(owner, asked, work):
    asked(RERATING, 3)
    mapped = _upload(owner, "songs", b"song,svd\ns9,3\n", purpose="systems")
    form = {"csrf": hidden_fields(mapped)["csrf"], "item": "", "user": ""}
    page = owner.post(mapped.url.path, data=form)
    assert page.status_code == WRONG
    assert "song, svd" in page.text
    judged = owner.post(mapped.url.path, data=form | {"item": "song"})
    work()
    page = owner.get(judged.url.path)
    assert "items such as s9" in page.text
    assert "s1, s2" in page.text


def test_wrong_choices_are_refused_before_anything_waits(owner, asked):
    asked(SURVEY, 2)
    assert _fit(owner, "doors", people="friends").status_code == WRONG
    assert _fit(owner, "doors", priors="mine").status_code == WRONG
    assert _fit(owner, "doors", cut="9").status_code == WRONG
    assert _fit(owner, "doors", seed="x").status_code == WRONG


def test_a_job_can_be_cancelled(owner, asked, work):
    asked(RERATING, 2)
    waiting = _fit(owner, "songs")
    form = {"csrf": hidden_fields(waiting)["csrf"]}
    page = owner.post(f"{waiting.url.path}/cancel", data=form)
    assert "This was cancelled" in page.text


def test_a_viewer_reads_results_and_changes_nothing(owner, viewer, asked, work):
    asked(RERATING, 3)
    number = _fit(owner, "songs").url.path.rpartition("/")[2]
    work()
    page = viewer.get("/studies/songs/results")
    assert "magic barrier" in page.text
    assert "Fit now" not in page.text
    assert "Upload" not in page.text
    path = "/studies/songs/results"
    token = _csrf(viewer, "/account")
    for address in (path, f"{path}/uploads", f"{path}/{number}/cancel", f"{path}/{number}/publish",
                    "/library/doors-the-bell/withdraw"):  # fmt: skip
        assert viewer.post(address, data={"csrf": token}).status_code == FORBIDDEN


def test_strangers_are_sent_to_sign_in_and_other_studies_results_stay_hidden(
    owner, browser, asked, work
):
    asked(RERATING, 2)
    asked(SURVEY, 0)
    number = _fit(owner, "songs").url.path.rpartition("/")[2]
    assert browser.get("/studies/songs/results").url.path == "/login"
    assert owner.get(f"/studies/doors/results/{number}").status_code == NOT_FOUND
    assert owner.get("/studies/nothing/results").status_code == NOT_FOUND
    assert owner.get(f"/studies/songs/results/{number}/0.svg").status_code == NOT_FOUND
    assert owner.get(f"/studies/songs/results/{number}/report.html").status_code == NOT_FOUND
    assert owner.get("/studies/songs/results/uploads/77").status_code == NOT_FOUND
    beyond = "9" * 30  # more than a database's numbers hold
    assert owner.get(f"/studies/songs/results/{beyond}").status_code == NOT_FOUND
    assert owner.get(f"/studies/songs/results/uploads/{beyond}").status_code == NOT_FOUND
    assert owner.get(f"/studies/songs/results/{number}/{beyond}.svg").status_code == NOT_FOUND


def test_a_table_that_waits_to_be_imported_is_no_table_to_judge(owner, asked, host):
    asked(RERATING, 2)
    content = b"participant,item,rating\na,x,good\n"
    number = take_upload(host, "songs", name="x.csv", content=content, now=datetime.now(UTC))
    path = f"/studies/songs/results/uploads/{number}"
    assert owner.get(path).status_code == NOT_FOUND
    form = hidden_fields(owner.get("/studies/songs/results"))
    assert owner.post(path, data=form).status_code == NOT_FOUND


def test_a_form_we_did_not_write_is_refused(owner, asked):
    asked(RERATING, 2)
    assert owner.post("/studies/songs/results", data={}).status_code == FORBIDDEN
    assert owner.post("/studies/songs/results", data={"csrf": "x"}).status_code == FORBIDDEN


def test_what_researchers_write_comes_out_as_text(owner, asked, work):
    evil = "<script>alert(1)</script>"
    study = {**SURVEY, "title": evil}
    study["survey"] = {**study["survey"], "applications": [
        {**study["survey"]["applications"][0], "name": evil}]}  # fmt: skip
    asked(study, 4)
    _fit(owner, "doors")
    work()
    page = owner.get("/studies/doors/results")
    assert evil not in page.text
    assert "&lt;script&gt;" in page.text
    number = re.search(r"/results/(\d+)/report", page.text)[1]
    assert evil not in owner.get(f"/studies/doors/results/{number}/report.html").text
    for picture in re.findall(r'src="(/studies/[^"]+svg)"', page.text):
        assert "<script" not in owner.get(picture).text
    mapped = _upload(owner, "doors", f"y_true,{evil}\n1,2\n".encode(), name=f"{evil}.csv")
    assert evil not in mapped.text
    published = owner.post(
        f"/studies/doors/results/{number}/publish",
        data={"csrf": hidden_fields(mapped)["csrf"], "application": evil},
    )
    assert published.url.path == "/library/doors-script-alert-1-script"
    assert evil not in published.text
    assert evil not in owner.get("/library").text


def test_a_card_is_published_asked_and_withdrawn(owner, browser, asked, work):
    asked(SURVEY, 6)
    number = _fit(owner, "doors").url.path.rpartition("/")[2]
    work()
    form = {"csrf": _csrf(owner, "/account")}
    path = "/studies/doors/results"
    wrong = owner.post(f"{path}/{number}/publish", data=form | {"application": "no such"})
    assert wrong.status_code == WRONG
    card = owner.post(f"{path}/{number}/publish", data=form | {"application": "The bell"})
    assert card.url.path == "/library/doors-the-bell"
    asked_by_stranger = browser.get("/library/doors-the-bell?precision=85&recall=85")
    assert "of people would accept The bell" in asked_by_stranger.text
    assert "this card rests on the answers of 6." in asked_by_stranger.text
    assert "is in the library" in owner.get(path).text
    assert "The bell: Few people" in owner.get(path).text
    assert "Withdraw" not in asked_by_stranger.text
    assert browser.post("/library/doors-the-bell/withdraw").url.path == "/login"
    assert "Withdraw this card" in owner.get("/library/doors-the-bell").text
    owner.post("/library/doors-the-bell/withdraw", data=form)
    assert browser.get("/library/doors-the-bell").status_code == NOT_FOUND
