"""The list of licences knows how metadata spells them, and lets no other through."""

import pytest
from checks.licences import DECIDED, is_allowed, judged, locked


@pytest.mark.parametrize(
    "stated",
    [
        "MIT", "MIT License", "The MIT License", "BSD-3-Clause", "3-Clause BSD License",
        "BSD License", "new BSD", "Apache-2.0", "Apache Software License", "ISC",
        "Apache License, Version 2.0", "MPL-2.0", "Mozilla Public License 2.0 (MPL 2.0)",
        "PSF-2.0", "Python Software Foundation License", "MIT OR Apache-2.0", "MIT AND Python-2.0",
        "Apache-2.0 OR GPL-3.0-only", "Unlicense", "Public Domain",
    ],
)  # fmt: skip
def test_permissive_licences_are_known_however_spelled(stated: str) -> None:
    assert is_allowed(stated)


@pytest.mark.parametrize(
    "stated",
    ["", "GPL-3.0-only", "GNU General Public License v3 (GPLv3)", "LGPL-3.0", "AGPL-3.0",
     "MIT AND GPL-2.0-only", "Proprietary", "Other/Proprietary License", "BUSL-1.1", "UNKNOWN"],
)  # fmt: skip
def test_other_licences_are_not_let_through(stated: str) -> None:
    assert not is_allowed(stated)


def test_every_decision_is_about_a_package_we_lock() -> None:
    assert set(DECIDED) <= {name for name, _, _ in locked()}


def test_a_package_that_is_not_installed_needs_to_be_looked_at() -> None:
    assert not judged("no-such-package-anywhere", "1.0", "").is_fine
    assert judged("no-such-package-anywhere", "1.0", "python_version < '3'").is_fine
