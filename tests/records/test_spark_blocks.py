"""What parts of a Spark frame send home: whole values, and nothing that could run."""

import json

import numpy as np
import pytest

from howgood.records.spark_blocks import _packed, _unpacked


def test_plain_values_come_back_as_they_were():
    sent = {
        ("levels", ("item", "rater")): np.arange(6.0).reshape(2, 3),
        "codes": np.array([3, -1], dtype=np.int64),
        7: [None, True, 1.5, "ä", (2, "b")],
        "none": np.zeros((0, 4)),
        "odd": np.array([np.nan, np.inf, -0.0]),
        "number": np.float64(0.1),
    }
    back = _unpacked(json.loads(json.dumps(_packed(sent))))
    assert list(back) == list(sent)
    for name, value in sent.items():
        if isinstance(value, np.ndarray):
            assert back[name].dtype == value.dtype
            np.testing.assert_array_equal(back[name], value)
        else:
            assert back[name] == value
            assert type(back[name]) in (type(value), float)


def test_other_arrays_do_not_travel():
    with pytest.raises(TypeError, match="do not travel"):
        _packed(np.array([object()]))
