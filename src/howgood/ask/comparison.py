"""Words and questions around the choices: all of it data, for terminal and web alike.

In: displayed matrices. Out: wordings, practice questions, the interview afterwards, the direct
question. Absent: the order of the choices themselves (see `learn`), and drawing (see `show`).
"""

from collections.abc import Sequence
from functools import partial

from howgood.ask.sentences import sentence, whole
from howgood.errors import InputError
from howgood.records.comparison import (
    ComparisonWording,
    CostText,
    InterviewQuestion,
    PracticeQuestion,
)
from howgood.records.confusion import ConfusionMatrix

CANCER_WORDING = ComparisonWording(
    task=(
        "A computer system helps doctors to find cancer. It flags each patient as high risk or "
        "low risk. No system is always right: some patients with cancer are flagged low risk, "
        "some without cancer are flagged high risk."
    ),
    question="Which system would you prefer your doctor to use?",
    cases="patients",
    positive="have cancer",
    negative="do not have cancer",
    with_positive="with cancer",
    with_negative="without cancer",
    flagged="flagged high risk",
    cleared="flagged low risk",
    found="found",
    correctly_cleared="correctly cleared",
    miss="missed cancer",
    misses="missed cancers",
    alarm="false alarm",
    alarms="false alarms",
    costs=(
        CostText(
            error="missed cancer",
            health="Treatment starts later, when it is harder and less likely to work.",
            money="Late treatment costs more, for the patient and for everybody.",
            time="Months may pass before the illness is noticed.",
            feelings="Relief at first; later shock, and loss of trust in doctors.",
        ),
        CostText(
            error="false alarm",
            health="A biopsy that was not needed, with its small risks.",
            money="The price of further tests and of days off work.",
            time="One or two weeks of appointments.",
            feelings="Worry until the all-clear; some worry stays.",
        ),
    ),
)

GENERIC_WORDING = ComparisonWording(
    task=(
        "A system flags cases. Some cases that should be flagged are missed, some are flagged "
        "without reason."
    ),
    question="Which system would you prefer?",
    cases="cases",
    positive="are positive",
    negative="are negative",
    with_positive="that are positive",
    with_negative="that are negative",
    flagged="flagged",
    cleared="not flagged",
    found="found",
    correctly_cleared="correctly left alone",
    miss="miss",
    misses="misses",
    alarm="false alarm",
    alarms="false alarms",
)

# Table 2 of Ali et al. (2022), word for word.
INTERVIEW = (
    InterviewQuestion(
        code="Q1",
        text=(
            "What do you think is worse: (a) Large number of patients that actually have cancer "
            "but are labelled as low risk, or (b) Large number of patients that do not have "
            "cancer but are labelled as high risk."
        ),
        options=("a", "b"),
    ),
    InterviewQuestion(
        code="Q2",
        text=(
            "Could you quantify how much worse the chosen option is in comparison to the other? "
            "Why or why not? Could you quantify this? i.e., 10x worse for me"
        ),
    ),
    InterviewQuestion(
        code="Q3",
        text=(
            "For the questions presented in this task, how did you decide which system you would "
            "prefer your doctor to use?"
        ),
    ),
    InterviewQuestion(code="Q4", text="What was difficult about making these choices?"),
    InterviewQuestion(
        code="Q5",
        text="What additional information would have helped you to make these choices?",
    ),
    InterviewQuestion(code="Q6", text="Do you have any feedback for us on your experience today?"),
)

DEMOGRAPHICS = (
    InterviewQuestion(code="age", text="How old are you?"),
    InterviewQuestion(
        code="education",
        text="What is the highest education you have finished?",
        options=("School", "College", "Masters", "Doctorate"),
    ),
    InterviewQuestion(
        code="machine_learning",
        text="How much do you know about machine learning?",
        options=("None", "Beginner", "Intermediate", "Expert"),
    ),
    InterviewQuestion(
        code="domain",
        text="How much do you know about the field this is about?",
        options=("None", "Some", "Professional"),
    ),
)

# Where one case in a thousand is positive, a miss may well be worth 500 false alarms.
DIRECT_LEAST, DIRECT_MOST = 0.001, 100_000.0


def direct_question(
    wording: ComparisonWording = CANCER_WORDING, *, language: str = "en"
) -> InterviewQuestion:
    """Return the question for the ratio itself, asked once before the choices and once after.

    A number from 0.001 to 100,000; skipping it means "cannot say".

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> direct_question().text
    'One missed cancer is as bad as how many false alarms?'
    """
    text = sentence(language, "direct_question", miss=wording.miss, alarms=wording.alarms)
    return InterviewQuestion(code="direct", text=text)


def direct_weight(ratio: float) -> float:
    """Return the weight a0 = 1 / (1 + r) that a direct answer r stands for.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> direct_weight(7.0)
    0.125
    """
    if not DIRECT_LEAST <= ratio <= DIRECT_MOST:
        raise InputError(
            where="direct question",
            found=f"{ratio:g}",
            needed=f"a number from {DIRECT_LEAST:g} to {DIRECT_MOST:,.0f}",
            cure="Leave it out when you cannot say.",
        )
    return 1.0 / (1.0 + ratio)


def practice_questions(
    matrices: Sequence[ConfusionMatrix],
    *,
    wording: ComparisonWording = CANCER_WORDING,
    language: str = "en",
) -> tuple[PracticeQuestion, ...]:
    """Return six questions about two cards: two each of reading, comparing and imagining.

    The cards are those of `practice_pair`, the first of them called system A.

    Parameters
    ----------
    matrices : sequence of ConfusionMatrix
        Displayed matrices, from the lowest threshold to the highest.
    wording : ComparisonWording
        The respondent's words.
    language : str
        Language of the sentences around them.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import learn
    >>> matrices = learn.threshold_matrices([0, 0, 1, 1] * 25, [k / 100 for k in range(100)])
    >>> for question in practice_questions(matrices)[:2]:
    ...     print(question.text, question.answer)
    System A: how many of the 100 patients are flagged high risk? 67
    System A: how many patients with cancer are missed? 16
    """
    one, two = practice_pair(matrices)

    def asked(kind: str, key: str, answer: int | str, **more: object) -> PracticeQuestion:
        blanks = {**matrix_blanks(one, wording, language=language), "answer": answer, **more}
        is_choice = isinstance(answer, str)
        return PracticeQuestion(
            kind=kind,
            text=sentence(language, f"practice_{key}", **blanks),
            answer=answer,
            tolerance=5 if kind == "simulation" else 0,
            feedback=sentence(language, f"practice_{key}_feedback", **blanks),
            options=("A", "B", same) if is_choice else (),
        )

    same = sentence(language, "practice_same")
    number = partial(whole, language=language)
    misses = {"one": number(one.false_negatives), "two": number(two.false_negatives)}
    alarms = {"one": number(one.false_positives), "two": number(two.false_positives)}
    fewer = _lesser(one.false_negatives, two.false_negatives, same)
    more = _lesser(-one.false_positives, -two.false_positives, same)
    caught = round(100 * one.recall) if one.positives else 0
    real = round(100 * one.precision) if one.flagged else 0
    return (
        asked("comprehension", "flagged", int(one.flagged)),
        asked("comprehension", "missed", int(one.false_negatives)),
        asked("comparison", "fewer", fewer, **misses),
        asked("comparison", "more", more, **alarms),
        asked("simulation", "caught", caught),
        asked("simulation", "real", real),
    )


def practice_pair(
    matrices: Sequence[ConfusionMatrix],
) -> tuple[ConfusionMatrix, ConfusionMatrix]:
    """Return two cards to practise on: a third and two thirds of the way through.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import learn
    >>> matrices = learn.threshold_matrices([0, 0, 1, 1] * 25, [k / 100 for k in range(100)])
    >>> one, two = practice_pair(matrices)
    >>> one.false_negatives < two.false_negatives
    True
    """
    return matrices[len(matrices) // 3], matrices[2 * len(matrices) // 3]


def matrix_blanks(
    matrix: ConfusionMatrix, wording: ComparisonWording, *, language: str = "en"
) -> dict[str, str]:
    """Return what sentences about a card are filled with: the owner's words, and its counts."""
    counts = {
        **matrix.to_dict(),
        "total": matrix.total,
        "positives": matrix.positives,
        "negatives": matrix.negatives,
        "all_flagged": matrix.flagged,
        "all_cleared": matrix.total - matrix.flagged,
    }
    own = {name: text for name, text in wording.to_dict().items() if isinstance(text, str)}
    return own | {name: whole(count, language=language) for name, count in counts.items()}


def _lesser(one: float, two: float, same: str) -> str:
    """Name the system with the lesser number."""
    return same if one == two else "A" if one < two else "B"
