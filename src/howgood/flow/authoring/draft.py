"""Drafts: opened, saved under an edition, checked, and seen as a participant would.

In: a host, a study's short name, what a form sent. Out: the form to show, and whether it was saved;
a page of the preview. Absent: making studies and versions (`publishing`).

Whatever was typed is saved, right or wrong, and checked when it is shown; only publishing insists.
Two tabs cannot overwrite each other silently: a save names the edition it was typed over.
"""

import hashlib
import json
import mimetypes
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from typing import Any

from sqlalchemy.engine import Connection

from howgood.errors import InputError
from howgood.flow.authoring.reading import SentForm, act, read_part
from howgood.flow.authoring.shape import (
    Node,
    Part,
    form_of,
    message,
    parts_of,
    problem_nodes,
    with_problems,
)
from howgood.flow.hosting import Form, Host, Reason, RefusedError, View, form_fields
from howgood.flow.participate import conditions, fill, next_screen, parse_answer
from howgood.flow.participate.path import finished_screen
from howgood.flow.study_files.attached_files import HEAD, PICTURES, media_problem
from howgood.flow.study_files.check import advice_on, study_from
from howgood.kinds import kind_of
from howgood.kinds.protocol import SituationGrid
from howgood.kinds.study import Study
from howgood.kinds.translation import in_language, offered
from howgood.records.record import Path, Problem
from howgood.records.researcher import Researcher
from howgood.records.screen import Answer, Screen
from howgood.store import audit, drafts, studies
from howgood.store.studies import MediaFile, StudyHead


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a study's researchers have written: the draft, or else the newest version.

    `media` has the first bytes of every picture and film. `edition` is the draft's; while there is
    none, it is the version's number, negative. So whoever saves names what they typed over.
    """

    head: StudyHead
    content: Mapping[str, Any]
    edition: int
    changed_at: datetime | None = None
    media: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def is_draft(self) -> bool:
        """Whether there is a draft."""
        return self.edition > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A draft as a study, or what is wrong with it."""

    study: Study | None
    problems: tuple[Problem, ...]
    advice: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PartState:
    """A page of the form and how much is wrong on it."""

    part: Part
    problems: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Editing:
    """One page of the form, ready to show."""

    head: StudyHead
    part: Part
    parts: tuple[PartState, ...]
    nodes: tuple[Node, ...]
    wrong: tuple[Node, ...]
    others: tuple[str, ...]
    advice: tuple[str, ...]
    edition: int
    is_draft: bool
    is_conflict: bool = False
    upload_problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file a browser sent."""

    file_name: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What became of a save: go to the anchor, or look at the form again.

    `edition` is what the next save has to name.
    """

    anchor: str = ""
    edition: int = 0
    editing: Editing | None = None


class StaleDraftError(InputError):
    """The draft changed after it was looked at."""

    def __init__(self, *, done: str) -> None:
        super().__init__(
            where="draft",
            found="another edition than the one you looked at",
            needed="the same one",
            cure=f"Look through the changes again; nothing was {done}.",
        )


def written(host: Host, slug: str) -> Written:
    """Return what is written of a study; an unknown one is refused."""
    with host.database.reading() as connection:
        return _read(connection, slug)


def _read(connection: Connection, slug: str) -> Written:
    head = studies.head(connection, slug)
    if head is None:
        raise RefusedError(Reason.UNKNOWN_STUDY)
    draft = drafts.find(connection, head.number)
    if draft is not None:
        return Written(
            head=head,
            content=draft.content,
            edition=draft.edition,
            changed_at=draft.changed_at,
            media=drafts.media_heads(connection, head.number, HEAD),
        )
    if head.version is None:
        raise RefusedError(Reason.UNKNOWN_STUDY)
    content = studies.content(connection, head.version)
    return Written(head=head, content=content, edition=-head.version)


def checked(given: Written) -> Checked:
    """Return the study a draft describes, or everything that is wrong with it."""
    problems: list[Problem] = []
    study = study_from(given.content, problems=problems)
    if given.is_draft:
        problems += _picture_problems(given.content, (), given.media)
    if study is None or problems:
        return Checked(study=None, problems=tuple(problems))
    return Checked(study=study, problems=(), advice=advice_on(study))


def editing(host: Host, slug: str, part: str) -> Editing:
    """Return a page of the form."""
    return _editing(written(host, slug), part)


def _editing(given: Written, key: str) -> Editing:
    result = checked(given)
    parts = parts_of(given.head.kind)
    part = next((one_part for one_part in parts if one_part.key == key), None)
    if part is None:
        raise RefusedError(Reason.UNKNOWN_STUDY)
    nodes, others = with_problems(form_of(part, given.content), result.problems)
    in_other_parts = {
        name for one_part in parts if one_part is not part for name in one_part.fields
    }
    here = [other for other in others if not other.path or other.path[0] not in in_other_parts]
    return Editing(
        head=given.head,
        part=part,
        parts=tuple(
            PartState(part=one_part, problems=_count(one_part, result)) for one_part in parts
        ),
        nodes=nodes,
        wrong=tuple(problem_nodes(nodes)),
        others=tuple(message(part_here) for part_here in here),
        advice=result.advice,
        edition=given.edition,
        is_draft=given.is_draft,
    )


def _count(part: Part, result: Checked) -> int:
    return sum(bool(problem.path) and problem.path[0] in part.fields for problem in result.problems)


def typed(given: Written, part: Part, texts: Mapping[str, Sequence[str]]) -> Written:
    """Return what is written with a form laid over it, unsaved: for a preview while typing."""
    return replace(given, content=read_part(part, given.content, SentForm(texts=texts)))


def unsaved(
    host: Host, slug: str, part: str, *, texts: Mapping[str, Sequence[str]], edition: int
) -> Editing:
    """Return a page of the form with what was typed over an edition; nothing is saved."""
    given = written(host, slug)
    page = _editing(given, part).part
    return replace(_editing(typed(given, page, texts), part), edition=edition)


def save(
    host: Host,
    person: Researcher,
    slug: str,
    *,
    part: str,
    texts: Mapping[str, Sequence[str]],
    uploads: Mapping[str, Upload],
    edition: int,
    action: str,
    now: datetime,
) -> Saved:
    """Save a page of the form, then do what its button says."""
    before = written(host, slug)
    page = _editing(before, part).part
    files = {name: _media(upload) for name, upload in uploads.items() if upload.content}
    refused = {name: problem for name, (_, problem) in files.items() if problem}
    kept = {name: made for name, (made, _) in files.items() if made is not None}
    stored = {name: (made.name, _digest(made.content)) for name, made in kept.items()}
    sent = SentForm(texts=texts, files=stored)
    content = read_part(page, before.content, sent)
    field = f"paste.{action.partition(':')[2]}"
    pasted = sent.text(field) or ""
    content, anchor = act(content, action, pasted=pasted) if action else (content, "")
    if edition == before.edition and not files and _is_same(content, before.content):
        return Saved(anchor=anchor, edition=edition)
    saved = host.database.write(
        lambda c: _store(c, before, content, tuple(kept.values()), edition, person, now)
    )
    if saved is not None and not refused:
        return Saved(anchor=anchor, edition=saved)
    media = {**before.media, **{made.name: made.content[:HEAD] for made in kept.values()}}
    shown = replace(before, content=content, media=media, edition=saved or before.edition)
    again = _editing(shown, part)
    return Saved(
        editing=replace(again, is_conflict=saved is None, upload_problem=" ".join(refused.values()))
    )


def _is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two contents say the same, however they are written down."""
    if one == other:
        return True
    first, second = (study_from(side, problems=[]) for side in (one, other))
    return first is not None and first == second


def _store(
    connection: Connection,
    before: Written,
    content: Mapping[str, Any],
    files: Sequence[MediaFile],
    edition: int,
    person: Researcher,
    now: datetime,
) -> int | None:
    """Store a form that was typed over an edition; None if that is not the newest any more."""
    head = studies.hold(connection, before.head.slug)
    if head is None:
        raise RefusedError(Reason.UNKNOWN_STUDY)
    if edition > 0:
        saved = drafts.save(connection, head.number, content, edition=edition, now=now)
    elif edition == -(head.version or 0):
        saved = drafts.begin(connection, head.number, content, version=head.version, now=now)
    else:
        saved = None
    if saved is None:
        return None
    if edition <= 0:
        audit.note(connection, actor=person.name, action="draft begun", study=head.slug, now=now)
    for file in files:
        drafts.add_media(connection, head.number, file)
    if head.version is None and isinstance(content.get("title"), str):
        studies.rename(connection, head.number, content["title"])
    return saved


def discard(host: Host, person: Researcher, slug: str, *, edition: int, now: datetime) -> None:
    """Put a draft aside, as it was seen; a study that was never published leaves the list with it.

    `restore` brings it back until another draft begins.
    """

    def store(connection: Connection) -> None:
        studies.hold(connection, slug)
        given = _read(connection, slug)
        if given.edition != edition or not given.is_draft:
            raise StaleDraftError(done="discarded")
        drafts.discard(connection, given.head.number, now=now)
        audit.note(connection, actor=person.name, action="draft discarded", study=slug, now=now)

    host.database.write(store)


def restore(host: Host, person: Researcher, slug: str, *, now: datetime) -> bool:
    """Bring a discarded draft back; False if there is none any more."""

    def store(connection: Connection) -> bool:
        head = studies.hold(connection, slug)
        is_back = head is not None and drafts.restore(connection, head.number)
        if is_back:
            audit.note(connection, actor=person.name, action="draft restored", study=slug, now=now)
        return is_back

    return host.database.write(store)


def discarded(host: Host) -> tuple[drafts.DiscardedDraft, ...]:
    """Return the drafts that can be restored."""
    with host.database.reading() as connection:
        return drafts.discarded(connection)


def draft_picture(host: Host, slug: str, name: str) -> MediaFile:
    """Return a picture or film of a draft, or of the version it began from."""
    with host.database.reading() as connection:
        given = _read(connection, slug)
        number, version = given.head.number, given.head.version
        media = next(iter(drafts.media_files(connection, number, [name])), None)
        if media is None and version is not None:
            media = studies.media_file(connection, version, name)
    if media is None:
        raise RefusedError(Reason.UNKNOWN_STUDY)
    return media


def _media(upload: Upload) -> tuple[MediaFile | None, str]:
    """Return a picture or film as it is stored, or why it cannot be used."""
    file = PurePath(upload.file_name.replace("\\", "/"))
    largest = PICTURES.get(file.suffix.lower())
    if largest is None:
        endings = ", ".join(PICTURES)
        return None, f"{file.name!r} was not kept: it must end in one of {endings}."
    if len(upload.content) > largest:
        return None, f"{file.name!r} was not kept: at most {largest:,} bytes."
    wrong = media_problem(file.name, upload.content[:HEAD])
    if wrong:
        return None, f"{file.name!r} was not kept: {wrong}."
    stem = re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-")[:60] or "picture"
    name = f"{stem}-{_digest(upload.content)[:8]}{file.suffix.lower()}"
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return MediaFile(name=name, media_type=kind, content=upload.content), ""


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def picture_names(data: object) -> list[str]:
    """Return the names of the pictures and films that a study names."""
    if isinstance(data, Mapping):
        file = data.get("file")
        own = [file] if isinstance(file, str) and "alternative" in data else []
        return own + [name for value in data.values() for name in picture_names(value)]
    if isinstance(data, list | tuple):
        return [name for value in data for name in picture_names(value)]
    return []


def _picture_problems(data: object, path: Path, media: Mapping[str, bytes]) -> list[Problem]:
    """Return pictures whose file is missing, or is no picture."""
    problems: list[Problem] = []
    if isinstance(data, Mapping):
        if path and path[-1] == "picture":
            problems += _picture_problem(data.get("file", ""), path, media)
        for name, value in data.items():
            problems += _picture_problems(value, (*path, str(name)), media)
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            problems += _picture_problems(value, (*path, index), media)
    return problems


def _picture_problem(name: object, path: Path, media: Mapping[str, bytes]) -> list[Problem]:
    needed, cure = "a picture or film", "Choose one, or remove the picture."
    if not isinstance(name, str) or name not in media:
        return [Problem(path=path, found="no file", needed=needed, cure=cure)]
    wrong = media_problem(name, media[name])
    return [Problem(path=path, found=wrong, needed=needed, cure=cure)] if wrong else []


# See a draft as a participant would: every page real, nothing stored.

_SEED, _MOST_PAGES, _LONGEST_WALK = 1, 400, 200_000
_START, _PACE = datetime(2026, 1, 1, tzinfo=UTC), timedelta(seconds=5)
# Rounds of a rerating may be days apart; nobody who looks through a draft should wait.
_LATER = timedelta(days=10_000)
_SHOWS = {"texts": "consent", "questions": "questions", "languages": "consent"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A page of a draft; `walk` holds the answers before it, `page` counts from 1.

    `introduced` are pages that lead to it and are about the same part of the form; `situations` is
    the grid that levels make. Without a view,
    `problems` say why there is none.
    """

    head: StudyHead
    problems: tuple[str, ...] = ()
    view: View | None = None
    introduced: tuple[View, ...] = ()
    situations: SituationGrid | None = None
    walk: str = ""
    page: int = 1
    condition: str = ""
    conditions: tuple[str, ...] = ()
    language: str = ""
    languages: tuple[str, ...] = ()


def preview(host: Host, slug: str, *, condition: str, page: int, language: str = "") -> Preview:
    """Return a page of the draft; the pages before it are answered by a bot."""
    given = written(host, slug)
    study = checked(given).study
    if study is None:
        return _without_screen(given)
    chosen = _chosen(study, condition)
    answers: list[Answer] = []
    screen = _next(study, chosen, answers, language)
    while len(answers) < min(page, _MOST_PAGES) - 1 and not screen.is_last:
        values = parse_answer(screen, fill(screen, seed=_SEED)).values
        answers.append(_answer(screen.key, dict(values), len(answers)))
        screen = _next(study, chosen, answers)
    return _shown(given, study, chosen, answers, screen)


def step(host: Host, slug: str, *, condition: str, walk: str, form: Form) -> Preview:
    """Return the page after a form was sent from a preview, or the same with what is wrong."""
    given = written(host, slug)
    study = checked(given).study
    if study is None:
        return _without_screen(given)
    chosen = _chosen(study, condition)
    answers = _walked(walk)
    screen = _next(study, chosen, answers)
    sent = form_fields(screen, form) or {}
    result = parse_answer(screen, sent)
    if not result.is_valid:
        again = _shown(given, study, chosen, answers, screen)
        view = replace(again.view, sent=sent, problems=result.problems) if again.view else None
        return replace(again, view=view)
    answers.append(_answer(screen.key, dict(result.values), len(answers)))
    return _shown(given, study, chosen, answers, _next(study, chosen, answers))


def glance(given: Written, part: str) -> Preview:
    """Return the page that a part of the form is about, while it is being typed.

    The task comes with the page that introduces it: both show what its form says.
    """
    study = checked(given).study
    if study is None:
        return _without_screen(given)
    chosen = _chosen(study, "")
    if part == "ending":
        return _shown(given, study, chosen, [], finished_screen(study))
    answers: list[Answer] = []
    introduced: list[View] = []
    screen = _next(study, chosen, answers, offered(study)[-1] if part == "languages" else "")
    while not _is_about(screen, study, part) and not screen.is_last:
        if screen.kind == "text" and part == "task":
            introduced.append(_view(study, screen))
        values = parse_answer(screen, fill(screen, seed=_SEED)).values
        answers.append(_answer(screen.key, dict(values), len(answers)))
        screen = _next(study, chosen, answers)
    seen = _shown(given, study, chosen, answers, screen)
    grid = kind_of(study).situations(study) if part == "task" else None
    return replace(seen, introduced=tuple(introduced), situations=grid)


def _is_about(screen: Screen, study: Study, part: str) -> bool:
    """Return whether a screen is what a part of the form is about; practice is not the task."""
    if part == "task":
        return kind_of(study).is_task(screen)
    return screen.kind == _SHOWS[part]


def _without_screen(given: Written) -> Preview:
    problems = tuple(message(problem) for problem in checked(given).problems)
    return Preview(head=given.head, problems=problems)


def _chosen(study: Study, condition: str) -> str:
    known = conditions(study)
    return condition if condition in known else known[0]


def _next(study: Study, condition: str, answers: Sequence[Answer], language: str = "") -> Screen:
    return next_screen(
        study, condition=condition, seed=_SEED, answers=answers, now=_START + _LATER,
        language=language,
    )  # fmt: skip


def _answer(screen: str, values: dict[str, Any], number: int) -> Answer:
    return Answer(screen=screen, values=values, at=_START + number * _PACE, seconds=5.0)


def _walked(text: str) -> list[Answer]:
    """Return the answers that came back with a page; what we did not write counts as none."""
    try:
        steps = json.loads(text[:_LONGEST_WALK])
        return [
            _answer(str(key), dict(values), number)
            for number, (key, values) in enumerate(steps[:_MOST_PAGES])
        ]
    except (ValueError, TypeError):
        return []


def _shown(
    given: Written, study: Study, condition: str, answers: Sequence[Answer], screen: Screen
) -> Preview:
    return Preview(
        head=given.head,
        view=_view(study, screen),
        walk=json.dumps([[answer.screen, answer.values] for answer in answers], ensure_ascii=False),
        page=len(answers) + 1,
        condition=condition,
        conditions=conditions(study),
        language=screen.language,
        languages=offered(study),
    )


def _view(study: Study, screen: Screen) -> View:
    return View(
        study=in_language(study, screen.language),
        version=0,
        screen=screen,
        signature="",
        is_pilot=study.pilot,
    )
