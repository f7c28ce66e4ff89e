"""Measurements against named peers, as ratios in one run."""
