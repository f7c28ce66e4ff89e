"""Metrics of ranked lists, one module per family; `registry` reads their names."""
