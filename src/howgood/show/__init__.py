"""Records in; text, tables, pictures and pages out. The only place that rounds."""
