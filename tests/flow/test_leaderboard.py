"""A file of grades to a picture of them."""

from howgood.flow.leaderboard import GradeColumns, rank_criteria_file
from howgood.flow.ranking import RankedFile, picture


def test_the_picture_stays_within_the_grades(tmp_path):
    """Two raters who disagree leave more doubt than a scale of 1 to 5 has room for."""
    path = tmp_path / "grades.csv"
    rows = [f"{item},{name},{rater},{grade}" for item in range(3) for name, grades in
            (("a", (5, 1)), ("b", (4, 2))) for rater, grade in enumerate(grades)]  # fmt: skip
    path.write_text("item,system,rater,grade\n" + "\n".join(rows))
    ranking = rank_criteria_file(path, columns=GradeColumns())["grade"]
    ranked = RankedFile(ranking=ranking, sums=None)
    doubt = ranked.ranking.scores[0] + 1.96 * ranked.ranking.score_sds[0]
    assert doubt > 5
    with picture(ranked) as figure:
        scores = figure.axes[0]
        drawn = [x for line in scores.lines for x in line.get_xdata()]
        drawn += [x for shape in scores.collections for x in shape.get_paths()[0].vertices[:, 0]]
    assert (min(drawn), max(drawn)) == (1.0, 5.0)
