"""The REST API: one table of operations that routes, checks and documents itself."""
