"""Everything howgood raises or warns about on purpose.

    HowgoodError
    ├── InputError (ValueError)         a value, column or file is not what is needed
    │   ├── MissingColumnError          a table has no such column
    │   ├── MissingValueError           a column has gaps and the policy is "error"
    │   ├── LengthMismatchError         arrays that belong together differ in length
    │   ├── UnknownNameError            a name that is not in the result (KeyError too)
    │   ├── FileFormatError             a file cannot be read as what it should be
    │   │   └── FieldCountError         a row of a CSV file has too many or too few fields
    │   └── ManyProblemsError           several things are wrong with one record or file
    ├── FileWriteError (OSError)        a file could not be written; an older one is unchanged
    ├── MissingExtraError (ImportError) an optional package is not installed
    └── UngatedPosteriorError           sampling did not pass its quality gates

    HowgoodWarning (UserWarning)
    ├── FewRespondentsWarning           the sample is small for what is being estimated
    ├── NoEvidenceWarning               the answers say nothing about a quantity
    ├── DroppedRowsWarning              rows were left out by a named policy
    ├── BorrowedSpreadWarning           pairs rated once borrow how far the others vary
    ├── RatedOnceWarning                means that look like single ratings are taken as known
    ├── SignificantOnlyWarning          a significant score leaves most deviations out
    ├── AlikeNamesWarning               names that differ only in case or spaces
    ├── OneAgainstRestWarning           of more than two labels, one counts as positive
    ├── RepeatedRowsWarning             rows that repeat an earlier one in everything
    ├── ReversedScoresWarning           scores are lower for positive cases than for others
    ├── UnknownScaleWarning             how many points the rating scale has is a guess
    └── FallbackWarning                 another method was used than the one first tried

In: facts. Out: one sentence that says where, what was found, what is needed, what to do.
Absent: logging, exit codes (see `cli`).
"""

import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches

__all__ = [
    "AlikeNamesWarning",
    "BorrowedSpreadWarning",
    "DroppedRowsWarning",
    "FallbackWarning",
    "FewRespondentsWarning",
    "FieldCountError",
    "FileFormatError",
    "FileWriteError",
    "HowgoodError",
    "HowgoodWarning",
    "InputError",
    "LengthMismatchError",
    "ManyProblemsError",
    "MissingColumnError",
    "MissingExtraError",
    "MissingValueError",
    "NoEvidenceWarning",
    "OneAgainstRestWarning",
    "RatedOnceWarning",
    "RepeatedRowsWarning",
    "ReversedScoresWarning",
    "SignificantOnlyWarning",
    "UngatedPosteriorError",
    "UnknownNameError",
    "UnknownScaleWarning",
    "announce",
]


_LONGEST = 600
# A row's number; texts in quotation marks are found first, and so passed over.
_ROWS = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\brow (\d+)\b""")
_LONGEST_LIST = 1_000


class HowgoodError(Exception):
    """Base of everything howgood raises on purpose."""


class InputError(HowgoodError, ValueError):
    """Something given to howgood is not what is needed.

    The four facts are attributes too: `where`, `found`, `needed`, `cure`.
    """

    def __init__(self, *, where: str, found: str, needed: str, cure: str) -> None:
        where, found, cure = (_shortened(text, most=_LONGEST) for text in (where, found, cure))
        needed = _shortened(needed, most=_LONGEST_LIST)
        self.where, self.found, self.needed, self.cure = where, found, needed, cure
        self._are_rows_named = False
        super().__init__(self.sentence(cure))

    def sentence(self, cure: str) -> str:
        """Return the message with another cure."""
        return f"{self.where}: {self.found}; expected {self.needed}. {cure}"

    def found_in(self, where: str) -> None:
        """Say another place: whoever passes an error on may know the file's name."""
        self.where = _shortened(where, most=_LONGEST)
        self.args = (self.sentence(self.cure), *self.args[1:])

    def name_rows(self, name: Callable[[int], str]) -> None:
        """Call rows by their names in a file; `name` takes a row's place, that of the first is 0.

        Whoever raises an error counts the rows of a table from 1. What stands in quotation marks is
        somebody's text, and stays.
        """
        if self._are_rows_named:
            return
        self._are_rows_named = True

        def renamed(found: re.Match[str]) -> str:
            return name(int(found[1]) - 1) if found[1] else found[0]

        self.where, self.found = (_ROWS.sub(renamed, text) for text in (self.where, self.found))
        self.args = (self.sentence(self.cure), *self.args[1:])

    def cured_by(self, cure: str) -> None:
        """Say another cure: whoever passes an error on may know what its caller can change."""
        self.cure = _shortened(cure, most=_LONGEST)
        self.args = (self.sentence(self.cure), *self.args[1:])


class MissingColumnError(InputError):
    """A table lacks columns that are needed; `near` holds a like-named one where there is one.

    Columns that are `taken`, because they hold something else that is needed, are not near.
    """

    def __init__(
        self,
        *,
        where: str,
        column: str,
        columns: Iterable[str],
        also: Sequence[str] = (),
        ours: Mapping[str, str] | None = None,
        taken: Iterable[str] = (),
    ) -> None:
        present, missing, others = list(columns), [column, *also], set(taken)
        free = [name for name in present if name not in others]
        near = {name: _nearest_column(name, free) for name in missing}
        super().__init__(
            where=where,
            found=f"no column {_listed(missing)} among {_listed(present)}",
            needed=_listed(missing),
            cure=_column_cure(
                {name: similar for name, similar in near.items() if similar}, bool(also)
            ),
        )
        self.column, self.columns, self.missing, self.near = column, present, missing, near
        # Our name of a column that was asked for by the caller's: {"ppv": "precision"}.
        self.ours = dict(ours or {})


class MissingValueError(InputError):
    """A column has missing values and the caller did not choose to drop them."""

    def __init__(
        self, *, where: str, column: str, n_missing: int, n_rows: int, first: int | None
    ) -> None:
        row = "" if first is None else f" (first: row {first + 1})"
        super().__init__(
            where=f"{where}, column {column!r}",
            found=f"{n_missing} of {n_rows} values missing or not finite{row}",
            needed="a value in every row, and finite numbers",
            cure="Fill them in, or leave these rows out: missing='drop'.",
        )
        self.column, self.n_missing, self.n_rows, self.first = column, n_missing, n_rows, first


class LengthMismatchError(InputError):
    """Arrays that belong together row by row have different lengths."""

    def __init__(self, *, where: str, lengths: dict[str, int]) -> None:
        super().__init__(
            where=where,
            found=", ".join(f"{name} has {length}" for name, length in lengths.items()),
            needed="the same length everywhere",
            cure="Pass one value per row in each.",
        )
        self.lengths = lengths


class UnknownNameError(InputError, KeyError):
    """A name was asked for that the result does not hold."""

    def __init__(self, *, where: str, name: object, names: Iterable[object]) -> None:
        known = [str(one_name) for one_name in names]
        holding = [
            known_name for known_name in known if name and str(name).lower() in known_name.lower()
        ]
        near = get_close_matches(str(name), known, n=1) or holding
        cure = "Choose one of these names." if known else "Make it first, or leave it out."
        cure = f"Did you mean {near[0]!r}?" if near else cure
        super().__init__(
            where=where,
            found=f"no {name!r}" if known else f"no {name!r}, nor any other",
            needed=f"one of {_listed(known)}" if known else "a name that exists",
            cure=cure,
        )
        self.name, self.names = name, known

    def __str__(self) -> str:
        # KeyError would show the message in quotes.
        return str(self.args[0])


class FileFormatError(InputError):
    """A file cannot be read as the kind of file it should be."""

    def name_rows(self, name: Callable[[int], str]) -> None:
        """Leave the rows: whoever reads a format counts them as the file does."""


class FieldCountError(FileFormatError):
    """A row of a CSV file has more or fewer fields than there are column names."""

    def __init__(self, *, where: str, n_fields: int, n_columns: int, separator: str) -> None:
        name = {",": "comma", ";": "semicolon", "\t": "tab"}[separator]
        too_many = f"Check for a {name} too many: "
        if separator == ",":
            too_many += "a decimal comma, or a text with a comma that is not in quotation marks."
        else:
            too_many += f"a text with a {name} that is not in quotation marks."
        super().__init__(
            where=where,
            found=f"found {n_fields} field{'s' if n_fields != 1 else ''}",
            needed=str(n_columns),
            cure=f"Check for a missing {name}." if n_fields < n_columns else too_many,
        )
        self.n_fields, self.n_columns = n_fields, n_columns

    def sentence(self, cure: str) -> str:
        """Return the message with another cure."""
        return f"{self.where}: {self.found}, expected {self.needed}. {cure}"


class ManyProblemsError(InputError):
    """Several things are wrong with one record or file; `problems` holds them all."""

    def __init__(self, first: InputError, problems: Sequence[object]) -> None:
        more = len(problems) - 1
        cure = first.cure + (f" (and {more} more)" if more else "")
        super().__init__(where=first.where, found=first.found, needed=first.needed, cure=cure)
        self.problems = tuple(problems)


class FileWriteError(HowgoodError, OSError):
    """A file could not be written; what stood there before is unchanged."""

    def __init__(self, *, path: str, error: OSError, is_old_kept: bool, cure: str) -> None:
        why = error.strerror or type(error).__name__
        kept = "; the file that was there is unchanged" if is_old_kept else ""
        super().__init__(f"{path}: not written ({why}){kept}. {cure}")
        self.errno, self.strerror, self.filename = error.errno, error.strerror, path

    def __str__(self) -> str:
        # OSError would show the number of the error instead.
        return str(self.args[0])


class MissingExtraError(HowgoodError, ImportError):
    """An optional package is needed for this call."""

    def __init__(self, *, task: str, extra: str) -> None:
        names = [f'"{name}"' for name in extra.split(",")]
        needed = f"the {names[0]} extra" if len(names) == 1 else f"the extras {' and '.join(names)}"
        super().__init__(f'{task} needs {needed}; run: pip install "howgood[{extra}]"')
        self.task, self.extra = task, extra


class UngatedPosteriorError(HowgoodError):
    """Sampling did not pass its quality gates, so there is no posterior to report."""


class HowgoodWarning(UserWarning):
    """Base of everything howgood warns about."""


class FewRespondentsWarning(HowgoodWarning):
    """The sample is small for what is being estimated."""


class NoEvidenceWarning(HowgoodWarning):
    """The answers say nothing, or nearly nothing, about a quantity."""


class DroppedRowsWarning(HowgoodWarning):
    """Rows were left out by a named policy."""


class BorrowedSpreadWarning(HowgoodWarning):
    """Pairs that were rated once borrow how far ratings vary from pairs rated more often."""


class RatedOnceWarning(HowgoodWarning):
    """Means that look like single ratings are taken as known, which understates flips."""


class SignificantOnlyWarning(HowgoodWarning):
    """A significant score is that of outer deviations only, which few ratings hold."""


class AlikeNamesWarning(HowgoodWarning):
    """Names differ only in case or spaces, and count as different."""


class RepeatedRowsWarning(HowgoodWarning):
    """Rows repeat an earlier one in everything, and count as further answers."""


class UnknownScaleWarning(HowgoodWarning):
    """How many points the rating scale has was not said, and the ratings do not tell."""


class OneAgainstRestWarning(HowgoodWarning):
    """More than two labels: one counts as positive, all others as negative."""


class ReversedScoresWarning(HowgoodWarning):
    """Scores are higher for cases that are not positive, where they should be lower."""


class FallbackWarning(HowgoodWarning):
    """Another method was used than the one first tried."""


def announce(message: str, category: type[HowgoodWarning]) -> None:
    """Warn at the line that called howgood, however deep inside howgood it is noticed."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and _is_ours(frame.f_back.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level + 1 if frame.f_back is not None else level)


def _is_ours(module: str) -> bool:
    return module == "howgood" or module.startswith("howgood.")


def _shortened(text: str, *, most: int) -> str:
    """Cut what a file says to what a person reads: a cell may hold megabytes."""
    return text if len(text) <= most else text[: most - 3] + "..."


def _nearest_column(name: str, present: list[str]) -> str | None:
    """Return the column whose name is most alike, whatever its case."""
    by_case = {present_name.lower(): present_name for present_name in reversed(present)}
    near = get_close_matches(name, present, n=1)
    alike = near or [
        by_case[match_] for match_ in get_close_matches(name.lower(), list(by_case), n=1)
    ]
    return alike[0] if alike else None


def _column_cure(near: dict[str, str], several: bool) -> str:
    if not near:
        return "Name the columns that hold them." if several else "Name the column that holds it."
    if not several:
        return f"Did you mean {next(iter(near.values()))!r}?"
    return (
        f"Did you mean {', '.join(f'{similar!r} for {name!r}' for name, similar in near.items())}?"
    )


def check_one_of(value: str, choices: Sequence[str], *, where: str) -> None:
    """Raise unless `value` is one of the choices."""
    if value not in choices:
        raise InputError(
            where=where,
            found=repr(value),
            needed=f"one of {', '.join(choices)}",
            cure="Choose one of these.",
        )


def place_of(name: str | None, names: Sequence[str], *, where: str) -> int:
    """Return the place of a name among those a result holds."""
    if name not in names:
        raise UnknownNameError(where=where, name=name, names=names)
    return names.index(name)


def _listed(names: list[str], *, most: int = 12) -> str:
    shown = ", ".join(repr(_shortened(name, most=60)) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
