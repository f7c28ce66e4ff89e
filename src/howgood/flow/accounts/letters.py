"""What is written to researchers: invitations and links to a new password.

In: a link and what it is for. Out: a `Letter`. Absent: sending it (`flow.mail`).
"""

from howgood.flow.mail import Letter


def invitation_letter(*, to: str, link: str, sender: str, study: str = "") -> Letter:
    """Return a letter that invites somebody, to one study or to the server.

    Examples
    --------
    >>> invitation_letter(to="ada@example.org", link="https://s.org/x", sender="bo").subject
    'Invitation to howgood'
    """
    where = f"the study {study}" if study else "a server on which studies are made"
    subject = f"Invitation to the study {study}" if study else "Invitation to howgood"
    text = (
        f"Hello,\n\n{sender} invites you to {where}. Make your account here:\n\n{link}\n\n"
        "The link works once, for seven days. If you expected no invitation, do nothing.\n"
    )
    return Letter(to=to, subject=subject, text=text)


def renewal_letter(*, to: str, link: str) -> Letter:
    """Return a letter with a link to a new password."""
    text = (
        f"Hello,\n\nchoose a new password for your account here:\n\n{link}\n\n"
        "The link works once, for a day. Until then your password stays as it is. If you asked for "
        "nothing, do nothing.\n"
    )
    return Letter(to=to, subject="A new password for howgood", text=text)
