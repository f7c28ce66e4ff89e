"""The papers' experiments, one package per paper, each with a `reproduce` function."""
