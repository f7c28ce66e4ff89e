"""The page and the picture of the ledger, made from its rows alone.

In: rows. Out: docs/explanation/calibration.md and docs/_static/calibration.svg. Absent: proofs.
"""

from pathlib import Path

from scipy.stats import binom

KINDS = {
    "calibration": (
        "Simulation-based calibration",
        "Parameters are drawn from the prior, answers from the parameters, and the product is run "
        "on the answers. The rank of the true value among 99 posterior draws is then uniform on "
        "0 to 99 if the posterior is right (Talts et al., 2018). Tested by Pearson's χ² over ten "
        "bins; orange bars lie outside the band, as one in a hundred does by chance.",
    ),
    "coverage": (
        "Coverage",
        "How often an interval held what it is about. Exact binomial tests of the 50, 80 and "
        "95 % intervals, joined by Bonferroni. Where the method is itself an approximation, the "
        "approximation that is allowed is stated with the setting. Fits print the shortest "
        "interval of 4,000 draws, and so do the binary studies below; ordinal studies and "
        "decisions make do with 500, whose shortest intervals hold up to three points less at "
        "50 % and one at 95 %. Nothing is allowed for that.",
    ),
    "brute force": (
        "Exact distributions against brute force",
        "The product computes these without sampling; here people re-rate millions of times.",
    ),
    "probability": (
        "Probabilities that should come true",
        "Events that the product gives a probability, and how often they happened.",
    ),
    "engines": (
        "Two engines, one posterior",
        "Importance sampling with people integrated out, and NUTS with people sampled, share the "
        "priors and nothing of the computation.",
    ),
    "planning": (
        "How much data is needed",
        "What the product says will be enough, collected and measured.",
    ),
}

_HEAD = """# Is it calibrated?

A 95 % interval that holds the truth 80 % of the time is worse than none. So every interval, every
probability and every prediction of needed data that howgood prints is checked against simulated
people whose answers are known. `make slow` does it, and **writes this page**: the numbers below
are those of the last run of each proof, with the seeds that give them again.
`docs/_data/calibration.json` holds them for machines. A test of the ordinary suite fails when
a proof failed, when an interval has no proof, or when this page differs from the numbers. Which
number rests on which rows is listed in `tests/statistical/inventory.py`; proofs that are written
but have not run yet are named there as waiting, and have no row below.

How to read it. *p* is the probability of a result at least this far from the claim if the claim is
true; below .001 the verdict is **fails**, and stays on this page until it is repaired. *Would
notice* is the departure that this many simulations would find nine times in ten: a proof that
would notice nothing proves nothing. *s* is processor seconds of the whole proof.

Of {n} rows, {holds} hold{others}. With other seeds one row in a thousand would fail by chance.
"""


_REPAIRED = """## What the proofs have found

- Precision, recall and acceptance at a threshold chosen by `decide.threshold` came from the cases
  it was chosen on, and flattered it: 95 % intervals held 85 to 94 %. They are read off the
  neighbouring thresholds instead. The first such correction looked as far as suited the
  populations it was tried on. On others it failed: with one positive in ten, spread twice as wide
  as the negatives, and 3,000 cases, 95 % intervals of precision held 30 % of the time. Now
  "neighbouring" is measured by the rarer class, and a parabola takes the place of a line
  (*... at the chosen threshold*, and the same for *unseen populations*, which were written down
  before any of them was looked at).
- The interval of the threshold itself was the shortest one. Its draws are observed scores, some of
  them repeated often, and the shortest interval snapped to those: 80 % intervals held 57 to 73 %.
  It is now taken by quantiles (*best threshold* above).
- The elicited weight of a respondent who never errs was known no better than one cell of the grid,
  and weights near the border of a cell were missed. The grid is now laid anew where the weight is
  (*elicited a0* and its kinds of noise above).
- Weights of the Relevance Score learned from few people's grades came with intervals that were too
  narrow: with 30 people, 80 % intervals held 74 %. The Bayesian bootstrap is now widened for the
  number of people (*weights of the Relevance Score* above).
- *binary: prediction, average person* has a p of .003. Of 30 such rows the smallest is that small
  one time in eleven, the intervals of the same studies hold what they say, and the histogram is
  uneven without being U-shaped, hump-shaped or leaning. 700 studies with another seed (*binary,
  again*) gave .08: if something is wrong there, it is small.
- The same was true wherever few people stand for many. With five people, 95 % intervals of the
  Relevance Score held 80 % and those of the gap between two models 84 %; with three people, those
  of a group's mean weight 74 % and of the magic barrier 73 %. All of them are widened now (*few
  people*, *gap between two Relevance Scores*, *group's mean weight*, *magic barrier* above).
- The band of the curve of those asked left out that everybody's own leniency is not known exactly:
  95 % bands held 88 %. It is part of the band now (*binary: curve of those asked* above).
- Two or three items that all showed the same difference of grades made `decide.rank_grades`
  certain: with equal systems, 14 % of studies of two items and 3 % of three. Their spread is now
  taken as hidden by the steps of the grades (*few items that look alike* above).
- With two or three raters, leaderboards contradicted themselves (P(A best) up to .22 above P(A
  ahead of B)), and 95 % intervals of two raters held 87 to 91 %. One crossed model, pooled over
  systems, with variances drawn from their mean squares, gives one joint distribution (*few raters*
  and *8 systems* above). What two raters leave open no formula closes: where systems differ less
  than tastes, more orders told apart at 5 % are wrong than 5 % (*orders told apart*), and the
  command says so.
- Raters of an item counted as repeats of each other when predictions were ranked: orders said to
  flip with less than .001 were turned round by other raters (*close systems*: how often). Raters
  are a sample now (*raters as a sample* above).
- Errors of an order by MAE rested on the central limit theorem however few the pairs: on two, five
  and ten they were up to .37, .19 and .075 beside the truth. Below 50 pairs re-ratings are drawn
  and counted now (*paired error of MAE, few pairs* above).
- By MAE and after single ratings, the next rating was drawn around each rating seen, which adds the
  noise a second time. The proof then drew predictions around the ratings, where that is right; with
  predictions around people's opinions .15 was said of orders that never flipped. Errors now lie
  around the scores (*by MAE, ratings seen* above, with predictions made before the ratings).
- `score.from_sums` took means of single ratings as known: 95 % intervals held 81 %. They are as
  wide as those drawn beside a ranking now (*RMSE of a re-rating, few ratings* above).
- A group's agreement averaged posterior means, which few questions pull towards one half, beside
  baselines that are not pulled: with 40 people, 15 questions and a true share of .90 it said .875,
  and 95 % intervals held 71 % (with 5 questions, 2 %). It is the mean of shares as counted now
  (*group's agreement on held-out choices* above).
- Shares of pairs that people rate alike had intervals as if pairs of one person were independent:
  where people differ, 95 % intervals held 71 to 75 %, with many people as with few. They are over
  people now (*share of pairs rated ..., people differ* above).
- Weights of the Relevance Score: draws stopped at 0 and 1 before they were widened, and with a true
  share of .95, 95 % intervals held 75 % with two people and 89 % with four. They are widened first
  and cut afterwards. One respondent alone was certain; that interval is over judgements now
  (*weights of the Relevance Score, few people* above).
- How likely a re-rating flips an order took means of few ratings as known: with two per pair,
  .005 happened in .020 of cases, .033 in .081, .17 in .24; and 95 % intervals of the RMSE held 87 %
  (two ratings), 89 % (three) and 92 % (five). The doubt about the means, and about how much people
  waver, is counted now (*a re-rating flips the order, few ratings* above). Intervals from two or
  three ratings still hold 89 to 94 % (*RMSE of a re-rating, few ratings*), and the ranking says so.
- The best threshold of a small test set was sought among the scores seen: with 20 cases, 95 %
  intervals held it 26 to 77 % of the time, with 40 cases 52 to 89 %. Draws of the test set now move
  its scores too (*best threshold, few cases* above; the hardest shape and metric stand there).
- With few people, shares rest on the priors: 95 % intervals held a fixed truth 84 % with 2 people,
  87 % with 4 and 91 % with 8. Nothing repairs that but more people, so the findings say it below 10
  (*prediction, fixed truth* above).
- Correlations with few people came with a standard error alone; 1.96 of them to either side held 87
  to 89 % with 3 to 8 people. They have an interval by Student's t now (*six people* above).

## Decided after looking at results

These numbers were not derived; they were chosen, or a claim was changed, after a simulation had
been seen. A proof whose claim was fitted to it is weaker than it looks.

- *two of 5 systems' squared errors ... raters as a sample*: the claim was "as often as said" and
  failed on the safe side (said 17.6 %, happened 8.8 %). It is "no more often than said" since. The
  reason is known (each pair of systems is judged by its own few raters' degrees of freedom, nothing
  is pooled over systems), the size of the gap is not derived.
- *one of 6 raters rates everything, each other 12 items*: the claim of the other designs, "as often
  as said", failed on the safe side (said 23.3 %, happened 10.5 %; intervals held 100 %). Where one
  rater gave half of all ratings, `rank --rater` is too cautious. Not yet repaired.
- At least 100 pairs rated repeatedly are needed to lend their spread (`once="borrow"`). 30 failed
  (said below 10 %: 5.0 %, happened 9.0 %), 100 and 660 were tried and hold, nothing between was.
  In the population simulated (a third never waver, the sds of the others have a gamma distribution
  with shape 2) the variance pooled from m pairs rated twice has a relative variance of 14 / m: 68 %
  of itself as its standard error with 30, 37 % with 100; and that is itself estimated from the same
  pairs. People who differ still more need more lenders than 100.
- The width of intervals of Krippendorff's alpha (drawn mean squares, widened to what leaving out
  items and raters shows) was chosen after looking. It was then simulated with other seeds, five
  times as many studies, and tables with gaps that had not been looked at: 93.4 to 98.9 % hold.
- *a re-rating flips the order of lists*: in the first simulation systems were equally good, and two
  of them flip more often than said (25 % said, 33 % happened): nothing in two systems shows how far
  such systems differ. The claim was narrowed to systems that differ, and of several systems to a
  spread that is drawn anew for every study. Its rows are of seeds that nobody had looked at then.
  What happens otherwise stands in "Rank recommenders by their lists", and at the number.
- *the newcomer is the best*, and the order next to one: that each system shrinks by its own
  variance was chosen on 150 studies of another seed; that the model's covariance says how unequal
  these are, not that of few prompts, on halves of the public votes, of which the latter called more
  pairs settled that came out the other way round.
- The prior sd of the level, 1.6: chosen so that n of n people accepting everything give P(at least
  80 % accept) within .1 of what a uniform prior of the share gives, for n = 3 to 50. With 1.5 three
  people gave .41 to .47 where .59 is wanted.
- 10 people as enough evidence for a decision: kept from earlier versions. Coverage does not single
  it out (*prediction, fixed truth* holds with 3 and 5 too); that so few people of one mind cannot
  reach a certainty of .95 by their answers alone is why it is not smaller.
"""


def page(rows) -> str:
    """Return the Markdown of all rows."""
    verdicts = [row.verdict for row in rows]
    others = "".join(
        f", {verdicts.count(each)} {'fail' if each == 'fails' else each}"
        for each in ("fails", "did not finish")
        if each in verdicts
    )
    parts = [_HEAD.format(n=len(rows), holds=verdicts.count("holds"), others=others)]
    for kind, (title, words) in KINDS.items():
        found = [row for row in rows if row.kind == kind]
        if not found:
            continue
        parts.append(f"## {title}\n\n{words}\n")
        if kind == "calibration":
            parts.append(_PICTURE)
        parts.append(_table(found))
    seconds = sum({row.proof: row.seconds for row in rows}.values())
    parts.append(_REPAIRED)
    parts.append(f"All proofs together took {seconds / 60:.0f} minutes of processor time.\n")
    return "\n".join(parts)


_PICTURE = """![One small histogram per quantity: ranks of the true value in ten bins, with the
band in which 99 of 100 bins lie when the posterior is right](../_static/calibration.svg)
"""


def _table(rows) -> str:
    lines = [
        "| what | simulated | found | *p* | would notice | n | seed | s | verdict |",
        "|---|---|---|---:|---|---:|---:|---:|---|",
    ]
    for row in rows:
        cells = (
            row.quantity, row.setting, row.found, _p(row.p_value), row.notices, f"{row.n:,}",
            str(row.seed), f"{row.seconds:.0f}",
            row.verdict if row.verdict == "holds" else f"**{row.verdict}**",
        )  # fmt: skip
        lines.append("| " + " | ".join(each.replace("|", "\\|") for each in cells) + " |")
    return "\n".join(lines) + "\n"


def _p(value) -> str:
    return "< .0001" if value < 1e-4 else f"{value:.3f}" if value >= 1e-3 else f"{value:.4f}"


_WIDE, _HIGH, _COLUMNS, _PAD, _TOP = 168, 84, 4, 14, 40


def picture(rows) -> str:
    """Return rank histograms as SVG: bars, and the band of 99 % of bins."""
    shown = [row for row in rows if row.histogram]
    n_lines = -(-len(shown) // _COLUMNS)
    width = _COLUMNS * (_WIDE + _PAD) + _PAD
    height = n_lines * (_HIGH + _TOP + _PAD) + _PAD
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="rank histograms">',
        "<style>text{font:11px sans-serif;fill:#1b1b1f}.band{fill:#8a8a94;opacity:.35}"
        ".bar{fill:#0072B2}.off{fill:#D55E00}"
        "@media (prefers-color-scheme:dark){text{fill:#e8e8ec}.bar{fill:#56B4E9}}</style>",
    ]
    for index, row in enumerate(shown):
        x = _PAD + (index % _COLUMNS) * (_WIDE + _PAD)
        y = _PAD + (index // _COLUMNS) * (_HIGH + _TOP + _PAD)
        parts += _panel(row, x, y)
    return "\n".join([*parts, "</svg>", ""])


def _panel(row, x, y) -> list[str]:
    counts, n_bins = row.histogram, len(row.histogram)
    n = sum(counts)
    low, high = (float(each) for each in binom.ppf([0.005, 0.995], n, 1 / n_bins))
    unit = _HIGH / max(*counts, high, 1)
    step = _WIDE / n_bins
    floor = y + _TOP + _HIGH
    model, _, what = row.quantity.rpartition(": ")
    parts = [
        f'<text x="{x}" y="{y + 11}">{_escaped(model)}</text>',
        f'<text x="{x}" y="{y + 26}">{_escaped(what)}</text>',
        f'<rect class="band" x="{x}" y="{floor - high * unit:.1f}" width="{_WIDE}" '
        f'height="{(high - low) * unit:.1f}"/>',
    ]
    for place, count in enumerate(counts):
        inside = low <= count <= high
        parts.append(
            f'<rect class="{"bar" if inside else "off"}" x="{x + place * step + 1.5:.1f}" '
            f'y="{floor - count * unit:.1f}" width="{step - 3:.1f}" height="{count * unit:.1f}"/>'
        )
    return parts


def _escaped(text) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def write(rows, docs: Path) -> None:
    """Write page and picture."""
    (docs / "explanation" / "calibration.md").write_text(page(rows), encoding="utf-8")
    (docs / "_static" / "calibration.svg").write_text(picture(rows), encoding="utf-8")
