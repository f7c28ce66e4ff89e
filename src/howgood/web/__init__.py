"""A request in, one flow call, a page out."""
