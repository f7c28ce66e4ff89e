"""Pictures: one module per subject, one theme for all (needs the "plots" extra)."""
