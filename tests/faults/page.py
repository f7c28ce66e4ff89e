"""The page of the ledger of faults, made from its rows alone.

In: rows. Out: the text of docs/explanation/faults.md, and the table a run prints. Absent: proofs.
"""

NAMES = ("fault", "database", "people", "acknowledged", "stored", "lost", "doubled", "polite 503",
         "other errors", "also measured", "s", "verdict")  # fmt: skip

_HEAD = """# What happens when things break

Servers are killed, disks fill up, clocks jump, databases restart. What should happen then is
simple: **an answer that was acknowledged is stored, once; whoever is there meanwhile reads,
politely, that what they sent is safe; and when the cause is gone, everything goes on without
anybody's help.** Each fault below is produced on purpose, on SQLite and on PostgreSQL, while
simulated people go on answering. `make slow` does it and **writes this table**; `make test` does
shorter versions and prints the same table. `docs/_data/faults.json` holds it for machines.

{table}

*acknowledged*: answers whose sender was led on to the next page. *stored*: answers in the
database afterwards; more than acknowledged where the fault came between the commit and the word
about it. *lost*: acknowledged and not stored as sent. *doubled*: stored twice, or never sent, or
out of step. *polite 503*: pages that said that everything sent before is safe. *other errors*:
anything else that somebody saw, such as an error page, a question asked twice, or a page that
did not come within 45 seconds. A connection that breaks because its server was killed is none:
nobody was promised anything, and the same form, sent again, counts once.

"""

_BODY = """## What you will see, and what to do

**The server dies** (power cut, out of memory, kill -9). Start it again, or let systemd or Docker
do so. Everybody goes on at the step where they were. Of several workers (`--workers`), a dead
one is replaced; workers whose parent has died finish what they have in hand and end, so that the
next server finds its port free.

**The worker that fits dies.** Its job is free again when its lease of 15 seconds has run out,
and the next worker (`howgood worker`, or the server itself on SQLite) begins it anew. Only the
holder of the current attempt can store a result, so there is never a second one. After three
attempts that broke off, the job is marked as failed and says so.

**PostgreSQL dies or restarts.** People see *We cannot save answers right now. Everything you
sent before is safe.* with status 503 and `Retry-After`; the page leads them back to their step.
The server tries anew with every request: nothing has to be restarted. A fit goes on computing
meanwhile.

**The disk is full, or no longer takes writes.** The same page. Pages that only read still work.
`/health` says `unwell: answers cannot be stored now` with status 503, so that a load balancer or
whatever watches the server knows: it writes a value that nobody reads, at most twice a
second, and remembers for half a minute an answer that was refused. When there is room
again, answers are stored again and `/health` says `well`; nothing has to be restarted.

**The server is asked to stop** (Ctrl+C, systemd, `docker stop`). Nobody new comes in. Requests in
work get eight seconds; who would have to wait longer gets the page above with status 503. A
process that a hanging database holds ends by itself six seconds later: what was acknowledged is
stored by then.

**The database cannot be written when the server starts.** `howgood serve` says so in one line
and ends with code 2, before anybody can come in.

**The clock jumps.** Order, steps and counts do not depend on it: screens are numbered, and how
fast somebody may answer is measured by a clock that only goes forward. The time spent on a page
is unknown (an empty cell) where the clock was put back meanwhile. A jump of a year ends the
sessions of researchers (they sign in again) and frees the places of people who have not finished
(they get them back with their next answer, unless the study has filled up meanwhile). Sessions,
invitations and leases that a wrong clock put into the future are not believed. One thing needs
patience: a pause between rounds that began under a clock that was ahead lasts until that clock's
end of it.

**Somebody is slow** (a telephone line, or somebody who means harm). The head of a request has 15
seconds and its body a pace of 1,000 bytes a second; who is slower is hung up on. Who reads
slowly holds a little memory and keeps nobody waiting; who reads nothing of what they asked for is
hung up on after one to two minutes.

**Too many come at once.** At most 400 requests are in work at a time (`HOWGOOD_BUSY_LIMIT`);
others are asked at once, politely, to try again in three seconds.

**A backup is copied over the file by hand, next to the log of a crashed server.** Every command
refuses the file before it is opened, and says so: SQLite would mix the two. `howgood restore`
puts the old file and its log aside; killed in the middle, it leaves the old database as it was.
A damaged file is refused at the start. See [back up and restore](../howto/back-up-and-restore.md).

**A second server is started on one SQLite file.** It is refused: each would know half of what
people answered. `howgood worker`, `export`, `import` and `backup` work while a server runs.

**An update of the database is interrupted.** The layout changes in one transaction. Killed in
the middle, the database is as it was before, and the next start does it again.

**Nothing breaks for a long time.** Sixteen people at a time come, answer 22 pages and go, for half
an hour. Memory may grow by what the server remembers of people who may come back, 500 bytes per
answer and below 100 MB in all (200,000 answers), and by 12 MB in which pools and buffers settle.
File handles may grow by 24, a pool of eight connections with three files each. The first fifth of
the time is for warming up; the second is compared with the last.

## What is not tried here

Disks that say they have stored what they have not, machines that lose a file system, and
networks between the server and a PostgreSQL on another machine that lose packets without ever
breaking a connection. Copies help against the first two: `howgood backup`, kept on another
machine. See also [why answers are never lost](answers-never-lost.md).
"""


def page(rows) -> str:
    """Return the Markdown of all rows."""
    lines = ["| " + " | ".join(NAMES) + " |", "|" + "---|" * len(NAMES)]
    lines += ["| " + " | ".join(row.cells()) + " |" for row in rows]
    return _HEAD.format(table="\n".join(lines)) + _BODY


def table(rows) -> list[str]:
    """Return the lines of a table for a terminal."""
    cells = [NAMES, *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            each.ljust(width) if number < 2 or number == 9 else each.rjust(width)
            for number, (each, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
