"""Every tab of a study that is still a draft opens: none leads nowhere."""

import re
import tomllib

import pytest
from tests.web.conftest import hidden_fields
from tests.web.test_studies import form_fields

from howgood.errors import InputError
from howgood.flow.study_files.new import template
from howgood.records.study import RESERVED, Study


def test_no_tab_of_a_draft_leads_nowhere(owner):
    form = hidden_fields(owner.get("/studies/new"))
    form |= {"template": "survey", "slug": "alarm", "title": "Alarm"}
    page = owner.post("/studies/new", data=form)
    tabs = set(re.findall(r'href="(/studies/alarm[^"#]*)"', page.text))
    buttons = re.findall(r'name="go" value="([^"]+)"', page.text)
    for go in buttons:  # tabs of the editor save first, and then lead on
        sent = form_fields(owner.get("/studies/alarm/edit/texts")) | {"go": go}
        tabs.add(owner.post("/studies/alarm/edit/texts", data=sent).url.path)
    assert len(tabs) >= 9
    for tab in sorted(tabs):
        assert owner.get(tab).status_code == 200, tab


@pytest.mark.parametrize("slug", sorted(RESERVED))
def test_a_study_file_cannot_take_the_name_of_a_page(slug):
    study = tomllib.loads(template("survey")) | {"slug": slug}
    with pytest.raises(InputError, match="no page of the dashboard"):
        Study.from_dict(study)
