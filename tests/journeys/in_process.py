"""The application on a port of its own in this process, with an owner signed in."""

import socket
import threading
import time
from datetime import UTC, datetime

import uvicorn
from tests.journeys.steps import PASSWORD

from howgood.flow import accounts
from howgood.settings import Settings
from howgood.web.access import SESSION
from howgood.web.app import make_app


class Running:
    """Serves a host until it is stopped; no worker takes its jobs."""

    def __init__(self, host, settings=None):
        self.host = host
        now = datetime.now(UTC)
        token = accounts.setup_link(host, now=now)
        joined = accounts.join(host, token, name="ada", password=PASSWORD, now=now)
        self.ada, self.session = joined.signed_in.researcher, joined.signed_in.token
        self.app = make_app(host, settings or Settings())
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.home = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.server = uvicorn.Server(uvicorn.Config(self.app, log_level="error"))
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],))
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def stop(self):
        self.server.should_exit = True
        self.thread.join(timeout=20)
        self.socket.close()

    def invited_viewer(self):
        """The session of a viewer called grace."""
        now = datetime.now(UTC)
        token = accounts.invite(self.host, self.ada, role="viewer", now=now)
        joined = accounts.join(self.host, token, name="grace", password=PASSWORD, now=now)
        return joined.signed_in.token

    def page(self, chromium, view, scheme="light", *, session=None):
        context = chromium.new_context(viewport=view, color_scheme=scheme, accept_downloads=True)
        cookie = {"name": SESSION, "value": session or self.session, "url": self.home}
        context.add_cookies([cookie])
        return context.new_page()
