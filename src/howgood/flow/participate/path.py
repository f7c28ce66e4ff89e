"""Which screen comes next, and in which condition: pure functions of the study and the answers.

In: study, condition, seed, answers, and the time (only waiting depends on it). Out: one `Screen`,
or the condition of the next person, kept in balance. Absent: storage, clocks and chance of its own;
the same arguments always give the same screen (docs/adr: the next screen is a pure function). The
store counts people and assigns conditions in one transaction.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from operator import attrgetter
from urllib.parse import quote

from howgood.ask.sentences import sentence
from howgood.errors import InputError
from howgood.kinds import kind_of
from howgood.kinds.question_pages import CLOSING, DEMOGRAPHICS, QuestionPage, Walk, walk
from howgood.kinds.questions import question_fields
from howgood.kinds.rules import ScreenOut, piped
from howgood.kinds.screen_parts import Step, continue_button, paragraphs
from howgood.kinds.seeded import shuffled
from howgood.kinds.study import Completion, Ending, Study
from howgood.kinds.translation import FIELD, in_language
from howgood.records.screen import (
    Answer,
    Button,
    Field,
    FieldOption,
    Heading,
    Paragraph,
    Participation,
    Place,
    Screen,
)

CONSENT, FINISHED, MIRROR = "consent", "finished", "mirrored"


def next_screen(
    study: Study,
    *,
    condition: str | None,
    seed: int,
    answers: Sequence[Answer],
    now: datetime,
    language: str = "",
    shared: object = None,
) -> Screen:
    """Return the screen a participant is to see.

    Parameters
    ----------
    study : Study
        The version of the study that the participant started with.
    condition : str or None
        What `choose_condition` gave them; None only before consent is answered.
    seed : int
        The participant's own number; decides every order and subset.
    answers : sequence of Answer
        What they have answered so far, in order.
    now : datetime
        Time in UTC. It matters only to a `wait` screen.
    language : str
        One of the study's languages for the first page, which then says it for all that follow;
        left out: the study's own.
    shared : object
        What everybody's answers so far come to, where the kind of study says so
        (`SharedTask.summary`); None: the person's own answers are all there are.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> study = Study.from_dict({
    ...     "kind": "rerating", "slug": "songs", "title": "Songs, five times",
    ...     "consent": {"text": "I agree."},
    ...     "rerating": {"question": "How much do you like it?", "scale": ["1", "2", "3"],
    ...                  "items": [{"key": "a", "text": "First"}, {"key": "b", "text": "Second"}]},
    ... })
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> next_screen(study, condition=None, seed=1, answers=(), now=now).key
    'consent'
    >>> agreed = Answer(screen="consent", values={"consent": "yes"}, at=now)
    >>> next_screen(study, condition="all", seed=1, answers=[agreed], now=now).key
    'round-1'
    """
    answered = {answer.screen: answer for answer in answers}
    has_languages = bool(study.translations)
    if has_languages:
        study = _as_read(study, answered, language)
    if CONSENT not in answered:
        return _consent(study, has_languages=has_languages).model_copy(
            update={"place": Place(done=0, total=1)}
        )
    if answered[CONSENT].values.get("consent") != "yes":
        return _declined(study)
    way = walk(study, seed=seed, answered=answered)
    if study.screen_outs and (reason := way.screened_out(study)) is not None:
        return screened_out(study, reason)
    steps = path_steps(
        study, condition=condition, seed=seed, answered=answered, now=now, way=way, shared=shared
    )
    done, total = 1, 1 + sum(map(attrgetter("advance"), steps))
    at_most = any((step.advance > 1 or step.may_fall_away) and step.key not in answered
                  for step in steps)  # fmt: skip
    for step in steps:
        if step.key not in answered:
            place = Place(done=done, total=total, at_most=at_most)
            return step.make().model_copy(update={"key": step.key, "place": place})
        done += step.advance
    given = Participation(participant="", condition=condition, seed=seed, answers=tuple(answers))
    has_failed = kind_of(study).passed_checks(study, given) is False
    return finished_screen(study, ending="failed_checks" if has_failed else FINISHED)


def _as_read(study: Study, answered: Mapping[str, Answer], language: str = "") -> Study:
    """Return the study in the language somebody began it in, or wants to begin it in."""
    begun = answered[CONSENT].values.get(FIELD) if CONSENT in answered else language
    return in_language(study, str(begun or language))


def path_steps(
    study: Study,
    *,
    condition: str | None,
    seed: int,
    answered: Mapping[str, Answer],
    now: datetime,
    way: Walk | None = None,
    shared: object = None,
) -> list[Step]:
    """Return the steps between consent and thanks, as far as the answers decide them."""
    if condition is None:
        raise InputError(
            where=f"study {study.slug!r}",
            found="consent without a condition",
            needed="the condition assigned at consent",
            cure="Call choose_condition when consent is given, and store what it returns.",
        )
    way = way or walk(study, seed=seed, answered=answered)
    kind = kind_of(study)
    if kind.shared is not None and shared is not None:
        task = kind.shared.steps(study, condition, seed, answered, now, shared)
    else:
        task = kind.steps(study, condition, seed, answered, now)
    # Pages of questions that are left out are passed with the page before them.
    asked = {
        section: [
            Step(
                key=page.key,
                make=partial(question_screen, study, section, seed, page, way.words),
                may_fall_away=not page.is_sure,
            )
            for page in pages
        ]
        for section, pages in way.pages.items()
    }
    return [*asked[DEMOGRAPHICS], *task, *asked[CLOSING]]


def completion_address(
    study: Study, *, parameters: Mapping[str, str], ending: str = FINISHED
) -> str | None:
    """Return where to send a participant whose visit has ended, or None when nowhere.

    Parameters
    ----------
    study : Study
        Its `completion.redirect` may hold {code}, {participant}, {session} and {study}.
    parameters : mapping of str to str
        What the recruiting platform put into the address the participant came by, by those names.
    ending : str
        How it ended: "finished", or one of the study's `endings`.

    Notes
    -----
    Stability: experimental
    """
    own = ending_of(study, ending)
    address = own.redirect
    if not address:
        return None
    filled = {"participant": "", "session": "", "study": "", **parameters}
    for name, value in {**filled, "code": own.code}.items():
        address = address.replace("{" + name + "}", quote(value, safe=""))
    return address


def _consent(study: Study, *, has_languages: bool) -> Screen:
    language = study.language
    # The page says its language for the record: every page after it speaks the same.
    spoken = (Field(name=FIELD, kind="hidden", label="", value=language),)
    contact = study.consent.contact
    contact_line = sentence(language, "consent_contact", contact=contact) if contact else ""
    purpose = study.consent.purpose
    purpose_line = sentence(language, "consent_purpose", purpose=purpose) if purpose else ""
    return Screen(
        key=CONSENT,
        kind="consent",
        title=study.title,
        language=language,
        blocks=(
            *paragraphs(study.introduction),
            Heading(text=sentence(language, "consent_heading")),
            *paragraphs(study.consent.text),
            *paragraphs(purpose_line),
            *paragraphs(contact_line),
        ),
        fields=(*(spoken if has_languages else ()), *_mirror_field(study)),
        buttons=(
            Button(label=sentence(language, "agree"), name="consent", value="yes"),
            Button(label=sentence(language, "decline"), name="consent", value="no", main=False),
        ),
    )


def _mirror_field(study: Study) -> tuple[Field, ...]:
    """Return the question whether a facilitator may follow; who leaves it empty is not followed."""
    if not study.consent.mirror:
        return ()
    language = study.language
    allowed = FieldOption(value="yes", label=sentence(language, "mirror_allow"))
    label = sentence(language, "mirror_label")
    return (Field(name=MIRROR, kind="choices", label=label, options=(allowed,), required=False),)


def is_mirrored(answered: Mapping[str, Answer]) -> bool:
    """Return whether a person has allowed a facilitator to see their screen."""
    return CONSENT in answered and answered[CONSENT].values.get(MIRROR) == ["yes"]


def ending_of(study: Study, name: str) -> Completion | Ending:
    """Return the words, code and address of an ending; who failed a check may be thanked alike."""
    if name == FINISHED:
        return study.completion
    own: Ending = getattr(study.endings, name)
    return study.completion if name == "failed_checks" and own == Ending() else own


def ending_blocks(study: Study, name: str) -> tuple[Paragraph, ...]:
    """Return a study's own words about an ending, and its code."""
    own = ending_of(study, name)
    code = sentence(study.language, "completion_code", code=own.code) if own.code else ""
    return (*paragraphs(own.text), *paragraphs(code))


def _declined(study: Study) -> Screen:
    return Screen(
        key="declined",
        kind="declined",
        title=sentence(study.language, "declined_title"),
        language=study.language,
        blocks=(
            *paragraphs(sentence(study.language, "declined_text")),
            *ending_blocks(study, "declined"),
        ),
        ending="declined",
    )


def screened_out(study: Study, reason: ScreenOut) -> Screen:
    """Return the last page of who cannot take part: why, and the code of this ending."""
    return Screen(
        key=f"screened-out-{reason.key}",
        kind="screened_out",
        title=sentence(study.language, "screened_out_title"),
        language=study.language,
        blocks=(*paragraphs(reason.text), *ending_blocks(study, "screened_out")),
        ending="screened_out",
    )


def finished_screen(study: Study, ending: str = FINISHED) -> Screen:
    """Return the last page: thanks, and the completion code if there is one."""
    language = study.language
    return Screen(
        key=FINISHED,
        kind="finished",
        title=sentence(language, "finished_title"),
        language=language,
        blocks=(
            *paragraphs(sentence(language, "finished_text")),
            *ending_blocks(study, ending),
        ),
        place=Place(done=1, total=1),
        ending=ending,
    )


def question_screen(
    study: Study, section: str, seed: int, page: QuestionPage, words: Mapping[str, str]
) -> Screen:
    """Return a page of questions; `words` are earlier answers that they may repeat."""
    language = study.language
    # A page on which something has to be answered cannot say that nothing has.
    is_optional = not any(question.required for question in page.questions)
    text = sentence(language, f"{section}_text") if is_optional else ""
    fields = question_fields(page.questions, language, seed=seed)
    return Screen(
        key=page.key,
        kind="questions",
        title=sentence(language, f"{section}_title"),
        language=language,
        blocks=paragraphs(text),
        fields=tuple(_piped(field, words) for field in fields),
        buttons=continue_button(language),
    )


def _piped(field: Field, words: Mapping[str, str]) -> Field:
    """Return a field whose words repeat earlier answers."""
    texts = (field.heading, field.label, field.help, *(option.label for option in field.options))
    if not any("{answer." in text for text in texts):
        return field
    return field.changed(
        heading=piped(field.heading, words),
        label=piped(field.label, words),
        help=piped(field.help, words),
        options=tuple(option.changed(label=piped(option.label, words)) for option in field.options),
    )


def conditions(study: Study) -> tuple[str, ...]:
    """Return the conditions of a study: branches, single scenarios of a micro-task, or "all".

    Notes
    -----
    Stability: experimental
    """
    return kind_of(study).conditions(study)


def has_quota(study: Study) -> bool:
    """Return whether a study may become full, wholly or in one of its conditions."""
    quotas = kind_of(study).quotas(study).values()
    return study.quota is not None or any(quota is not None for quota in quotas)


def choose_condition(
    study: Study, counts: Mapping[str, int], seed: int, *, without: Collection[str] = ()
) -> str | None:
    """Return the condition for the next participant: one of those with the fewest people.

    Parameters
    ----------
    study : Study
    counts : mapping of condition to number of people
        Everybody who holds a place: finished or still taking part. Missing means none.
    seed : int
        The participant's own number; decides between equals.
    without : collection of str
        Conditions they have had in earlier tasks.

    Returns
    -------
    str or None
        None when every branch has reached its quota, or they have had all.

    Notes
    -----
    Stability: experimental
    """
    quotas = kind_of(study).quotas(study)
    free = [
        condition
        for condition in conditions(study)
        if condition not in without
        and ((quota := quotas.get(condition)) is None or counts.get(condition, 0) < quota)
    ]
    if not free:
        return None
    fewest = min(counts.get(condition, 0) for condition in free)
    equals = [condition for condition in free if counts.get(condition, 0) == fewest]
    return shuffled(equals, seed, "condition")[0]
