"""What every page must look like: no violation, nothing cut off, on a telephone and on a desk.

A test walks in one look; pages are looked at in both. Each kind of page is examined once.
"""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe, AxeResults

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
LOOKS = ((DESKTOP, "light"), (PHONE, "dark"))
_EXAMINE = """axe.run({resultTypes: ["violations"]}).then(({violations}) => ({violations}))"""
_SCHEME = "matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'"
_examined: set[str] = set()
# Each size once, with scripts and without; the other two pairs are left to `make slow`.
WAYS = pytest.mark.parametrize(
    ("view", "scripts"),
    [
        pytest.param(PHONE, True, id="phone-scripts"),
        pytest.param(DESKTOP, False, id="desktop-no-scripts"),
        pytest.param(PHONE, False, id="phone-no-scripts", marks=pytest.mark.slow),
        pytest.param(DESKTOP, True, id="desktop-scripts", marks=pytest.mark.slow),
    ],
)


def shape(page):
    """What kind of page it is: all of it but words, values and the strokes of drawings."""
    frames = re.sub(r"(<svg[^>]*>).*?</svg>", r"\1", page.content(), flags=re.DOTALL)
    return re.sub(r"\d+|value=\"[^\"]*\"|name=\"[^\"]*\"|>[^<]+<", "", frames)


def check_page(page):
    """Nothing is cut off; a kind of page that is new has no violation in either look."""
    _check_width(page)
    if (kind := shape(page)) not in _examined:
        check_looks(page)
        _examined.add(kind)


def check_looks(page):
    """Examine a page in both looks, and in its own size if that is another; leave it in its own."""
    own, scheme = page.viewport_size, page.evaluate(_SCHEME)
    page.evaluate(Axe().axe_script)
    looks = LOOKS if own in (PHONE, DESKTOP) else ((own, scheme), *LOOKS)
    for size, colours in looks:
        _take(page, size, colours)
        _check_width(page)
        found = AxeResults(page.evaluate(_EXAMINE))
        assert found.violations_count == 0, (page.url, size, colours, found.generate_report())
    _take(page, own, scheme)


def _take(page, size, colours):
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=colours)


def _check_width(page):
    fits = page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert fits, f"{page.url} is wider than {page.viewport_size}"
