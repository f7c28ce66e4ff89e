"""Colours of pictures: nothing stays white where the page is dark."""

import pytest

from howgood.show.figures.theme import shades


def test_shades_begin_with_the_page_itself():
    pytest.importorskip("matplotlib")
    least, most = shades()(0.0), shades()(1.0)
    assert least[3] == 0.0
    assert most[3] == 1.0
    assert least[:3] == most[:3]
