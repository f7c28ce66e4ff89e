"""What the results' templates see, ready to print.

In: jobs and results. Out: frozen pages. Absent: HTML, and any decision.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from markupsafe import Markup

from howgood.flow.registry import cards
from howgood.flow.results.requests import Overview
from howgood.kinds import kind_of
from howgood.kinds.fit import FitOption
from howgood.kinds.study import Study
from howgood.records.inclusion import POLICIES
from howgood.records.job import Job, JobStatus
from howgood.records.report import Section
from howgood.records.result import StudyResult
from howgood.show.cards import card_warning
from howgood.show.figures.theme import of_widths
from howgood.show.page import WIDE
from howgood.show.story import story, text_html
from howgood.show.times import moment
from howgood.web.page_words import on_a_page

_NAMES = {"fit": "Fit", "classifier": "Classifier", "systems": "Systems"}
_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_UNTAKEN = timedelta(seconds=20)
# Pictures are drawn in the page's ink on its ground; alone in an <img> they have no page to take
# these from.
_LIGHT = (
    "<style>:root{color:#1b1b1f;--paper:#fff}"
    "@media(prefers-color-scheme:dark){:root{color:#ececf1;--paper:#15161a}}</style>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPage:
    """A job in words."""

    number: int
    name: str
    status: str
    percent: int
    message: str
    when: str
    is_open: bool
    is_done: bool
    is_failed: bool
    is_untaken: bool
    upload: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
    """A result as its page shows it."""

    number: int
    title: str
    when: str
    summary: str
    story: Markup
    is_enough: bool
    is_stale: bool
    has_lost: bool
    newer: int
    applications: Mapping[str, str]
    warnings: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a fit's form offers."""

    people: Mapping[str, str]
    options: Sequence[FitOption]
    judges: str
    judges_by: str


def job_page(job: Job, *, now: datetime) -> JobPage:
    """Return a job as its line or its progress shows it."""
    name = _NAMES.get(job.task, job.task)
    file = job.settings.get("file")
    return JobPage(
        number=job.number,
        name=f"{name}: {file}" if file else name,
        status=job.status.value,
        percent=round(100 * job.progress),
        message=on_a_page(job.message),
        when=moment(job.finished_at or job.created_at),
        is_open=job.is_open,
        is_done=job.status is JobStatus.DONE,
        is_failed=job.status is JobStatus.FAILED,
        upload=int(job.settings.get("upload", 0)),
        is_untaken=job.status is JobStatus.QUEUED and now - job.created_at > _UNTAKEN,
    )


def result_page(result: StudyResult, seen: Overview, job: Job, *, root: str = "") -> ResultPage:
    """Return a result as its page shows it; only a fit grows old with new answers."""
    root = root or f"/studies/{seen.row.slug}/results/{job.number}"
    is_fit = job.task != "classifier"
    return ResultPage(
        number=job.number,
        title=result.report.title,
        when=moment(job.finished_at or job.created_at),
        summary=result.summary[:1].upper() + result.summary[1:],
        # Everything in it that people wrote is escaped by `story`.
        story=Markup(story(result.report, partial(_picture, root))),  # noqa: S704 - escaped there
        is_enough=result.is_enough,
        is_stale=is_fit and seen.is_stale(result),
        has_lost=seen.has_lost(result),
        newer=seen.held - result.answers,
        applications={card.application: card.name for card in result.cards},
        warnings={card.application: card_warning(card) for card in result.cards},
    )


def form_choices(study: Study) -> Choices:
    """Return what may be chosen for a fit of this study."""
    kind = kind_of(study)
    return Choices(
        people=POLICIES,
        options=kind.fit_options(study, cards),
        judges=kind.judges,
        judges_by=kind.judges_by,
    )


def lit_picture(svg: str, *, for_phone: bool = False) -> str:
    """Return a picture that is readable on light and dark pages by itself."""
    svg = of_widths(svg)[for_phone]
    end = svg.index(">") + 1
    return f"{svg[:end]}{_LIGHT}{svg[end:]}"


def _picture(root: str, place: int, section: Section) -> str:
    """Return a picture as a file of its own: the policy of pages allows no styles inside them."""
    address = f"{root}/{place}.svg"
    wide, phone = of_widths(section.svg)
    size = _SIZE.search(wide)
    shape, below = (" wide", 68) if size and float(size[1]) > WIDE else ("", 40)
    name = f"{text_html(section.title)}: open the picture alone"
    return (
        f'<figure class="plot{shape}"><a href="{address}"><picture>'
        f'<source media="(max-width: {below}rem)" srcset="{address}?for=phone"{_room(phone)}>'
        f'<img src="{address}"{_room(wide)} alt="{name}"></picture></a>'
        f"<figcaption>{text_html(section.alt)}</figcaption></figure>"
    )


def _room(svg: str) -> str:
    """Return the size of a picture in pixels, so that its page does not move when it comes."""
    size = _SIZE.search(svg)
    return (
        f' width="{float(size[1]) * 4 / 3:.0f}" height="{float(size[2]) * 4 / 3:.0f}"'
        if size
        else ""
    )
