"""A whole study with synthetic people, in files (`walkthrough`) and in the browser (`web`)."""
