"""Servers in their own processes, and many people who use them at once."""
