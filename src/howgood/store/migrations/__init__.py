"""Every layout the database ever had, as steps that are never rewritten."""
