"""A kind of study that this file alone defines goes the whole way: one package, one line.

People say how sure they are of sentences. Everything howgood knows about the kind is below; the
line that adds it is `register(KIND)`.
"""

import json
from datetime import UTC, datetime

import pytest
from pydantic import Field as Key

from howgood.cli.main import run
from howgood.errors import InputError
from howgood.flow.authoring.publishing import templates
from howgood.flow.authoring.shape import form_of, parts_of
from howgood.flow.collected import codebook, codebook_csv, tidy_rows
from howgood.flow.collected.export import data_file
from howgood.flow.importing import import_files
from howgood.flow.participate import answers_as_rows, conditions, next_screen, take_part
from howgood.flow.study_files import check_study, new_study, read_study
from howgood.flow.study_files.keys import study_keys
from howgood.flow.survey_export.file import limesurvey_file, qualtrics_file
from howgood.flow.survey_export.source import StudySource
from howgood.kinds import KINDS, Kind, register
from howgood.kinds.cells import WrongCellError, on_scale
from howgood.kinds.fit import insufficient_evidence
from howgood.kinds.plan import PLANS, Plan, repeated_keys
from howgood.kinds.screen_parts import Step, continue_button, likert, paragraphs
from howgood.kinds.seeded import shuffled
from howgood.kinds.study import Study, plan_of
from howgood.kinds.table_import import TableImport, Target
from howgood.kinds.task_export import ExportPage, ExportSection, TaskExport
from howgood.records.codebook import PARTICIPANT, SECONDS, columns
from howgood.records.item import Item
from howgood.records.record import Problem
from howgood.records.screen import Screen

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class SurenessPlan(Plan):
    """Sentences, and how sure people can be of them."""

    scale: tuple[str, ...] = Key(description="labels, lowest first")
    sentences: tuple[Item, ...] = Key(description="what people may be sure of")

    def problems(self):
        found = repeated_keys(self.sentences, ("sentences",))
        if len(self.scale) < 2:
            found.append(
                Problem(path=("scale",), found="one", needed="two labels", cure="Add one.")
            )
        return found


TEMPLATE = """
kind = "sureness"
slug = "sure"
title = "How sure are you?"
consent.text = "I agree."

[[demographics]]
key = "age"
text = "How old are you?"
type = "number"

[sureness]
scale = ["not at all", "somewhat", "entirely"]

[[sureness.sentences]]
key = "rain"
text = "It rains."

[[sureness.sentences]]
key = "snow"
text = "It snows."
"""


def _key(sentence):
    return f"sure-{sentence.key}"


def steps(study, condition, seed, answered, now):
    plan = plan_of(study, SurenessPlan)

    def make(sentence):
        return lambda: Screen(
            key=_key(sentence),
            kind="task",
            title=study.title,
            language=study.language,
            blocks=paragraphs(sentence.text),
            fields=(likert("sure", "How sure?", plan.scale),),
            buttons=continue_button(study.language),
        )

    order = shuffled(plan.sentences, seed, "sentences")
    return [Step(key=_key(sentence), make=make(sentence)) for sentence in order]


def rows(study, participation):
    plan = plan_of(study, SurenessPlan)
    asked = {_key(sentence): sentence.key for sentence in plan.sentences}
    for answer in participation.answers:
        if answer.screen in asked:
            yield {
                "participant": participation.participant,
                "sentence": asked[answer.screen],
                "sure": answer.values.get("sure"),
                "seconds": answer.seconds,
            }


def answer_columns(study):
    return columns(
        PARTICIPANT,
        ("sentence", "text", "key of the sentence"),
        ("sure", "integer", "how sure, 1 is lowest"),
        SECONDS,
    )


def task_export(study):
    plan = plan_of(study, SurenessPlan)
    pages = tuple(
        ExportPage(
            code=f"a1s{place}",
            screen=_key(sentence),
            number=place,
            blocks=paragraphs(sentence.text),
            fields=("sure",),
            statements=("How sure?",),
            scale=plan.scale,
            condition="all",
        )
        for place, sentence in enumerate(plan.sentences, start=1)
    )
    return TaskExport(
        sections=(ExportSection(code="a1", name="Sentences", introduction=(), pages=pages),)
    )


def read_row(reader, person, missing):
    plan = plan_of(reader.study, SurenessPlan)

    def sentence(text):
        for each in plan.sentences:
            if each.key == text:
                return each
        raise WrongCellError("the key of a sentence")

    if reader.has_gap(["sentence", "sure"], missing):
        return
    about = reader.mapped("sentence", sentence)
    sure = reader.mapped("sure", lambda text: on_scale(text, plan.scale))
    if about is not None and sure is not None:
        reader.judge(person, _key(about), {"sure": sure})


def targets(study):
    return tuple(Target(name=name, meaning=name, is_required=True) for name in ("sentence", "sure"))


def result(sample, study, settings, progress):
    return insufficient_evidence(sample, question="How sure?", why="Nobody counts.", cure="Count.")


KIND = Kind(
    name="sureness",
    plan=SurenessPlan,
    title="Sureness",
    about="People say how sure they are.",
    template=lambda: TEMPLATE,
    steps=steps,
    rows=rows,
    answer_columns=answer_columns,
    rating_columns=lambda study: ("sure",),
    task_export=task_export,
    tables=TableImport(targets=targets, read_row=read_row),
    result=result,
)


@pytest.fixture(autouse=True)
def registered():
    register(KIND)
    yield
    del KINDS[KIND.name], PLANS[KIND.name]


@pytest.fixture
def file(tmp_path):
    return new_study("sureness", tmp_path / "sure.toml")


def test_a_study_file_is_read_and_checked_with_lines(file):
    study = read_study(file)
    assert [each.key for each in study.plan.sentences] == ["rain", "snow"]
    assert Study.from_dict(study.to_dict()) == study
    assert study.to_dict()["sureness"]["scale"] == ["not at all", "somewhat", "entirely"]
    file.write_text(file.read_text().replace('key = "snow"', 'key = "rain"'))
    problem = check_study(file).problems[0]
    assert "sureness.sentences[2].key: 'rain' again" in str(problem)
    file.write_text(file.read_text().replace('kind = "sureness"', 'kind = "surenes"'))
    assert "Did you mean 'sureness'?" in str(check_study(file).problems[0])


def test_its_keys_are_in_the_reference_the_form_and_the_templates(file):
    assert "sureness.sentences[].text" in {key.name for key in study_keys()}
    task = next(part for part in parts_of("sureness") if part.key == "task")
    assert [node.name for node in form_of(task, read_study(file).to_dict())] == [
        "sureness.scale",
        "sureness.sentences",
    ]
    assert "sureness" in {template.key for template in templates()}


def test_a_bot_walks_it_and_its_answers_become_rows_with_a_codebook(file):
    study = read_study(file)
    screens, participation = take_part(study, seed=3, now=NOW)
    assert [screen.key for screen in screens[:2]] == ["consent", "demographics"]
    assert {screen.key for screen in screens[2:4]} == {"sure-rain", "sure-snow"}
    assert conditions(study) == ("all",)
    made = answers_as_rows(study, participation)
    assert {row["sentence"] for row in made} == {"rain", "snow"}
    book = codebook(study)
    assert set(made[0]) <= set(book.names("answers"))
    assert b"how sure, 1 is lowest" in codebook_csv(book)


def test_other_programs_get_its_pages_and_a_kind_without_an_offline_page_says_so(file):
    source = StudySource(study=read_study(file), picture=lambda name: None)
    assert b"a1s2\t" in limesurvey_file(source)
    assert b"[[ID:a1s2]]" in qualtrics_file(source)
    from howgood.flow.survey_export.offline import offline_page

    with pytest.raises(InputError, match="howgood serve"):
        offline_page(source)


def test_it_is_served_answered_imported_and_exported(file, tmp_path):
    from howgood.flow.hosting import add_study, open_host

    host = open_host(f"sqlite:///{tmp_path / 'sure.db'}")
    try:
        study = read_study(file)
        add_study(host, study, folder=tmp_path, now=NOW)
        table = b"participant,sentence,sure\nann,rain,entirely\nann,snow,1\nbob,rain,2\n"
        import_files(host, "sure", [("a.csv", table)], mapping={}, actor="me", now=NOW)
        found = [(row["sentence"], row["sure"]) for row in tidy_rows(host, "sure")]
        assert found == [("rain", 3), ("snow", 1), ("rain", 2)]
        exported = json.loads(b"".join(data_file(host, "sure", kind="json").pieces))
        assert len(exported["answers"]) == 3
        from howgood.flow.results.tasks import run_task

        made = run_task(host, 1, "fit", {})
        assert not made.is_enough
        assert made.people == 2
    finally:
        host.close()
    assert next_screen(study, condition=None, seed=1, answers=(), now=NOW).key == "consent"


def test_the_command_line_checks_it(file, capsys):
    assert run(["check", str(file)]) == 0
    assert "ready (sureness" in capsys.readouterr().out


def test_an_empty_text_and_a_button_of_its_form_are_found_by_the_name_of_the_kind(file):
    from howgood.flow.authoring.reading import act

    study = read_study(file)
    grown, anchor = act(study.to_dict(), "add:sureness.sentences")
    assert len(grown["sureness"]["sentences"]) == 3
    assert anchor == "sureness.sentences.2"
    file.write_text(file.read_text().replace("It snows.", ""))
    assert "sureness.sentences[2].text: no text" in str(check_study(file).problems[0])
