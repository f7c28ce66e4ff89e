"""A mail server on this machine that keeps what it is given."""

import socket
from contextlib import contextmanager
from email import message_from_bytes, policy

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


class Letters:
    """What came in, as messages."""

    def __init__(self):
        self.messages, self.is_open = [], True

    async def handle_MAIL(self, server, session, envelope, address, options):  # noqa: N802 - same
        if not (self.is_open or session.authenticated):
            return "530 sign in first"
        envelope.mail_from = address
        return "250 fine"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - aiosmtpd's name
        self.messages.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 taken"

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802 - same
        if address.startswith("nobody@"):
            return "550 no such person"
        envelope.rcpt_tos.append(address)
        return "250 fine"


@contextmanager
def mail_server(*, user="", password=""):
    """Yield its port and the letters it got; with a user, nobody else sends."""
    letters = Letters()

    def check(server, session, envelope, mechanism, given):
        is_known = (given.login, given.password) == (user.encode(), password.encode())
        return AuthResult(success=is_known, handled=is_known)

    letters.is_open = not user
    asks = {"auth_require_tls": False, "authenticator": check}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(letters, hostname="127.0.0.1", port=port, **(asks if user else {}))
    controller.start()
    try:
        yield port, letters.messages
    finally:
        controller.stop()
