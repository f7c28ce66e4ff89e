"""The papers' experiments, one module per paper, each with a `reproduce` function."""
