"""Every command that reads CSV refuses a row with too many or too few fields."""

import pytest

from howgood.cli.main import run

CARD = "kay2015-answers-electricity"
SYSTEMS = ["--system", "a", "--system", "b"]
# A table whose later columns no command uses, and the command that reads it.
TABLES = {
    "threshold": "y,s,note\n1,0.9,x\n0,0.2,x\n1,0.7,x\n0,0.4,x\n",
    "elicit": "y,s,note\n1,0.9,x\n0,0.2,x\n1,0.7,x\n0,0.4,x\n",
    "rank": "mean,sd,a,b,note\n3,1,2,4,x\n4,1,3,5,x\n2,1,2,3,x\n",
    "repeated": "user,item,rating,a,b,note\nu,i,3,2,4,x\nu,i,4,2,4,x\nv,i,2,2,3,x\nv,i,3,2,3,x\n",
    "predictions": "user,item,a,b,note\nu,i,2,4,x\nv,i,2,3,x\n",
    "leaderboard": "item,system,rater,grade,note\nq,a,r,1,x\nq,b,r,2,x\nq,a,s,1,x\nq,b,s,2,x\n",
    "relevance": "y,yhat,room,note\non,on,a,x\noff,on,a,x\non,off,b,x\noff,off,b,x\n",
    "reference": "y,room,note\non,a,x\noff,a,x\non,b,x\noff,b,x\n",
    "fit": "participant,application,precision,recall,rating,note\np,x,0.5,1,3,n\nq,x,1,0.5,5,n\n",
    "gate": "y_true,y_pred,note\n1,1,x\n0,0,x\n1,0,x\n",
    "go-live": "size,precision,recall,note\n10,0.5,0.5,x\n100,0.99,0.99,x\n",
}  # fmt: skip


def _arguments(name, path, folder):
    def other(table):
        (folder / f"{table}.csv").write_text(TABLES[table])
        return str(folder / f"{table}.csv")

    ratings = ["--repeated", *SYSTEMS]
    columns = ["--outcome", "y", "--predicted", "yhat", "--context", "room"]
    return {
        "threshold": lambda: ["threshold", path, "--truth", "y", "--score", "s", "--alpha", "0.5"],
        "elicit": lambda: ["elicit", path, "--truth", "y", "--score", "s", "--simulate", "a0=.2"],
        "rank": lambda: ["rank", path, *SYSTEMS],
        "repeated": lambda: ["rank", path, *ratings],
        "predictions": lambda: ["rank", other("repeated"), "--predictions", path, *ratings],
        "leaderboard": lambda: ["leaderboard", path],
        "relevance": lambda: ["relevance", path, *columns],
        "reference": lambda: ["relevance", other("relevance"), *columns, "--reference", path],
        "fit": lambda: ["fit", path],
        "gate": lambda: ["gate", CARD, path],
        "go-live": lambda: ["go-live", CARD, path],
    }[name]()


def _with_decimal_commas(line):
    """What a spreadsheet with decimal commas saves into a file parted by commas."""
    first, _, rest = line.partition(",")
    return f"{first},0,{rest}"


@pytest.mark.parametrize("name", TABLES)
def test_a_row_of_another_length_is_refused(name, tmp_path, capsys):
    header, *rows = TABLES[name].splitlines()
    columns = header.count(",") + 1
    path = tmp_path / "bad.csv"
    arguments = _arguments(name, str(path), tmp_path)
    for change, row, found in (
        (lambda lines: [_with_decimal_commas(each) for each in lines], 2, columns + 1),
        (lambda lines: [*lines[:-1], lines[-1] + ",7"], len(rows) + 1, columns + 1),
        (lambda lines: [*lines[:-1], lines[-1].rpartition(",")[0]], len(rows) + 1, columns - 1),
    ):
        path.write_text("\n".join([header, *change(rows)]) + "\n")
        assert run(arguments) == 2
        said = capsys.readouterr().err
        assert f"{path}, row {row}: found {found} fields, expected {columns}." in said
        assert said.count("\n") == 1
