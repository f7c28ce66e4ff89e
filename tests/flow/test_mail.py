"""Letters reach a real mail server as they were written, or it is said why not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.smtp import mail_server

from howgood.errors import InputError
from howgood.flow.mail import Letter, MailError, ask_mail_server, mail_address, send_mail
from howgood.settings import Settings, read_settings

SENDER = "studies@example.org"
LETTER = Letter(to="ada@example.org", subject="Grüße", text="Ein Brief.\n\nhttps://s.org/x\n")


def _settings(port, user=""):
    return Settings(mail=f"smtp://{user}127.0.0.1:{port}", mail_from=SENDER)


def test_a_letter_arrives_as_it_was_written():
    with mail_server() as (port, letters):
        send_mail(_settings(port), LETTER)
    (came,) = letters
    assert (came["to"], came["from"], came["subject"]) == (LETTER.to, SENDER, LETTER.subject)
    assert came.get_content().splitlines() == LETTER.text.splitlines()
    assert came["auto-submitted"] == "auto-generated"


def test_user_and_password_are_used_and_never_repeated():
    with mail_server(user="me@org", password="pa/ss") as (port, letters):  # noqa: S106 - of a test
        send_mail(_settings(port, "me%40org:pa%2Fss@"), LETTER)
        with pytest.raises(MailError) as refused:
            send_mail(_settings(port, "me%40org:wrong-secret@"), LETTER)
        assert ask_mail_server(_settings(port, "me%40org:pa%2Fss@")) == f"127.0.0.1:{port}"
    assert len(letters) == 1
    assert "wrong-secret" not in str(refused.value)
    assert "password" in str(refused.value)


def test_what_goes_wrong_is_said_without_the_password():
    refused = pytest.raises(MailError, match="takes nothing for this address")
    with mail_server() as (port, letters), refused:
        send_mail(_settings(port), Letter(to="nobody@example.org", subject="x", text="x"))
    assert letters == []
    for address in (f"smtp://u:geheim@127.0.0.1:{port}", "smtp://u:geheim@[", "x://y",
                    f"smtps://u:geheim@127.0.0.1:{port}"):  # fmt: skip
        settings = Settings(mail=address, mail_from=SENDER)
        with pytest.raises(MailError) as said:
            send_mail(settings, LETTER)
        assert "geheim" not in str(said.value)
        assert "geheim" not in repr(settings)
    with pytest.raises(MailError, match="no mail server"):
        send_mail(Settings(), LETTER)


def test_a_server_elsewhere_must_encrypt(monkeypatch):
    """A server that offers no STARTTLS gets neither the password nor the letter."""
    monkeypatch.setattr("howgood.flow.mail._LOOPBACK", ())
    refused = pytest.raises(MailError, match="did not take the letter")
    with mail_server() as (port, letters), refused:
        send_mail(_settings(port), LETTER)
    assert letters == []


@pytest.mark.parametrize("wrong", ["", "ada", "ada@", "@example.org", "ada@example", "a b@c.org",
                                   "ada@example.org\nBcc: all@c.org", "ada@example.org,b@c.org",
                                   "ä@example.org", "a" * 250 + "@c.org"])  # fmt: skip
def test_what_is_no_address_is_refused(wrong):
    with pytest.raises(InputError):
        mail_address(wrong)


@given(st.text(max_size=80))
def test_an_address_is_taken_as_it_is_or_refused(text):
    try:
        address = mail_address(text)
    except InputError:
        return
    assert address == text.strip()
    assert not set(address) & set("\r\n ,;<>")


@given(st.text(max_size=300))
def test_no_subject_writes_a_second_line_into_the_head(text):
    from howgood.flow.mail import _message

    settings = Settings(mail="smtp://127.0.0.1", mail_from=SENDER)
    message = _message(settings, Letter(to=LETTER.to, subject=text, text="x"))
    assert "\n" not in str(message["subject"])
    assert set(message.keys()) == {"From", "To", "Subject", "Message-ID", "Auto-Submitted",
                                   "Content-Type", "Content-Transfer-Encoding",
                                   "MIME-Version"}  # fmt: skip


def test_the_address_of_the_server_may_stand_in_a_file(tmp_path):
    secret = tmp_path / "mail"
    secret.write_text("smtps://u:p@mail.example.org:465\n", encoding="utf-8")
    given = {"HOWGOOD_MAIL_FILE": str(secret), "HOWGOOD_MAIL_FROM": SENDER}
    assert read_settings(given).mail == "smtps://u:p@mail.example.org:465"
    with pytest.raises(InputError, match="both"):
        read_settings(given | {"HOWGOOD_MAIL": "smtp://x"})
