"""Arguments in, one flow call, text out."""
