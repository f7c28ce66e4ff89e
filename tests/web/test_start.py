"""A server begins to answer soon: what only fits and scores need is loaded after that."""

import subprocess
import sys

_LOADED = "import sys, howgood.web.app, howgood.web.server; print('scipy' in sys.modules)"


def test_a_server_starts_without_scipy():
    said = subprocess.check_output([sys.executable, "-c", _LOADED], text=True)
    assert said.strip() == "False"
