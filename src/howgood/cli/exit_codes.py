"""What the exit code of a command says."""

DONE, VERDICT_FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130
