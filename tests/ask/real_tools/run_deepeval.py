"""Run DeepEval with a metric of our own on six cases; the run is written into the folder given."""

import os
import sys

os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_RESULTS_FOLDER": sys.argv[1]}

from deepeval import evaluate
from deepeval.evaluate.configs import AsyncConfig, DisplayConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase


class Exact(BaseMetric):
    """Is the answer the expected one?"""

    def __init__(self):
        self.threshold, self.async_mode = 0.5, False

    def measure(self, test_case, *_args, **_options):
        self.score = float(test_case.actual_output == test_case.expected_output)
        self.success, self.reason = self.score >= self.threshold, "compared"
        return self.score

    async def a_measure(self, test_case, *_args, **_options):
        return self.measure(test_case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "Exact"


evaluate(
    test_cases=[
        LLMTestCase(input=f"q{number}", actual_output=str(number % 3), expected_output="0")
        for number in range(6)
    ],
    metrics=[Exact()],
    async_config=AsyncConfig(run_async=False),
    display_config=DisplayConfig(show_indicator=False, print_results=False),
)
