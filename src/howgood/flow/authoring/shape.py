"""A study as a form: generated from the fields of its records, their types and notes.

In: plain values of a study, right or wrong, and what is wrong with them. Out: `Node`s that a
template can show without knowing any study: questions with examples instead of the keys of study
files. Absent: HTML, and reading the form (`reading`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic.fields import FieldInfo

from howgood.ask.sentences import languages, sentence
from howgood.flow.authoring.widgets import (
    Widget,
    columns,
    element,
    inner,
    options_of,
    shown,
    widget_of,
)
from howgood.kinds import KINDS
from howgood.kinds.questions import Question
from howgood.kinds.study import Study
from howgood.kinds.translation import is_optional, texts_of
from howgood.records.record import Path, Problem, Record, written_fields

_LONG_TEXT = 160  # characters that want more than two lines
_MISSING_KEY = re.compile(r"no (?:phrase |word )?'(\w+)'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One thing to fill in, or a group or list of such things."""

    name: str
    label: str
    note: str
    widget: Widget
    value: str = ""
    options: tuple[str, ...] = ()
    problem: str = ""
    children: tuple["Node", ...] = ()
    is_optional: bool = False
    is_present: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A page of the form: some of the study's fields."""

    key: str
    label: str
    fields: tuple[str, ...]


def is_hidden(path: Path) -> bool:
    """Return whether a key is set when a study is made, or filled from files: no form edits it."""
    kind = KINDS.get(str(path[0]))
    is_file = kind is not None and len(path) == 2 and path[1] in kind.file_keys
    return path[-1] in ("kind", "slug") or (len(path) == 1 and path[0] in KINDS) or is_file


def parts_of(kind: str) -> tuple[Part, ...]:
    """Return the pages of a study's form."""
    return (
        Part(key="texts", label="Texts and consent",
             fields=("title", "language", "introduction", "consent", "notes")),
        Part(key="task", label="Task", fields=(kind,)),
        Part(key="questions", label="Questions",
             fields=("demographics", "closing", "blocks", "screen_outs", "quotas")),
        Part(key="ending", label="Ending and quota",
             fields=("completion", "draw", "endings", "recruitment", "framed_by", "quota",
                     "idle_minutes", "allow_back", "pilot")),
        Part(key="languages", label="Languages", fields=("translations",)),
    )  # fmt: skip


def form_of(part: Part, data: Mapping[str, Any]) -> tuple[Node, ...]:
    """Return the form of a part, filled in."""
    made: list[Node] = []
    if part.key == "languages":
        return tuple(_languages(data))
    for node in _nodes(Study, data, (), part.fields):
        # The task is the page; a frame around the whole page would say nothing.
        made += node.children if part.key == "task" else (node,)
    return tuple(made)


def _languages(data: Mapping[str, Any]) -> Iterator[Node]:
    """Yield a group per language: the text to translate above each field."""
    given = data.get("translations")
    written = given if isinstance(given, Mapping) else {}
    known = texts_of(data)
    own = data.get("language", "en")
    for code in (*written, *(code for code in languages() if code not in (*written, own))):
        texts = written.get(code, {})
        places = (*known, *(place for place in texts if place not in known))
        yield Node(
            name=f"translations.{code}",
            label=sentence(code, "language") if code in languages() else code,
            note="Every text that people read. Buttons and fixed sentences come with howgood."
            if code in written
            else "",
            widget="group",
            is_optional=True,
            is_present=code in written,
            children=tuple(_translation(code, place, known, texts) for place in places),
        )


def _translation(code: str, place: str, known: Mapping[str, str], texts: Mapping[str, str]) -> Node:
    original = known.get(place, "")
    is_long = len(original) > _LONG_TEXT or "\n" in original
    return Node(
        name=f"translations.{code}.{place}",
        label=original or place,
        note=place if original else "The study has no such text any more",
        widget="long" if is_long else "area",
        value=str(texts.get(place, "")),
        is_optional=is_optional(place),
    )


def _nodes(
    record: type[Record],
    data: Mapping[str, Any],
    path: Path,
    names: Sequence[str] | None = None,
) -> Iterator[Node]:
    for name, field in written_fields(record):
        if name in names if names else not is_hidden((*path, name)):
            yield _node(record, field, data.get(name), (*path, name))


def _node(record: type[Record], field: FieldInfo, value: object, path: Path) -> Node:
    hint, name = field.annotation, str(path[-1])
    widget = widget_of(hint, record=record, name=name)
    is_needed = field.is_required()
    label, note = asked(record, name) or (label_of(name), field.description or "")
    node = Node(
        name=dotted(path),
        label=label,
        note=note,
        widget=widget,
        is_optional=not is_needed,
        is_present=value is not None or is_needed or widget in ("list", "words"),
    )
    if widget == "list":
        return replace(node, children=tuple(_entries(element(hint), value, path)))
    if widget == "words":
        return replace(node, children=tuple(_words(name, value, path)))
    if widget in ("group", "picture"):
        return _group(
            node,
            inner(hint),
            value,
            path,
            is_shown=node.is_present or field.default_factory is not None,
        )
    if widget == "rows":
        note = f"{node.note}; one per line: {', '.join(columns(hint))}"
        return replace(node, note=note, value=shown(widget, hint, value))
    if widget == "choice":
        node = replace(node, options=options_of(hint, record=record, name=name))
    usual = None if is_needed else field.get_default(call_default_factory=True)
    return replace(node, value=shown(widget, hint, usual if value is None else value))


def _group(node: Node, record: Any, value: object, path: Path, *, is_shown: bool) -> Node:  # noqa: ANN401 - a record type
    data = value if isinstance(value, Mapping) else {}
    if node.widget == "picture":
        file = data.get("file")
        children = tuple(_nodes(record, data, path, ("alternative",)))
        return replace(node, value=str(file or ""), children=children)
    if not is_shown:
        return replace(node, is_present=False)
    return replace(node, is_present=True, children=tuple(_nodes(record, data, path)))


def _entries(record: Any, value: object, path: Path) -> Iterator[Node]:  # noqa: ANN401 - a record type
    for index, entry in enumerate(value if isinstance(value, list | tuple) else ()):
        data = entry if isinstance(entry, Mapping) else {}
        title = str(data.get("name") or data.get("text") or data.get("key") or "")
        yield Node(
            name=dotted((*path, index)),
            label=f"{index + 1}. {_short(title)}".strip(),
            note="",
            widget="group",
            children=tuple(
                node
                for node in _nodes(record.variant(data), data, (*path, index))
                # A value that the type does not use is kept, and shown only where it is wrong.
                if not issubclass(record, Question)
                or is_of_type(node.name.rpartition(".")[2], data.get("type", "choice"))
            ),
        )


def _words(name: str, value: object, path: Path) -> Iterator[Node]:
    data = value if isinstance(value, Mapping) else {}
    known = next((k.text_keys[name] for k in KINDS.values() if name in k.text_keys), ())
    for key in (*known, *(entry for entry in data if entry not in known)):
        yield Node(
            name=dotted((*path, key)),
            label=PHRASES.get(key, label_of(key)) if name == "phrases" else label_of(key),
            note="",
            widget="phrase" if name == "phrases" else "area",
            value=str(data.get(key, "")),
        )


def with_problems(
    nodes: Sequence[Node], problems: Sequence[Problem]
) -> tuple[tuple[Node, ...], tuple[Problem, ...]]:
    """Return the nodes with what is wrong beside each, and the problems that belong to none."""
    names = set(_names(nodes))
    texts: dict[str, str] = {}
    others = []
    for problem in problems:
        place = _place(problem, names)
        if place:
            texts.setdefault(place, message(problem))
        else:
            others.append(problem)
    return tuple(_marked(node, texts) for node in nodes), tuple(others)


def message(problem: Problem) -> str:
    """Return a problem in words for somebody who fills in a form."""
    if problem.cure == "Write it without quotes.":
        return f"{problem.found} is not {problem.needed}."
    return f"{problem.found}; {problem.needed}. {problem.cure}"


def problem_nodes(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield what is wrong on a page of the form, in order."""
    for node in nodes:
        if node.problem:
            yield node
        yield from problem_nodes(node.children)


def _place(problem: Problem, names: set[str]) -> str:
    missing = _MISSING_KEY.match(problem.found)
    path = (*problem.path, missing[1]) if missing else problem.path
    while path and dotted(path) not in names:
        path = path[:-1]
    return dotted(path) if path else ""


def _names(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        yield node.name
        yield from _names(node.children)


def _marked(node: Node, texts: Mapping[str, str]) -> Node:
    children = tuple(_marked(child, texts) for child in node.children)
    return replace(node, problem=texts.get(node.name, ""), children=children)


def _short(title: str, most: int = 60) -> str:
    return title if len(title) <= most else f"{title[: most - 1].rstrip()}…"


def label_of(name: str) -> str:
    """Return a field's name as people read it."""
    return name.replace("_", " ").capitalize()


def dotted(path: Path) -> str:
    """Return a path as the name of a form's field: survey.items.0.text."""
    return ".".join(str(part) for part in path)


# Record and key -> what is asked, and an example or a word of help.
QUESTIONS: Mapping[str, tuple[str, str]] = {
    "_Frame.title": ("What is the study called?", "People see it, for example: A smart alarm"),
    "_Frame.language": ("Which language do buttons and fixed sentences speak?", ""),
    "_Frame.introduction": (
        "What is it about?",
        "On the first page: what you want to know, and how long it takes",
    ),
    "_Frame.consent": ("Consent", "What people agree to before anything else"),
    "_Frame.notes": ("Notes to yourself", "Never shown to people"),
    "_Frame.demographics": ("Questions before the task", "Nobody has to answer"),
    "_Frame.closing": ("Questions after the task", "Nobody has to answer"),
    "_Frame.blocks": ("Questions in random order", "Groups whose order is drawn for each person"),
    "_Frame.screen_outs": ("Who cannot take part?", "By their answers, such as age below 18"),
    "_Frame.quotas": ("How many people of each sort do you want?", "By their answers"),
    "_Frame.endings": ("Other endings", "What people see who are screened out or come too late"),
    "_Frame.completion": ("The end", "What people see when they have finished"),
    "_Frame.recruitment": (
        "Where do people come from?",
        "The participant id of that platform is kept with the answers",
    ),
    "_Frame.draw": (
        "Is there a draw to say thank you?",
        "Who finishes may leave an address, on a list that cannot be joined to answers",
    ),
    "Draw.text": ("What can be won, and how are the winners drawn?", ""),
    "Draw.prizes": ("How many people win?", ""),
    "_Frame.framed_by": (
        "Which sites may show the study inside a frame?",
        "One per line, such as https://www.mturk.com; empty: none",
    ),
    "_Frame.quota": ("How many people do you want?", "For example 50; empty: no limit"),
    "_Frame.idle_minutes": (
        "After how many quiet minutes does somebody count as dropped out?",
        "For example 120",
    ),
    "_Frame.allow_back": (
        "People may go back and change an answer",
        "What they said first is kept too",
    ),
    "_Frame.pilot": ("This is a test run: keep the answers out of the data", ""),
    "Consent.text": ("What do people agree to?", "Voluntary, how to stop, what happens to answers"),
    "Consent.contact": ("Whom can they ask?", "For example: Jane Doe, jane@example.org"),
    "Completion.text": ("What do you say at the end?", "For example: Thank you for your time"),
    "Completion.code": ("Which code do they need?", "Recruiting platforms give you one: C1A2B3"),
    "Completion.redirect": (
        "Which address takes them back?",
        "The platform's completion link; {code} and {participant} are filled in",
    ),
    "Question.key": ("Name of its column in the data", "For example: age"),
    "Question.text": ("What do you ask?", "For example: How old are you?"),
    "Question.type": ("How do people answer?", ""),
    "Question.options": ("What can they choose?", ""),
    "Question.scale": ("Labels of the scale, lowest first", "One per line"),
    "Question.minimum": ("Smallest number allowed", "For example 18"),
    "Question.maximum": ("Largest number allowed", "For example 120"),
    "Question.help": ("A line in small print", ""),
    "Option.key": ("Name in the data", ""),
    "Option.text": ("What people read", ""),
    "Item.key": ("Name of its column in the data", ""),
    "Item.text": ("The statement people rate", "For example: I would find it acceptable"),
    "SurveyPlan.applications": ("Applications", "The systems whose accuracy people judge"),
    "SurveyApplication.key": ("Name in the data", "For example: alarm"),
    "SurveyApplication.name": ("What is the system called?", "For example: A smart alarm"),
    "SurveyApplication.description": (
        "What does it do for people?",
        "A few sentences, as you would tell a neighbour",
    ),
    "SurveyApplication.phrases": (
        "What happens in a situation?",
        "{n} becomes the number, {real} how often it really happened, {time|times} one or many",
    ),
    "SurveyApplication.picture": ("A picture, film, sound or mock-up of it", ""),
    "SurveyApplication.stimuli": (
        "More to see or hear",
        "Pictures, films, sounds and mock-ups, with the description or with one situation",
    ),
    "SurveyApplication.storyboard": (
        "Show them as a story in numbered steps",
        "Those that come with the description",
    ),
    "Stimulus.picture": ("Picture, film, sound or mock-up (one HTML file)", ""),
    "Stimulus.text": ("What do people read below it?", ""),
    "Stimulus.scenario": ("Which situation does it belong to?", "Its number; empty: all of them"),
    "Stimulus.level": ("Which interface does it belong to?", "Its name; empty: all of them"),
    "SurveyPlan.interface": (
        "Do you compare interfaces?",
        "The same accuracy, shown in different ways, for instance with and without certainty",
    ),
    "InterfaceFactor.levels": ("The interfaces", "Compared with the first one"),
    "InterfaceFactor.varied": (
        "Who sees which interface?",
        "within: everybody sees all of them in turn; between: each person sees one",
    ),
    "InterfaceLevel.key": ("Name in the data", "For example: certainty"),
    "InterfaceLevel.text": ("What do people read about it?", "With every situation"),
    "SurveyPlan.precision": (
        "How reliable are its alarms? (levels of precision)",
        "One per line: 1/2 means every second alarm is right",
    ),
    "SurveyPlan.recall": (
        "How much does it notice? (levels of recall)",
        "One per line: 2/3 means it notices two of three",
    ),
    "SurveyPlan.real_positives": (
        "How often does the thing really happen in a situation?",
        "For example 10 times",
    ),
    "SurveyPlan.cases": (
        "How many occasions are there in all?",
        "For example 30 days; empty: quiet times are not mentioned",
    ),
    "SurveyPlan.per_application": (
        "How many situations does each person judge per application?",
        "For example 8 of 16, drawn at random; empty: all of them",
    ),
    "SurveyPlan.applications_each": (
        "How many applications does each person judge?",
        "For example 2 of your 4, drawn at random; empty: all of them",
    ),
    "SurveyPlan.items": (
        "What do people rate?",
        "Left empty: the three published statements (acceptable, useful, would use it)",
    ),
    "SurveyPlan.ease_of_use": ("Also ask about ease of use", "A fourth published statement"),
    "SurveyPlan.scale": (
        "Labels of the scale, lowest first",
        "One per line; empty: extremely unlikely to extremely likely",
    ),
    "SurveyPlan.branches": (
        "Do groups of people see different applications?",
        "Left empty: everybody sees every application",
    ),
    "SurveyPlan.attention": (
        "Attention checks",
        "Questions whose text says the answer; who fails is left out",
    ),
    "SurveyPlan.micro_task": ("Each person judges one situation only", "For paid micro tasks"),
    "SurveyPlan.real": (
        "Do you also ask about systems people already use?",
        "Asked before the imagined situations",
    ),
    "AttentionCheck.text": ("The instruction", "For example: Please choose “quite unlikely” here"),
    "AttentionCheck.answer": ("Which point of the scale passes, from 1?", "For example 2"),
    "Branch.applications": ("Which applications does this group see?", "Their names in the data"),
    "Branch.quota": ("How many people at most?", ""),
    "ReratingPlan.question": ("What do you ask about every item?", "How much do you like it?"),
    "ReratingPlan.scale": ("Labels of the scale, lowest first", "One per line"),
    "ReratingPlan.rounds": ("How often does everybody rate each item?", "For example 5"),
    "ReratingPlan.delay_minutes": (
        "How many minutes lie between rounds?",
        "0: at once; 1440: a day",
    ),
    "ReratingPlan.instructions": ("What do people read before the first round?", ""),
    "ReratingPlan.items": ("Items", "What is rated"),
    "ComparisonPlan.task": ("What do the systems do, and why do they err?", "Before practice"),
    "ComparisonPlan.question": ("What do you ask above every pair?", ""),
    "ComparisonPlan.words": ("The words of the flow chart", ""),
    "ComparisonPlan.practice": ("Begin with practice questions", ""),
    "ComparisonPlan.queries": ("How many pairs at most?", "For example 25"),
    "ComparisonPlan.checks": ("How many pairs with a plainly better side?", "They show care"),
    "ComparisonPlan.repeats": ("How many pairs are asked again, sides swapped?", ""),
    "ComparisonPlan.costs": ("What does each error mean for people?", ""),
    "ComparisonPlan.direct": ("Do people also say the weight themselves?", "Before, after, both"),
    "ComparisonPlan.interview": ("Ask the six published questions at the end", ""),
    "Picture.alternative": ("What does it show?", "For those who cannot see it"),
}
# The sentences of a situation, in order.
PHRASES: Mapping[str, str] = {
    "happened": "When something really happened",
    "found": "… and the system noticed",
    "missed": "… and the system missed it",
    "false_alarm": "When it raised a false alarm",
    "cleared": "When nothing happened and it stayed quiet",
}
_TYPES: Mapping[str, frozenset[str]] = {
    "options": frozenset({"choice", "choices"}),
    "scale": frozenset({"scale"}),
    "minimum": frozenset({"number"}),
    "maximum": frozenset({"number"}),
}
_KNOWN_TYPES = frozenset({"choice", "choices", "scale", "number", "text"})


def asked(record: type, name: str) -> tuple[str, str] | None:
    """Return the question and example of a key; None for keys without one."""
    for entry in record.__mro__:
        found = QUESTIONS.get(f"{entry.__name__}.{name}")
        if found is not None:
            return found
    return None


def is_of_type(name: str, kind: object) -> bool:
    """Return whether a question of this type uses a key; types added later use every key.

    Examples
    --------
    >>> is_of_type("options", "choice"), is_of_type("options", "number"), is_of_type("help", "text")
    (True, False, True)
    """
    return kind not in _KNOWN_TYPES or name not in _TYPES or kind in _TYPES[name]
