"""What the exit code of a command says.

A verdict that failed is the only 1, and what was done to the end the only 0: a pipeline must take
neither wrong input or output (2), nor a fault of ours (70, as in sysexits.h), nor a reader of the
output that has gone (141, as a shell says of SIGPIPE) for a verdict.
"""

DONE, VERDICT_FAILED, WRONG_INPUT = 0, 1, 2
# No verdict: `ship` found too little evidence, which like wrong input is neither pass nor fail.
UNDECIDED = 2
FAULT, INTERRUPTED, READER_GONE = 70, 130, 141
