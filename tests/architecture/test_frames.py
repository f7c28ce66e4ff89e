"""Every result that holds a table becomes a data frame in one call."""

import importlib
import inspect
import pkgutil
import typing

import numpy as np
import pandas as pd
import polars as pl
import pytest

import howgood
from howgood import decide, learn
from howgood.records.table import Table, Tabular

STAGES = ("howgood.records", "howgood.learn", "howgood.score", "howgood.decide")


def _returned(member):
    function = member.fget if isinstance(member, property) else member
    return typing.get_type_hints(function).get("return") if inspect.isfunction(function) else None


def _holds_a_table(kind):
    fields = typing.get_type_hints(kind).values()
    public = (member for name, member in vars(kind).items() if not name.startswith("_"))
    return Table in fields or any(_returned(member) is Table for member in public)


def _results():
    for module in pkgutil.walk_packages(howgood.__path__, "howgood."):
        if module.name.startswith(STAGES):
            found = importlib.import_module(module.name)
            for name, kind in inspect.getmembers(found, inspect.isclass):
                if kind.__module__ == module.name and not name.startswith("_"):
                    yield kind


TABULAR = [kind for kind in _results() if kind is not Table and _holds_a_table(kind)]


def test_the_search_finds_the_results_people_use_most():
    assert {"Ranking", "AcceptabilityFit", "RelevanceReport"} <= {each.__name__ for each in TABULAR}


@pytest.mark.parametrize("kind", TABULAR, ids=lambda kind: kind.__name__)
def test_a_result_with_a_table_becomes_a_frame(kind):
    assert issubclass(kind, Tabular)
    assert hasattr(kind, kind.frame_of)


def test_a_frame_holds_the_table_in_the_library_asked_for():
    rng = np.random.default_rng(1)
    mean, sd = rng.normal(3, 1, 50), rng.uniform(0.2, 0.8, 50)
    systems = {"a": mean + rng.normal(0, 0.3, 50), "b": mean + rng.normal(0, 0.9, 50)}
    ranking = decide.rank(systems, mean=mean, sd=sd)
    assert isinstance(ranking.to_frame("pandas"), pd.DataFrame)
    frame = ranking.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["system"].to_list() == list(ranking.table()["system"])


def test_a_field_and_a_method_both_serve():
    rng = np.random.default_rng(2)
    scores = rng.uniform(size=400)
    report = learn.calibration_report(rng.uniform(size=400) < scores, scores)
    assert list(report.to_frame("pandas").columns) == report.table.columns
