"""Which defaults of raw text and of tables with text are worth having? Each option is compared with words as they are
(tf-idf, every word), one at a time, on the same folds:

    bench/text_defaults.py CLADE DATA [--again | --many-classes | --quick]

prints the tables of docs/text.md.

Real text: 20 newsgroups (every twelfth message of the test part), BBCSport, 800 documents of WebKB (stems), half of RCV1
(several labels). As tables: subject and body of the newsgroups with the number of lines, headline and body of BBCSport
with the number of words. Generated: products with three texts, a price, a date and a brand, where the price tells the
department (tests/products.py).

The measure is the hierarchical F1 of 10 folds under 3 seeds. The test of the 30 paired differences is the corrected
resampled t-test (Nadeau and Bengio, 2003), because training parts overlap. The last column combines the sets
(Stouffer). * marks p < 0.05 after Holm's correction over the cells, and over the last column."""

import argparse
import json
import random
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from products import products, write_json_lines  # noqa: E402

SEEDS = (1, 2, 3)
FOLDS = 10

EVERY_WORD = {"--min-documents": "1", "--sublinear": "no"}  # what the options are compared with
TEXTS = ["--word-runs 2", "--sublinear yes", "--min-documents 2", "--min-documents 3", "--stop-words none",
         "--stem english", "--characters 3", "--characters 3-5", "--hash-bits 16"]
CANDIDATES = ["--sublinear yes", "--min-documents 2", "--min-documents 3", "--sublinear yes --min-documents 3",
              "--characters 3-5"]
TABLES = ["--text-fields separate", "--number-weight 0.03", "--number-weight 0.1", "--number-weight 1",
          "--number-weight 3"]


def documents(archive, wanted):
    """Labels and texts of the files of an archive, in the order of their names."""
    found = []
    with tarfile.open(archive) as members:
        for member in members:
            if member.isfile() and wanted in member.name:
                found.append((member.name, members.extractfile(member).read().decode("latin-1")))
    return [(name.split("/")[-2], text) for name, text in sorted(found)]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def parts_of_message(text):
    head, _, body = text.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
    return {"subject": fields.get("Subject", ""), "body": body, "lines": body.count("\n")}


def data_sets(folder, data, part):
    """name -> (file, further options), for texts and for tables, from one of several disjoint parts of the data."""
    news = documents(data / "newsgroups20" / "20news-bydate.tar.xz", "20news-bydate-test/")[part::12]
    path = {label: label.replace(".", "/") if label.split(".")[0] in ("comp", "rec", "sci", "talk") else label
            for label, _ in news}
    sport = documents(data / "BBCSport" / "bbcsport.tar.xz", "bbcsport/")
    stems = (data / "WebKB4" / "WebKB.clean.txt").read_text().splitlines()
    kinds = [line.split("\t")[2][:4] for line in (data / "WebKB4" / "WebKB.txt").read_text().splitlines()]
    chosen = random.Random(1).sample(range(len(stems)), 1600)[800 * part:800 * (part + 1)]
    with (data / "RCV1" / "rcv1_dev.hierar.json").open() as lines:
        (folder / "rcv1.jsonl").write_text("".join(list(lines)[part::2]))
    texts = {
        "newsgroups": (write(folder / "news.jsonl", [{"text": text, "doc_label": path[label]} for label, text in news]),
                       []),
        "BBCSport": (write(folder / "sport.jsonl", [{"text": text, "doc_label": label} for label, text in sport]), []),
        "WebKB": (write(folder / "web.jsonl", [{"text": stems[k], "doc_label": kinds[k]} for k in chosen]), []),
        "RCV1": (folder / "rcv1.jsonl", ["--taxonomy", data / "RCV1" / "rcv1.taxonomy"]),
    }
    tables = {
        "newsgroups": (write(folder / "news_table.jsonl",
                             [{**parts_of_message(text), "label": path[label]} for label, text in news]),
                       ["--label-column", "label", "--text-columns", "subject,body", "--numeric-columns", "lines"]),
        "BBCSport": (write(folder / "sport_table.jsonl",
                           [{"headline": text.split("\n", 1)[0], "body": text.split("\n", 1)[1],
                             "length": len(text.split()), "label": label} for label, text in sport]),
                     ["--label-column", "label", "--text-columns", "headline,body", "--numeric-columns", "length"]),
        "products": (write_json_lines(folder / "products.jsonl", products(600)), []),
    }
    return texts, tables


def scores(tool, path, options):
    found = []
    for seed in SEEDS:
        command = [tool, "evaluate", path, "--classifier", "top-down-svm", "--folds", FOLDS, "--seed", seed, "--json",
                   "--quiet", "--threads", 1, *options]
        process = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}\n{process.stderr}")
        found += [fold["hierarchical_f1"] for fold in json.loads(process.stdout)["folds"]]
    return np.array(found)


def p_value(differences):
    """Of the corrected resampled t-test, two-sided."""
    n = len(differences)
    variance = differences.var(ddof=1)
    if variance == 0:
        return 1.0 if differences.mean() == 0 else 0.0
    statistic = differences.mean() / np.sqrt((1 / n + 1 / (FOLDS - 1)) * variance)
    return 2 * student.sf(abs(statistic), n - 1)


def combined(p_values, differences):
    """One p-value of several independent sets (Stouffer), two-sided."""
    z = [np.sign(d) * norm.isf(max(p, 1e-15) / 2) for p, d in zip(p_values, differences)]
    return 2 * norm.sf(abs(sum(z)) / np.sqrt(len(z)))


def significant(p_values, level=0.05):
    """Which of them are, by Holm's correction."""
    order = sorted(p_values, key=p_values.get)
    chosen = set()
    for k, key in enumerate(order):
        if p_values[key] > level / (len(order) - k):
            break
        chosen.add(key)
    return chosen


def with_option(label):
    """The words as they are, but for one option."""
    return [part for name, value in EVERY_WORD.items() if name not in label for part in (name, value)] + label.split()


def many_classes(tool, folder):
    """Generated text of 80 classes with few documents each: the hierarchical F1 on 2,000 others."""
    sizes = (500, 2000, 5000)
    settings = ["", "--min-documents 2", "--min-documents 3", "--sublinear yes", "--sublinear yes --min-documents 2"]
    print("| option | " + " | ".join(f"{size} documents" for size in sizes) + " |\n|---" + "|---:" * len(sizes) + "|")
    values = {}
    for size in sizes:
        train, test = folder / f"{size}.jsonl", folder / f"{size}-test.jsonl"
        for path, first, count in ((train, 0, size), (test, 10000, 2000)):
            clade(tool, "synth", "--text", "--documents", count, "--first", first, "--levels", "5,20,80", "-o", path)
        for label in settings:
            found = clade(tool, "train", train, "--classifier", "path-svm", "--loss", "hinge", *with_option(label),
                          "--test", test, "-o", folder / "m.clade", "--force", "--json")
            values[label, size] = json.loads(found)["test"]["hierarchical_f1"]
    for label in settings:
        cells = [f"{100 * values[label, size]:.2f}" for size in sizes]
        print(f"| {f'`{label}`' if label else 'every word'} | " + " | ".join(cells) + " |")


def clade(tool, *arguments):
    return subprocess.run([str(tool), *map(str, arguments), "--quiet"], capture_output=True, text=True, check=True).stdout


def table_of(tool, sets, settings):
    rows, p_values, base = {}, {}, {}
    for name, (path, options) in sets.items():
        base[name] = scores(tool, path, [*options, *with_option("")])
        for label in settings:
            differences = scores(tool, path, [*options, *with_option(label)]) - base[name]
            rows[label, name] = differences.mean()
            p_values[label, name] = p_value(differences)
            print(f"  {name:12} {label:24} {100 * differences.mean():+6.2f}  p {p_values[label, name]:.4f}",
                  file=sys.stderr, flush=True)
    marked = significant({key: p for key, p in p_values.items() if rows[key] != 0})
    together = {label: combined(*zip(*((p_values[label, name], rows[label, name]) for name in sets)))
                for label in settings}
    marked_together = significant(together)
    print("| option | " + " | ".join(sets) + " | p of all |\n|---" + "|---:" * (len(sets) + 1) + "|")
    print("| every word | " + " | ".join(f"{100 * base[name].mean():.2f}" for name in sets) + " | |")
    for label in settings:
        cells = [f"{100 * rows[label, name]:+.2f}{'*' if (label, name) in marked else ''}" for name in sets]
        cells.append(f"{together[label]:.4f}{'*' if label in marked_together else ''}")
        print(f"| `{label}` | " + " | ".join(cells) + " |", flush=True)
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", type=Path)
    parser.add_argument("data", type=Path, help="folder with newsgroups20, BBCSport, WebKB4 and RCV1")
    parser.add_argument("--quick", action="store_true", help="one seed and the smallest sets, to see that it runs")
    parser.add_argument("--again", action="store_true",
                        help="other documents of the newsgroups, WebKB and RCV1, and only what may be a better default")
    parser.add_argument("--many-classes", action="store_true", help="generated text of many classes")
    arguments = parser.parse_args()
    if arguments.quick:
        global SEEDS
        SEEDS = (1,)
    with tempfile.TemporaryDirectory() as folder:
        if arguments.many_classes:
            return many_classes(arguments.tool.resolve(), Path(folder))
        texts, tables = data_sets(Path(folder), arguments.data, 1 if arguments.again else 0)
        if arguments.again:
            del texts["BBCSport"]
            return table_of(arguments.tool, texts, CANDIDATES)
        if arguments.quick:
            texts, tables = {"BBCSport": texts["BBCSport"]}, {"BBCSport": tables["BBCSport"]}
        table_of(arguments.tool, texts, TEXTS)
        table_of(arguments.tool, tables, TABLES)


if __name__ == "__main__":
    main()
