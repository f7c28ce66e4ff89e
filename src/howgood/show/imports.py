"""What an import added, or would add, in sentences.

In: counts. Out: lines. Absent: importing (`flow.importing`).
"""

from collections.abc import Mapping, Sequence

_MOST_NAMES = 5


def import_lines(
    *,
    people: int,
    answers: int,
    people_here: int,
    answers_here: int,
    differing: Sequence[str],
    left_out: Mapping[str, int],
    is_done: bool,
) -> list[str]:
    """Say what is added, what is here already, and what is left out and why.

    Examples
    --------
    >>> for line in import_lines(people=1, answers=8, people_here=2, answers_here=16, differing=(),
    ...                          left_out={"rows with a gap": 3}, is_done=False):
    ...     print(line)
    will add 1 person with 8 answers
    already here: 2 people with 16 answers
    left out: 3 rows with a gap
    """
    verb = "added" if is_done else "will add"
    if people:
        first = f"{verb} {_counted(people, 'person', 'people')} with {_counted(answers, 'answer')}"
    elif answers:
        first = f"{verb} {_counted(answers, 'answer')} to people who are already here"
    else:
        first = "nothing was added" if is_done else "nothing to add"
    lines = [first]
    if people_here or answers_here:
        who = f"{_counted(people_here, 'person', 'people')} with " if people_here else ""
        lines.append(f"already here: {who}{_counted(answers_here, 'answer')}")
    if differing:
        named = ", ".join(repr(each) for each in differing[:_MOST_NAMES])
        more = ", …" if len(differing) > _MOST_NAMES else ""
        lines.append(
            f"left out: {_counted(len(differing), 'person', 'people')} ({named}{more}) already "
            "here, but with other or fewer answers, as unfinished, or as no test run; what is "
            "stored stays. If they are other people, give them other ids; if the file is right, "
            "undo the earlier import or erase them, then import again"
        )
    lines += [f"left out: {count:,} {policy}" for policy, count in left_out.items()]
    return lines


def _counted(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"
