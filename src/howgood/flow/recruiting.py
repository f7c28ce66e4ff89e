"""Finding people for a study: the exact link of every platform, a dry run, what it will cost.

In: a host, a study's short name, the server's address. Out: `Channel`s with what is settled and
what is not, a `RoundTrip`, an `Estimated` cost. Absent: platforms' own programs: nothing is sent
anywhere, and a dry run stores nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import quantiles

from howgood.flow import hosting
from howgood.flow.hosting import Host, RefusedError
from howgood.flow.hosting.admission import Visitor, origin_of
from howgood.flow.participate import completion_address, conditions, take_part
from howgood.kinds.study import Study
from howgood.store import studies, study_counts
from howgood.store.studies import StudyHead

_TEST_ID = "dry-run-5f3a91c2"
_MOST_PAGES = 2000
# What platforms put into an address, as a study's owner has to write it there.
_QUERIES = {
    "prolific": "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}"
    "&SESSION_ID={{%SESSION_ID%}}",
    "sona": "?id=%SURVEY_CODE%",
}
_TITLES = {"prolific": "Prolific", "mturk": "Amazon MTurk", "sona": "SONA Systems"}
_SENT = {
    "prolific": {"PROLIFIC_PID": _TEST_ID, "STUDY_ID": "study-1", "SESSION_ID": "session-1"},
    "mturk": {"workerId": _TEST_ID, "hitId": "hit-1", "assignmentId": "assignment-1"},
    "sona": {"id": _TEST_ID},
    "none": {},
}
_ENDS = {
    "prolific": "https://app.prolific.com/submissions/complete?cc={code}",
    "mturk": "",
    "sona": "https://YOUR-SCHOOL.sona-systems.com/webstudy_credit.aspx?experiment_id=…"
    "&credit_token=…&survey_code={participant}",
}
# A survey link on MTurk carries nobody's id: the page of the task has to add it.
_MTURK_PAGE = """<p><a id="survey" target="_blank">Open the survey</a></p>
<p>Paste the code from its last page: <crowd-input name="code" required></crowd-input></p>
<script>
  const given = new URLSearchParams(location.search);
  const link = new URL("ADDRESS");
  for (const name of ["workerId", "hitId", "assignmentId"]) {
    link.searchParams.set(name, given.get(name) || "");
  }
  document.getElementById("survey").href = link;
</script>"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of a checklist: what to do, whether it is settled (None: only you can know).

    `value` is to be copied, `part` is where in the study's texts it is changed.
    """

    text: str
    is_done: bool | None = None
    value: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """One way to find people, with its checklist; `is_chosen` if the study is set to it."""

    key: str
    title: str
    about: str
    is_chosen: bool
    items: tuple[Item, ...]

    @property
    def n_open(self) -> int:
        """How many things are known to be missing."""
        return sum(item.is_done is False for item in self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that a dry run looked at."""

    text: str
    is_good: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTrip:
    """What a made-up person met, from the platform's link to the way back."""

    checks: tuple[Check, ...]

    @property
    def is_good(self) -> bool:
        """Whether somebody could come, finish and be paid."""
        return all(check.is_good for check in self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Seconds that people took, as quartiles; `people` of whom some tested (`tests`)."""

    people: int
    tests: int
    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimated:
    """What so many people will cost, at the quartiles of the time that others took."""

    people: int
    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Recruiting:
    """Everything the page about recruiting shows."""

    head: StudyHead
    study: Study
    channels: tuple[Channel, ...]
    link: str
    spent: Spent | None
    finished: int
    per_hour: float | None


def recruiting(host: Host, slug: str, *, home: str, now: datetime) -> Recruiting:
    """Return how people can be found for a published study."""
    with host.database.reading() as connection:
        head = studies.head(connection, slug)
        if head is None or head.version is None:
            raise RefusedError(hosting.Reason.UNKNOWN_STUDY)
        real = study_counts.durations(connection, head.number)
        tests = study_counts.durations(connection, head.number, is_pilot=True)
        finishers = study_counts.finishers(connection, head.number)
    study, link = host.study(head.version), f"{home}/s/{slug}"
    return Recruiting(
        head=head,
        study=study,
        channels=_channels(study, head, link),
        link=link,
        spent=_spent(real, tests),
        finished=len(finishers),
        per_hour=_per_hour([finisher.finished_at for finisher in finishers], now),
    )


def estimate(spent: Spent, *, people: int, hourly: float, fee: float) -> Estimated:
    """Return the cost of so many people, paid by the hour, with a platform's fee in per cent.

    Examples
    --------
    >>> spent = Spent(people=8, tests=0, low=300.0, middle=360.0, high=480.0)
    >>> estimate(spent, people=10, hourly=12.0, fee=50.0).middle
    18.0
    """
    low, middle, high = (
        people * seconds / 3600 * hourly * (1 + fee / 100)
        for seconds in (spent.low, spent.middle, spent.high)
    )
    return Estimated(people=people, low=low, middle=middle, high=high)


async def dry_run(host: Host, slug: str, *, now: datetime) -> RoundTrip:
    """Let a made-up person come by the platform's link, answer every page and go back.

    Nothing is stored: the pages are made and answered in memory.
    """
    with host.database.reading() as connection:
        head = studies.head(connection, slug)
    if head is None or head.version is None:
        raise RefusedError(hosting.Reason.UNKNOWN_STUDY)
    study = host.study(head.version)
    sent = _SENT[study.recruitment]
    checks = [await _opens(host, slug, sent, now)]
    if study.recruitment != "none":
        checks.append(_reads_id(study, sent))
    checks += await host.database.run_blocking(_walks, study, now)
    checks.append(_comes_back(study, origin_of(study, sent)))
    return RoundTrip(checks=tuple(checks))


async def _opens(host: Host, slug: str, sent: Mapping[str, str], now: datetime) -> Check:
    try:
        await hosting.arrive(host, slug, Visitor(parameters=sent), now=now)
    except RefusedError as error:
        return Check(text=_REFUSED.get(error.reason.value, _NOT_OPENED), is_good=False)
    return Check(text="The link opens the first page.", is_good=True)


_NOT_OPENED = "The link does not open the first page."
_REFUSED = {
    "closed": "The study is closed: open it before people come.",
    "full": "The quota is full: people would be refused.",
    "no_identity": "The platform's id does not arrive: people would be refused.",
}


def _reads_id(study: Study, sent: Mapping[str, str]) -> Check:
    title = _TITLES[study.recruitment]
    is_read = origin_of(study, sent).get("participant") == _TEST_ID
    if is_read:
        return Check(text=f"The id from {title} arrives and stays with the answers.", is_good=True)
    return Check(text=f"The id from {title} does not arrive.", is_good=False)


def _walks(study: Study, now: datetime) -> list[Check]:
    checks = []
    for condition in conditions(study):
        whose = "" if condition == "all" else f" in the condition {condition}"
        try:
            screens, _ = take_part(study, seed=1, now=now, condition=condition, most=_MOST_PAGES)
        except ValueError:
            text = f"A page refused the answers of a made-up person{whose}: preview the study."
            checks.append(Check(text=text, is_good=False))
            continue
        is_end = bool(screens) and screens[-1].is_last
        text = f"A made-up person answered {len(screens) - 1} pages{whose} and reached the end."
        checks.append(
            Check(text=text if is_end else f"Nobody would reach the end{whose}.", is_good=is_end)
        )
    return checks


def _comes_back(study: Study, origin: Mapping[str, str]) -> Check:
    address = completion_address(study, parameters=origin)
    if address:
        return Check(text=f"At the end people go to {address}", is_good=address.isprintable())
    if study.completion.code:
        return Check(
            text=f"The last page shows the code {study.completion.code} to copy.", is_good=True
        )
    is_paid = study.recruitment != "none"
    return Check(
        text="The last page shows neither a code nor a way back: nobody could be paid."
        if is_paid
        else "The last page thanks people. They come from no platform, so no code is needed.",
        is_good=not is_paid,
    )


def _channels(study: Study, head: StudyHead, link: str) -> tuple[Channel, ...]:
    return (
        *(_platform(key, study, head, link) for key in _TITLES),
        Channel(
            key="list",
            title="Your own list",
            about="Everybody gets a link of their own, for a mail or a letter. They can come back "
            "on any device to where they were.",
            is_chosen=False,
            items=(_open_item(head),),
        ),
        Channel(
            key="poster",
            title="Poster, slide or website",
            about="One link for everybody, with a QR code for phones.",
            is_chosen=study.recruitment == "none",
            items=(_open_item(head), *_without_ids(study)),
        ),
    )


def _without_ids(study: Study) -> Sequence[Item]:
    if study.recruitment == "none":
        return ()
    title = _TITLES[study.recruitment]
    text = f"This study waits for ids from {title}: people without one are refused. Choose “none”."
    return (Item(text=text, is_done=False, part="ending"),)


def _platform(key: str, study: Study, head: StudyHead, link: str) -> Channel:
    title, is_chosen = _TITLES[key], study.recruitment == key
    abouts = {
        "prolific": "Paid participants from a panel, screened by the platform.",
        "mturk": "Workers who copy a code from the last page.",
        "sona": "Students who get credit at their university.",
    }
    return Channel(
        key=key,
        title=title,
        about=abouts[key],
        is_chosen=is_chosen,
        items=(
            Item(text=f"Say that people come from {title}.", is_done=is_chosen, part="ending"),
            _link_item(key, link),
            _end_item(key, study),
            _open_item(head),
            Item(
                text="Set a quota, so that you do not pay for more people than you need.",
                is_done=study.quota is not None,
                part="ending",
            ),
        ),
    )


def _link_item(key: str, link: str) -> Item:
    if key == "mturk":
        text = "On MTurk, make a survey link project and put this into its design."
        return Item(text=text, value=_MTURK_PAGE.replace("ADDRESS", link))
    where = {
        "prolific": "As the study link on Prolific, with “I'll use URL parameters”:",
        "sona": "As the study URL on SONA (the study type is “web study, outside of SONA”):",
    }
    return Item(text=where[key], value=link + _QUERIES[key])


def _end_item(key: str, study: Study) -> Item:
    code, redirect = study.completion.code, study.completion.redirect
    if key == "mturk":
        return Item(
            text=f"People paste the code {code} into the task." if code
            else "Give the last page a code, which people paste into the task.",
            is_done=bool(code),
            part="ending",
        )  # fmt: skip
    needed = {
        "prolific": bool(redirect and code) or bool(redirect and "cc=" in redirect),
        "sona": "{participant}" in redirect,
    }
    texts = {
        "prolific": "Write the completion code from Prolific, and send people back to:",
        "sona": "Send people back to the completion URL (client-side) that SONA shows, with "
        "{participant} in place of XXXX:",
    }
    return Item(text=texts[key], is_done=needed[key], value=_ENDS[key], part="ending")


def _open_item(head: StudyHead) -> Item:
    return Item(
        text="The study is open." if head.is_open else "Open the study on the page Live.",
        is_done=head.is_open,
    )


def _spent(real: Sequence[float], tests: Sequence[float]) -> Spent | None:
    seconds = [*real, *tests]
    if not seconds:
        return None
    low, middle, high = (
        quantiles(seconds, n=4, method="inclusive") if len(seconds) > 1 else seconds * 3
    )
    return Spent(people=len(seconds), tests=len(tests), low=low, middle=middle, high=high)


def _per_hour(finished: Sequence[datetime | None], now: datetime) -> float | None:
    """Return how many finished in an hour, over the last day or since the first of that day."""
    latest = [at for at in finished if at is not None and now - at <= timedelta(days=1)]
    if len(latest) < 2:
        return None
    hours = (now - min(latest)).total_seconds() / 3600
    return len(latest) / max(hours, 1 / 60)
