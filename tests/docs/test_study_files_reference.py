"""The reference page of study files lists exactly the keys there are."""

import re
from pathlib import Path

from howgood.flow.study_files.keys import study_keys

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "study-files.md"


def test_every_key_is_documented_as_it_is_and_no_other():
    rows = re.findall(r"^\| `(.+?)` \| (.*?) \| (.*?) \| (.*?) \|$", PAGE.read_text("utf-8"), re.M)
    keys = [(key.name, key.type, key.default, key.note) for key in study_keys()]
    assert rows == keys, "renew the page: python docs/_ext/renew_study_keys.py"
