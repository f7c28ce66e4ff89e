"""Metric elicitation: from choices between confusion matrices to a metric."""
