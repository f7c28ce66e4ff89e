"""Every tab of a study that is still a draft opens: none leads nowhere."""

import re
import tomllib

import pytest
from tests.web.conftest import PASSWORD, hidden_fields, sign_in
from tests.web.test_studies import form_fields, make

from howgood.errors import InputError
from howgood.flow.study_files.new import template
from howgood.kinds.study import RESERVED, Study


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


def test_what_was_typed_before_signing_in_again_is_shown_and_saved_by_hand(owner, host):
    """Before: "reload the page", which threw away what was typed."""
    make(owner, "rerating", "songs")
    address = "/studies/songs/edit/texts"
    typed = form_fields(owner.get(address)) | {"introduction": "Typed with care."}
    sign_in(owner)  # in another tab
    shown = owner.post(address, data=typed)
    assert shown.status_code == 409
    assert "Not saved yet" in shown.text
    assert "Typed with care." in shown.text
    assert "Typed with care." not in owner.get(address).text
    again = form_fields(shown)
    assert again["csrf"] != typed["csrf"]
    assert again["edition"] == typed["edition"]
    assert owner.post(address, data=again).url.query.startswith(b"saved=")
    assert "Typed with care." in owner.get(address).text


def test_what_was_typed_before_signing_in_again_replaces_nothing_newer(owner):
    make(owner, "rerating", "songs")
    address = "/studies/songs/edit/texts"
    typed = form_fields(owner.get(address)) | {"introduction": "Typed with care."}
    sign_in(owner)
    owner.post(address, data=form_fields(owner.get(address)) | {"introduction": "Newer."})
    shown = owner.post(address, data=typed)
    refused = owner.post(address, data=form_fields(shown))
    assert refused.status_code == 409
    assert "somebody else saved this draft meanwhile" in refused.text
    assert "Newer." in owner.get(address).text


@pytest.mark.parametrize("slug", sorted(RESERVED))
def test_a_study_file_cannot_take_the_name_of_a_page(slug):
    study = tomllib.loads(template("survey")) | {"slug": slug}
    with pytest.raises(InputError, match="no page of the dashboard"):
        Study.from_dict(study)


def _signed_out_while_typing(owner):
    """A form that was typed into, in a browser that signed out in another tab."""
    make(owner, "rerating", "songs")
    typed = form_fields(owner.get(EDIT)) | {"introduction": "Typed with care."}
    owner.post("/logout", data=hidden_fields(owner.get("/account")))
    owner.cookies.clear()  # of no host, so that the answer does not reach them
    return typed


EDIT = "/studies/songs/edit/texts"


def test_what_was_typed_before_signing_out_in_another_tab_is_kept_through_signing_in(owner):
    """Before: the sign-in page, and what was typed was lost."""
    typed = _signed_out_while_typing(owner)
    page = owner.post(EDIT, data=typed, headers={"Origin": "http://testserver"})
    assert page.status_code == 401
    carried = dict(CARRIED.findall(page.text))
    assert carried["unsaved.introduction"] == "Typed with care."
    sent = hidden_fields(page) | carried | {"name": "ada", "password": PASSWORD}
    shown = owner.post("/login", data=sent)
    assert shown.status_code == 409
    assert "Not saved yet" in shown.text
    assert "Typed with care." in shown.text
    assert "Typed with care." not in owner.get(EDIT).text
    assert owner.post(EDIT, data=form_fields(shown)).url.query.startswith(b"saved=")
    assert "Typed with care." in owner.get(EDIT).text


@pytest.mark.parametrize("origin", ["https://other.example", "null", ""])
def test_what_another_site_sends_is_not_carried_through_signing_in(owner, origin):
    typed = _signed_out_while_typing(owner)
    page = owner.post(EDIT, data=typed, headers={"Origin": origin} if origin else {})
    assert page.url.path == "/login"
    assert "Typed with care." not in page.text


CARRIED = re.compile(r'<textarea name="(unsaved[^"]+)" hidden>\n([^<]*)</textarea>')
