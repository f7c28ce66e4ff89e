"""The kinds of study there are: one line each.

In: nothing. Out: `KINDS`, and the kind of a study. Absent: what a kind does (its package).
"""

from howgood.errors import UnknownNameError
from howgood.kinds import comparison, criteria, failures, rerating, survey, votes
from howgood.kinds.more_questions import MORE_TYPES
from howgood.kinds.plan import PLANS, Picture
from howgood.kinds.protocol import Kind
from howgood.kinds.questions import QUESTION_TYPES
from howgood.kinds.study import Study

KINDS: dict[str, Kind] = {}
QUESTION_TYPES.update((type_.name, type_) for type_ in MORE_TYPES)


def register(kind: Kind) -> None:
    """Add a kind of study, and its plan to what study files may say."""
    KINDS[kind.name] = kind
    PLANS[kind.name] = kind.plan


register(survey.KIND)
register(comparison.KIND)
register(rerating.KIND)
register(criteria.KIND)
register(failures.KIND)
register(votes.KIND)


def kind_named(name: str) -> Kind:
    """Return a kind by the name that study files give it."""
    if name not in KINDS:
        raise UnknownNameError(where="kind of study", name=name, names=KINDS)
    return KINDS[name]


def kind_of(study: Study) -> Kind:
    """Return the kind of a study."""
    return KINDS[study.kind]


def pictures_of(study: Study) -> tuple[Picture, ...]:
    """Return every picture and film of a study: of its task and of its questions."""
    of_options = tuple(
        option.picture
        for question in (*study.demographics, *study.closing)
        for option in question.options
        if option.picture is not None
    )
    return (*kind_of(study).pictures(study), *of_options)
