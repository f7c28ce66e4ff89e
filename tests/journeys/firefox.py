"""A small client of Firefox's own remote control (Marionette), which every Firefox brings.

Playwright drives only a Firefox of its own making. Here: one tab, real history, real clicks.
"""

import json
import shutil
import socket
import subprocess
import time

from benchmarks.load.servers import free_port

_NAMES = ("firefox-esr", "firefox")
_START_SECONDS = 60.0


def find_firefox():
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


class Firefox:
    """One window of a Firefox with a profile of its own; nothing is asked of other hosts."""

    def __init__(self, program, folder):
        port = free_port()
        settings = {
            "marionette.port": port,
            "browser.sessionhistory.max_total_viewers": 8,  # keeps whole pages (bfcache)
            "app.update.enabled": False,
            "browser.shell.checkDefaultBrowser": False,
            "datareporting.policy.dataSubmissionEnabled": False,
        }
        folder.mkdir(exist_ok=True)
        (folder / "user.js").write_text(
            "".join(
                f'user_pref("{key}", {json.dumps(value)});\n' for key, value in settings.items()
            )
        )
        self._process = subprocess.Popen(
            [program, "--headless", "--marionette", "--no-remote", "--profile", str(folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._line = self._connected(port)
        self._number = 0
        self._receive()  # it says who it is
        self._do("WebDriver:NewSession", {"capabilities": {}})

    def _connected(self, port):
        until = time.monotonic() + _START_SECONDS
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=60)
            except OSError:
                if time.monotonic() > until or self._process.poll() is not None:
                    raise
                time.sleep(0.2)

    def _receive(self):
        head = b""
        while not head.endswith(b":"):
            head += self._line.recv(1)
        size, body = int(head[:-1]), b""
        while len(body) < size:
            body += self._line.recv(size - len(body))
        return json.loads(body)

    def _do(self, command, values=None):
        self._number += 1
        message = json.dumps([0, self._number, command, values or {}]).encode()
        self._line.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self._receive()
        if error is not None:
            raise RuntimeError(f"{command}: {error['message']}")
        return result

    def open(self, address):
        self._do("WebDriver:Navigate", {"url": address})

    def back(self):
        self._do("WebDriver:Back")

    def forward(self):
        self._do("WebDriver:Forward")

    def reload(self):
        self._do("WebDriver:Refresh")

    @property
    def address(self):
        return self._do("WebDriver:GetCurrentURL")["value"]

    def evaluate(self, expression):
        """Return what an expression is in the page."""
        script = {"script": f"return {expression}", "args": []}
        return self._do("WebDriver:ExecuteScript", script)["value"]

    def click(self, selector, *, number=0):
        """Click what a selector finds, as a mouse does; a page that follows is waited for."""
        query = {"using": "css selector", "value": selector}
        found = self._do("WebDriver:FindElements", query)
        (element,) = found[number].values()
        self._do("WebDriver:ElementClick", {"id": element})

    def close(self):
        """End the browser."""
        self._line.close()
        self._process.terminate()
        self._process.wait(30)
