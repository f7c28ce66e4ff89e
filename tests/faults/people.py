"""People who go on answering whatever happens to the server, and remember what they were told.

In: a server's port. Out: what was sent, what was acknowledged, and everything that was not polite.
Absent: what is stored (`counting`).
"""

import asyncio
import random
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from benchmarks.load.people import Browser, GoneError, filled_form

from howgood.ask.sentences import sentences

PACE = 0.03  # seconds between answers: just below what the server takes for a script
PAUSE = 0.1  # before someone tries again whom the server could not serve
HUNG = 45.0  # seconds for one page: who waits longer has been forgotten
PATIENT = 240.0  # seconds for a busy machine to serve anybody at all
SLUG = "again"
# Twelve hundred pages: at this pace nobody comes to the end while things break.
STUDY = {
    "kind": "rerating", "slug": SLUG, "title": "Again", "consent": {"text": "I agree."},
    "rerating": {"question": "How good?", "scale": list("1234567"), "rounds": 20,
                 "items": [{"key": f"k{number}", "text": "This one"} for number in range(60)]},
}  # fmt: skip
_SCREEN = re.compile(r'name="screen" value="([^"]+)"')
_POLITE = tuple(sentences("en")[f"page_{name}_text"] for name in ("busy", "away"))


class Person:
    """Answers page after page; after trouble looks where the server thinks they are.

    Whoever comes to the end begins anew as somebody else, over a new connection.
    """

    def __init__(self, port, seed, *, pace=PACE, pause=PAUSE, slug=SLUG):
        self.port, self.pace, self.pause, self.slug = port, pace, pause, slug
        self.chance = random.Random(seed)  # noqa: S311 - chance for a test, not for secrets
        self.browser = Browser(port)
        self.path = self.door = None
        # By path and screen; at the door the path is not known yet.
        self.sent, self.acknowledged = {}, {}
        self.n_polite, self.n_gone, self.wrong = 0, 0, []

    async def answer_until(self, is_over):
        """Begin if need be, then answer until it is over."""
        try:
            while not is_over():
                await self._step()
        finally:
            await self.browser.close()

    async def _step(self):
        try:
            went_well = await asyncio.wait_for(self._begin() if not self.path else self._go_on(),
                                               HUNG)  # fmt: skip
        except GoneError:
            self.n_gone += 1
            went_well = False
        except TimeoutError:
            self.wrong.append("hung")
            went_well = False
            await self.browser.close()
        # People do not come back in step with each other.
        wait = self.pace if went_well else self.pause
        await asyncio.sleep(wait * self.chance.uniform(0.9, 1.5))

    async def _begin(self):
        """Consent at the door; a form that got no answer is sent again as it was."""
        if self.door is None:
            page = await self.browser.get(f"/s/{self.slug}")
            if not self._is_served(page, 200):
                return False
            self.door = filled_form(page.text, self.chance)
        self.sent[None, "consent"] = "consent"
        sent = await self.browser.post(f"/s/{self.slug}", self.door)
        if not self._is_served(sent, 303):
            return False
        self.path, self.door = _own_link(sent.headers["location"]), None
        self.acknowledged[self.path, "consent"] = self.sent.pop((None, "consent"))
        return True

    async def _go_on(self):
        address, page = await self.browser.follow(self.path)
        if not self._is_served(page, 200):
            return False
        screen = _SCREEN.search(page.text)[1]
        if screen == "finished":
            self.path = None
            await self.browser.close()
            self.browser = Browser(self.port)
            return True
        form, step = filled_form(page.text, self.chance), (self.path, screen)
        if step in self.acknowledged:
            self.wrong.append(f"asked twice: {screen}")
        self.sent[step] = _said(form, screen)
        sent = await self.browser.post(address, form)
        if not self._is_served(sent, 303):
            return False
        self.acknowledged[step] = self.sent.pop(step)
        return True

    def _is_served(self, response, status):
        if response.status == status:
            return True
        is_polite = response.status == 503 and "retry-after" in response.headers
        if is_polite and any(each in response.text for each in _POLITE):
            self.n_polite += 1
        else:
            self.wrong.append(response.status)
        return False


def _said(form, screen):
    """Return what a form says about its screen: a rating as it is, anything else by name."""
    own = {name.removeprefix(f"{screen}."): value for name, value in form.items()
           if name.startswith(f"{screen}.") and value}  # fmt: skip
    return own["rating"] if own.keys() == {"rating"} else own


def _own_link(address):
    """Return a person's own link from the address of one of its steps."""
    return "/".join(address.split("/")[:3])


def crowd(server, size, **how):
    """Return this many people at a server's door."""
    return [Person(server.port, seed, **how) for seed in range(size)]


def meanwhile(people, happening):
    """Let people answer while something happens to the server; return what it returns.

    People have a thread of their own: Playwright keeps a loop running in the main one.
    """
    is_over = threading.Event()

    async def all_answer():
        await asyncio.gather(*(each.answer_until(is_over.is_set) for each in people))

    with ThreadPoolExecutor(1) as pool:
        answering = pool.submit(asyncio.run, all_answer())
        try:
            found = happening()
        finally:
            is_over.set()
        answering.result()
    return found


def until_answered(people, more):
    """Wait until this many more answers are acknowledged, however busy the machine is."""
    _wait_until_more(people, acknowledged, more)


def until_refused(people):
    """Wait a while and until somebody was politely told that nothing can be stored now."""
    time.sleep(1.0)
    _wait_until_more(people, lambda each: sum(person.n_polite for person in each), 1)


def acknowledged(people):
    """Return how many answers people have been told are stored."""
    return sum(len(each.acknowledged) for each in people)


def _wait_until_more(people, counted, more):
    wanted = counted(people) + more
    end = time.monotonic() + PATIENT
    while counted(people) < wanted:
        assert time.monotonic() < end, "nobody gets a reply any more"
        time.sleep(0.05)
