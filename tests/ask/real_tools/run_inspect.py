"""Run Inspect's mock model on six questions, twice each; print every log with its own accuracy."""

import json
import sys

import inspect_ai
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match

folder, right = sys.argv[1], int(sys.argv[2])
dataset = [Sample(id=f"q{number}", input="say", target="0") for number in range(6)]
task = inspect_ai.Task(dataset=dataset, scorer=match())
for kind in ("eval", "json"):
    # The first `right` of every six answers are right.
    answers = ["0" if number % 6 < right else "1" for number in range(12)]
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    (log,) = inspect_ai.eval(
        task,
        model=get_model("mockllm/model", custom_outputs=outputs),
        epochs=2,
        log_dir=folder,
        log_format=kind,
        display="none",
    )
    assert log.status == "success", log.error
    accuracy = log.results.scores[0].metrics["accuracy"].value
    print(json.dumps({"path": log.location.removeprefix("file://"), "accuracy": accuracy}))
