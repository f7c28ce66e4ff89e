"""A whole study end to end with synthetic people, in files (`story`) and in the browser (`web`)."""
