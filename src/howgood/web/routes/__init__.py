"""Every address of the server, by who uses it."""
