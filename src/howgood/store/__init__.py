"""Records to rows and back: one database, SQLite or PostgreSQL."""
