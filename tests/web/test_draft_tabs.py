"""Every tab of a study that is still a draft opens: none leads nowhere."""

import re

from tests.web.conftest import hidden_fields


def test_no_tab_of_a_draft_leads_nowhere(owner):
    form = hidden_fields(owner.get("/studies/new"))
    form |= {"template": "survey", "slug": "alarm", "title": "Alarm"}
    page = owner.post("/studies/new", data=form)
    tabs = set(re.findall(r'href="(/studies/alarm[^"#]*)"', page.text))
    assert len(tabs) >= 7
    for tab in sorted(tabs):
        assert owner.get(tab).status_code == 200, tab
