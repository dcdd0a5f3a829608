"""A newcomer's own data: from the file to a measured model and an answer, with what the tool itself says."""

from clade_tool import error_line, run, run_json
from products import products, words_of, write_csv, write_json_lines


def test_products_in_four_commands(tmp_path):
    train = write_json_lines(tmp_path / "products.jsonl", products(400))
    new = products(100, seed=2)
    new[10]["lvl3"] = "Never seen"
    new[11].update(lvl1=None, lvl2=None, lvl3=None)
    test = write_json_lines(tmp_path / "new.jsonl", new)
    seen = run("info", train).stdout
    assert "label levels: lvl1, lvl2, lvl3" in seen and "TV/Video" in seen and "Kitchen & Dining" in seen
    model = tmp_path / "m.clade"
    trained = run("train", train, "-o", model)
    assert "no --classifier given" in trained.stderr
    measured = run("evaluate", model, test)
    assert "does not know: 1" in measured.stderr and "Never seen" in measured.stderr
    found = run_json("evaluate", model, test)
    assert found["accuracy"] > 0.9 and found["hierarchical_f1"] > 0.95
    sentence = " ".join(words_of("Knives")[:3] + words_of("Kitchen & Dining")[:2])
    answer = run("predict", model, "--text", sentence).stdout.splitlines()
    assert answer[0] == "sample,rank,label,score"
    assert answer[1].startswith('0,1,"Home, Garden > Kitchen & Dining > Knives",')


def test_a_semicolon_sheet(tmp_path):
    rows = [{"Title": row["title"] + "\nsecond line", "Description": row["description"],
             "Price": str(row["price"]).replace(".", ","), "Brand": row["brand"],
             "Category": " > ".join([row["lvl1"], row["lvl2"], row["lvl3"]])} for row in products(300)]
    sheet = write_csv(tmp_path / "sheet.csv", rows, ";", "utf-16")
    model = tmp_path / "m.clade"
    trained = run("train", sheet, "-o", model, "--holdout", "25%")
    assert "text: Title, Description; number: Price; category: Brand; label: Category" in trained.stderr
    assert "decimal commas" in trained.stderr
    assert "held out" in trained.stdout
    assert run_json("evaluate", model, sheet)["accuracy"] > 0.95


def test_every_refusal_leads_on(tmp_path):
    path = write_json_lines(tmp_path / "o.jsonl", [{"name": "a sharp knife", "group": "x"}])
    line = error_line("train", path, "-o", tmp_path / "m.clade")
    assert "--label-column" in line and "name, group" in line
    line = error_line("train", path, "-o", tmp_path / "m.clade", "--label-column", "gruop")
    assert "did you mean 'group'?" in line
    (tmp_path / "n.csv").write_text("x,y,kind\n1,2,a\n3,4,b\n")
    line = error_line("train", tmp_path / "n.csv", "-o", tmp_path / "m.clade", "--label-column", "Kinds")
    assert "did you mean 'kind'? The columns are: x, y, kind" in line
    assert "expected one of DATA and --text" in error_line("predict", tmp_path / "m.clade")
