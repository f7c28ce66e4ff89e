"""Take the pictures of an arena that its how-to page shows.

Run it from the project folder: python docs/_ext/photograph_arena.py. It serves a study of votes on
this machine, lets people vote who are not there, and photographs a pair and the live board.
"""

import json
import math
import socket
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
TARGET = ROOT / "docs" / "_static"
DESK = {"width": 1280, "height": 430}
STRENGTHS = {"large": 1.6, "medium": 0.55, "medium-b": 0.5, "small": -1.1}
# Question -> an answer in full, and in short.
PROMPTS = {
    "How long do I boil an egg?": (
        "Put it into boiling water. Six minutes leave the yolk soft, ten make it firm. Cool it in "
        "cold water, so that it does not go on cooking.",
        "Six minutes for a soft yolk, ten for a firm one.",
    ),
    "My train is cancelled. What now?": (
        "Take the next train: your ticket is valid on it. If you arrive more than an hour late, "
        "part of the fare is paid back; keep the ticket and ask the staff for a note.",
        "Take the next train with your ticket, and claim part of the fare.",
    ),
    "How do I descale a kettle?": (
        "Fill it with one part of vinegar and two of water, boil it, and leave it for half an "
        "hour. Pour it out and boil clear water twice.",
        "Boil vinegar and water in it, wait half an hour, rinse.",
    ),
    "Which plug do I need in Denmark?": (
        "Denmark uses type K at 230 volts. Plugs of types C and F fit the sockets too, but F is "
        "then not earthed.",
        "Type K; C and F fit too.",
    ),
    "How do I get red wine out of a carpet?": (
        "Blot it with a cloth, do not rub. Pour on a little cold water and blot again; then use "
        "salt or baking soda, leave it for an hour and vacuum.",
        "Blot with cold water, then salt, then vacuum.",
    ),
    "When do I prune an apple tree?": (
        "In late winter, while it is bare and before buds open, on a day without frost. Water "
        "shoots may also be cut in summer.",
        "In late winter, before the buds open.",
    ),
}


def main(target: Path) -> None:
    """Make the study, let people vote, take the pictures."""
    from checks.browser import find_browser
    from playwright.sync_api import sync_playwright

    from howgood.flow.hosting import add_study, open_host

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        study = _study(folder)
        host = open_host(f"sqlite:///{folder / 'arena.db'}")
        add_study(host, study, folder=folder, now=datetime.now(UTC))
        served = _Served(host)
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        try:
            _photograph(browser, served, study, target)
        finally:
            browser.close()
            served.stop()
            host.close()


class _Served:
    """The application on a free port of this machine, with an owner signed in."""

    def __init__(self, host) -> None:
        import uvicorn

        from howgood.flow import accounts
        from howgood.settings import Settings
        from howgood.web.access import SESSION
        from howgood.web.app import make_app

        now = datetime.now(UTC)
        token = accounts.setup_link(host, now=now)
        word = "correct horse battery"
        joined = accounts.join(host, token, name="ada", password=word, now=now)
        self.host, self.socket = host, socket.create_server(("127.0.0.1", 0))
        self.home = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.cookie = {"name": SESSION, "value": joined.signed_in.token, "url": self.home}
        config = uvicorn.Config(make_app(host, Settings()), log_level="error")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],))
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def page(self, browser, width: int, scheme: str):
        view = {"width": width, "height": 900}
        context = browser.new_context(viewport=view, color_scheme=scheme)
        context.add_cookies([self.cookie])
        return context.new_page()

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(timeout=20)
        self.socket.close()


def _study(folder: Path):
    from howgood.flow.study_files import new_study, read_study

    rows = [
        {"prompt": prompt, "model": model, "response": answer}
        for prompt, (full, short) in PROMPTS.items()
        for model, answer in zip(
            STRENGTHS, (full, short, f"In short: {short}", "Look it up, it depends."), strict=True
        )
    ]
    file = folder / "outputs.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    study = read_study(new_study("votes", file))
    return study.model_copy(update={"title": "Which answer is better?"})


def _photograph(browser, served, study, target: Path) -> None:
    page = browser.new_context(viewport=DESK, color_scheme="light").new_page()
    page.goto(f"{served.home}/s/{study.slug}")
    page.get_by_role("button", name="I agree: start").click()
    page.get_by_role("button", name="Continue").click()
    page.screenshot(path=target / "arena-vote.png")
    _vote(served, study)
    page = served.page(browser, DESK["width"], "light")
    page.goto(f"{served.home}/studies/{study.slug}")
    page.locator("section.board").screenshot(path=target / "arena-board.png")


def _vote(served, study) -> None:
    """Bring in 60 people's votes, by the strengths behind the outputs."""
    import numpy as np

    from howgood.flow.importing import import_files

    rng = np.random.default_rng(4)
    lines = ["participant,prompt,model_a,model_b,winner"]
    prompts = [prompt.key for prompt in study.plan.prompts]
    for person in range(60):
        for _ in range(12):
            one, other = rng.choice(list(STRENGTHS), 2, replace=False)
            wins = rng.random() < 1 / (1 + math.exp(STRENGTHS[other] - STRENGTHS[one]))
            said = "model_a" if wins else "model_b"
            prompt = prompts[rng.integers(len(prompts))]
            lines.append(f"p{person},{prompt},{one},{other},{said}")
    table = "\n".join(lines).encode()
    import_files(
        served.host, study.slug, [("votes.csv", table)], mapping={}, actor="ada",
        now=datetime.now(UTC),
    )  # fmt: skip


if __name__ == "__main__":
    main(TARGET)
