#!/usr/bin/env python3
"""Puts what the experiments here measured beside what was published, in docs/reproduction.md.

    tables.py RESULTS PAGE

RESULTS has a folder per experiment, as `make experiments` leaves them. Every part of the page between
`<!-- NAME -->` and `<!-- end -->` is written anew, if the results of its experiment are there."""

import csv
import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean

from scipy.stats import ttest_rel


class Results:
    """Values of an experiment by data set, method and measure: one per repeat (folds, orders and draws of a random
    taxonomy averaged), so that repeats can be compared in pairs."""

    def __init__(self, folder):
        self.values = defaultdict(lambda: defaultdict(list))
        self.seconds = defaultdict(list)
        self.summary = json.loads((folder / "summary.json").read_text())
        with open(folder / "results.csv", newline="") as file:
            for row in csv.DictReader(file):
                if row["value"]:
                    self.values[row["dataset"], row["method"], row["metric"]][int(row["repeat"])].append(float(row["value"]))
                self.seconds[row["dataset"], row["method"]].append((float(row["fit_seconds"]), float(row["predict_seconds"])))

    def draws(self, data, method, measure):
        found = self.values.get((data, method, measure))
        return [mean(found[repeat]) for repeat in sorted(found)] if found else None

    def mean(self, data, method, measure):
        draws = self.draws(data, method, measure)
        return mean(draws) if draws else None

    def p(self, data, one, other, measure):
        """Of a paired t test over the repeats."""
        return ttest_rel(self.draws(data, one, measure), self.draws(data, other, measure)).pvalue

    def pooled(self, data, method, measure):
        """Of all samples of a cell together, which some measures of the published protocol need."""
        return mean(entry["mean"] for entry in self.summary["values"]
                    if (entry["dataset"], entry["method"], entry["measure"]) == (data, method, measure))

    def methods(self, data):
        return list(dict.fromkeys(method for of, method, _ in self.values if of == data))


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def p_text(p):
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


def percent(value):
    return "" if value is None else f"{100 * value:.1f}"


def measured(name, value):
    return percent(value) if not name.endswith("_loss") or name == "ranking_loss" else f"{value:.3f}" if value is not None else ""


# --- recursive regularisation (hirr), tables 4 and 5

PUBLISHED_DD = {"hier-fisher": (0.7741, 0.1355), "hier-fsnm": (0.8524, 0.0886), "hier-mrmr": (0.8468, 0.0919),
                "coupled select=hier-fs": (0.8584, 0.0850), "coupled select=hirr-fam": (0.8606, 0.0836),
                "coupled select=lccshfs": (0.8596, 0.0843)}


def hirr_tables_4_5(results):
    rows = []
    for method, (f1, tie) in PUBLISHED_DD.items():
        rows.append([f"`{method.split('=')[-1]}`", f"{f1:.4f}", f"{results.mean('DD', method, 'hierarchical_f1'):.4f}",
                     f"{tie:.4f}", f"{results.pooled('DD', method, 'tie_normalized'):.4f}"])
    return table(["method", "F1 published", "F1 measured", "TIE published", "TIE measured"], rows)


# --- table 8; the published headings of alpha and beta are exchanged

PUBLISHED_GRID = {"0.01": [.8601] * 4 + [.5851], "0.1": [.8601] * 4 + [.5851], "1": [.8601] * 4 + [.5851],
                  "10": [.8601] * 4 + [.7731], "100": [.8601] * 4 + [.8292]}


def hirr_table_8(results):
    grid = ["0.01", "0.1", "1", "10", "100"]
    rows, same = [], 0
    for beta in grid:
        found = [results.mean("DD", f"hirr-fam alpha={alpha} beta={beta}", "hierarchical_f1") for alpha in grid]
        same += sum(round(value, 4) == published for value, published in zip(found, PUBLISHED_GRID[beta]))
        rows.append([beta] + [f"{value:.4f}" for value in found])
    return table(["beta, alpha:"] + grid, rows) + f"\n\n{same} of the 25 values equal the published ones to all four digits."


def hirr_figure_7(results):
    tops = [5, 10, 20, 40, 80, 160, 320]
    rows = []
    for selector in ("hier-fs", "hirr-fam", "hier-fisher", "hier-mrmr"):
        rows.append([f"`{selector}`"] + [f"{results.mean('DD', f'selected select={selector} top={top}', 'hierarchical_f1'):.4f}"
                                         for top in tops])
    every = results.mean("DD", "all features", "hierarchical_f1")
    few = results.seconds["DD", "selected select=hier-fs top=40"]
    all_of = results.seconds["DD", "all features"]
    seconds = [1000 * mean(fold[0] + fold[1] for fold in of) for of in (few, all_of)]
    p = results.p("DD", "selected select=hier-fs top=40", "all features", "hierarchical_f1")
    return (table(["features"] + [str(top) for top in tops], rows) +
            f"\n\nAll 473 features: {every:.4f}; 40 of `hier-fs` against all: p = {p_text(p)}. Training and testing the classifier "
            f"on a fold takes {seconds[0]:.0f} ms with 40 features and {seconds[1]:.0f} ms with all.")


def hirr_figure_12(results):
    tops = [50, 100, 200, 300, 500, 1000, 2000]
    rows = [[f"`{selector}`"] + [f"{results.mean('News20', f'selected select={selector} top={top}', 'hierarchical_f1'):.3f}" for top in tops]
            for selector in ("hier-fs", "hier-fisher", "hier-fsnm")]
    return (table(["words"] + [str(top) for top in tops], rows) +
            f"\n\nAll 26,214 words: {results.mean('News20', 'all features', 'hierarchical_f1'):.3f}.")


# --- FS-MGKC, tables 2 to 4

PUBLISHED_MGKC = {  # F_LCA, TIE per fold of ten, hierarchical F1, in percent but for TIE: DD, Bridges, CLEF
    "hier-mrmr": ((82.01, 85.51), (69.67, 72.44), (68.07, 70.91)), "hier-fsnm": ((80.94, 84.46), (70.17, 72.22), (65.88, 68.90)),
    "hier-fisher": ((74.70, 80.34), (68.00, 71.33), (67.76, 70.73)), "hfscn": ((81.72, 85.36), (67.00, 70.33), (66.47, 69.50)),
    "hfsdk": ((81.79, 85.29), (66.17, 69.78), (66.51, 69.58)), "hfsgr": ((81.86, 85.22), (66.00, 69.33), (66.64, 69.62)),
    "lccshfs": ((81.73, 85.18), (67.00, 70.33), (67.34, 70.46)), "hirr-fam": ((80.80, 84.49), (67.83, 70.89), (67.15, 70.14)),
    "fs-mgkc": ((82.97, 86.11), (71.33, 75.22), (68.21, 70.94))}


def selectors(results):
    sets = ["DD", "Bridges", "CLEF"]
    rows = []
    for method in results.methods("DD"):
        name = method.split("=")[-1]
        is_sound = method.startswith("sound")
        row = ["all features" if name == "all" else f"`{name} --redundancy psd`" if is_sound else f"`{name}`"]
        for place, data in enumerate(sets):
            published = None if is_sound else PUBLISHED_MGKC.get(name)
            f1 = percent(results.mean(data, method, "hierarchical_f1"))
            lca = percent(results.mean(data, method, "f_lca"))
            row.append(f"{f1} ({published[place][1]:.1f})" if published else f1)
            row.append(f"{lca} ({published[place][0]:.1f})" if published else lca)
        rows.append(row)
    text = table(["method"] + [f"{data} {measure}" for data in sets for measure in ("F1", "F_LCA")], rows)
    pairs = []
    first = "as published select=fs-mgkc"
    others = [f"10% select={name}" for name in ("hier-fs", "hirr-fam", "hier-mrmr", "hier-fsnm", "hfsgr", "fs-base", "fs-mc")]
    for other in [*others, "as published select=fs-dr", "sound select=fs-mgkc"]:
        name = other.split("=")[-1]
        row = [f"`{name} --redundancy psd`" if other.startswith("sound") else f"`{name}`"]
        for data in sets:
            one, two = (results.draws(data, method, "hierarchical_f1") for method in (first, other))
            row.append("equal" if one == two else
                       f"{100 * (mean(one) - mean(two)):+.2f} (p {p_text(results.p(data, first, other, 'hierarchical_f1'))})")
        pairs.append(row)
    return text + "\n\nF1 of `fs-mgkc` minus that of another method, in percent:\n\n" + table(["other"] + sets, pairs)


def selectors_nested(results):
    sets = list(dict.fromkeys(data for data, _, _ in results.values))
    rows = []
    for method in list(dict.fromkeys(method for _, method, _ in results.values)):
        name = method.split("=")[-1]
        rows.append(["all features" if name == "all" else f"`{name}`"] +
                    [percent(results.mean(data, method, "hierarchical_f1")) or "-" for data in sets])
    return table(["method"] + sets, rows)


def mgkc_sensitivity(results):
    grid = ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]
    parts = []
    for data in ("DD", "CLEF", "Bridges"):
        rows = [[alpha] + [percent(results.mean(data, f"fs-mgkc alpha={alpha} beta={beta}", "hierarchical_f1")) for beta in grid]
                for alpha in grid]
        parts.append(f"{data}:\n\n" + table(["alpha, beta:"] + grid, rows))
    return "\n\n".join(parts)


PUBLISHED_SHARES = {("eisen_GO", "fs-mgkc"): (35.18, 36.71, 37.44, 37.96, 37.48), ("eisen_GO", "lccshfs"): (34.59, 36.40, 37.15, 37.52, 37.71),
                    ("cellcycle_GO", "fs-mgkc"): (26.37, 27.88, 28.74, 30.42, 31.87),
                    ("cellcycle_GO", "lccshfs"): (26.24, 27.74, 28.16, 30.00, 31.64)}


def gene_shares(results):
    shares = ["10%", "20%", "30%", "40%", "50%"]
    rows = []
    for data in ("eisen_GO", "cellcycle_GO", "gasch2_GO"):
        for method in ("fs-mgkc", "lccshfs", "filter select=hier-fisher", "filter select=hier-mrmr", "filter select=hier-fs"):
            name = method.split("=")[-1]
            published = PUBLISHED_SHARES.get((data, name))
            found = [percent(results.mean(data, f"{method} top={share}", "hierarchical_f1")) for share in shares]
            rows.append([data, f"`{name}`"] + [f"{value} ({published[k]:.1f})" if published else value for k, value in enumerate(found)])
        rows.append([data, "all features"] + [percent(results.mean(data, "all", "hierarchical_f1"))] * 5)
    return table(["data set", "method"] + shares, rows)


def lccshfs_sensitivity(results):
    grid = ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]
    published = {("10", "0.001"): 36.9, ("100", "0.001"): 37.5, ("100", "0.01"): 36.9, ("1000", "0.001"): 36.4, ("1000", "0.01"): 36.4,
                 ("1000", "0.1"): 36.4}
    rows = []
    for l in grid:
        row = [l]
        for alpha in grid:
            found = results.mean("eisen_GO", f"lccshfs alpha={alpha} lambda={l}", "hierarchical_f1")
            row.append(f"{percent(found) or 'diverges'} ({published.get((l, alpha), 31.1):.1f})")
        rows.append(row)
    return table(["lambda, alpha:"] + grid, rows)


# --- the thesis

THESIS = ["one_accuracy", "average_precision", "top_loss", "parent_accuracy"]
SHORT = {"one_accuracy": "acc", "average_precision": "prec", "top_loss": "top loss", "parent_accuracy": "pacc",
         "maximal_loss": "maximal loss", "ranking_loss": "rloss"}
PUBLISHED_FEW = {
    "flat svm @given": {1: (17.1, 34.6, 1.43, 40.0), 5: (38.1, 54.7, .955, 66.5), 10: (49.8, 64.6, .750, 75.1), 15: (54.1, 68.1, .669, 78.9),
                        20: (58.7, 71.6, .591, 82.1), "all": (84.8, 90.7, .204, 94.8)},
    "hierarchical svm @given": {1: (16.8, 34.8, 1.43, 40.1), 5: (38.0, 55.3, .942, 68.0), 10: (49.5, 65.1, .743, 76.2),
                                15: (53.6, 68.4, .668, 79.5), 20: (58.1, 71.7, .594, 82.6), "all": (84.5, 90.6, .206, 94.9)},
    "dnc svm @given": {1: (16.3, None, None, 44.2), 5: (32.9, None, None, 67.3), 10: (44.9, None, None, 75.4), 15: (49.8, None, None, 79.5),
                       20: (55.0, None, None, 82.2), "all": (84.1, None, None, 95.0)},
    "hierarchical svm @random": {20: (57.7, 70.9, None, 81.4), "all": (84.4, 90.4, None, 94.6)},
    "dnc svm @random": {20: (53.2, None, None, 77.6)},
    "flat perceptron variant=averaged @given": {10: (36.2, 51.4, 1.05, 59.2), 20: (46.1, 59.9, .85, 69.3), "all": (64.9, 76.0, .49, 85.7)},
    "hierarchical perceptron variant=averaged @given": {10: (38.2, 54.9, .96, 65.4), 20: (47.7, 63.2, None, 73.6),
                                                        "all": (67.2, 78.7, .46, 87.0)},
    "hierarchical perceptron variant=averaged @learned": {10: (36.9, 53.4, 1.01, 62.2), 20: (47.7, 62.7, .79, 72.9),
                                                          "all": (65.3, 77.2, .49, 85.3)},
    "flat hieron variant=averaged @given": {10: (35.2, 50.3, 1.08, 57.0), 20: (46.8, 60.7, .83, 70.0), "all": (63.4, 74.7, .52, 84.9)},
    "hierarchical hieron variant=averaged @given": {10: (34.9, 52.7, .98, 67.5), 20: (44.5, 61.5, .79, 76.3), "all": (62.5, 75.9, .50, 87.7)},
    "flat perceptron variant=online @given": {"all": (34.7, 58.2, 1.13, 52.0)},
    "hierarchical perceptron variant=online @given": {"all": (39.9, 62.4, 1.01, 58.9)},
    "flat hieron variant=online @given": {"all": (29.5, 54.4, 1.24, 46.7)},
    "hierarchical hieron variant=online @given": {"all": (36.4, 58.7, 1.06, 57.1)}}
PAIRS = [("flat svm @given", "hierarchical svm @given"), ("flat svm @given", "dnc svm @given"), ("flat svm @given", "hierarchical svm @learned"),
         ("hierarchical svm @given", "hierarchical svm @random"), ("dnc svm @given", "dnc svm @random"),
         *((f"flat {learner} variant={variant} @given", f"hierarchical {learner} variant={variant} @given")
           for learner, variants in (("perceptron", ("averaged", "online", "minover")), ("hieron", ("averaged", "online")))
           for variant in variants),
         ("flat perceptron variant=averaged @given", "hierarchical perceptron variant=averaged @learned"),
         ("flat hieron variant=averaged @given", "hierarchical hieron variant=averaged @learned")]


def plain(method):
    name = re.sub(r" variant=(\w+)", r", \1", method.replace(" @given", ""))
    return re.sub(r" @(\w+)", r", \1 hierarchy", name).replace("svm", "SVM").replace("dnc", "DNC")


def thesis_rows(results, data, key):
    rows = []
    for method in results.methods(data):
        published = PUBLISHED_FEW.get(method, {}).get(key)
        row = [plain(method)]
        for place, measure in enumerate(THESIS):
            text = measured(measure, results.mean(data, method, measure))
            row.append(f"{text} ({published[place]:g})" if published and published[place] is not None and text else text)
        rows.append(row)
    return rows


def differences(results, data, pairs, measures):
    """Second minus first, with its p; better in bold where p is below 0.05."""
    rows = []
    for first, second in pairs:
        if not results.draws(data, first, measures[0]) or not results.draws(data, second, measures[0]):
            continue
        row = [f"{plain(second)} - {plain(first)}"]
        for measure in measures:
            one, two = results.draws(data, first, measure), results.draws(data, second, measure)
            if not one or not two:
                row.append("")
                continue
            gain = mean(two) - mean(one)
            if len(one) != len(two):
                row.append("")
                continue
            p = results.p(data, first, second, measure)
            loss = measure.endswith("_loss")
            text = f"{gain:+.3f}" if loss and measure != "ranking_loss" else f"{100 * gain:+.1f}"
            is_better = (gain < 0) == loss
            row.append((f"**{text}**" if is_better and p < 0.05 else text) + f" ({p_text(p)})")
        rows.append(row)
    return table(["difference (p)"] + [SHORT[measure] for measure in measures], rows)


def thesis_few_documents(results):
    parts = []
    for count in (1, 5, 10, 15, 20):
        data = f"newsgroups k={count}"
        parts.append(f"**t = {count}**\n\n" + table(["method"] + [SHORT[m] for m in THESIS], thesis_rows(results, data, count)) +
                     "\n\n" + differences(results, data, PAIRS, THESIS))
    return "\n\n".join(parts)


def thesis_all_documents(results):
    return table(["method"] + [SHORT[m] for m in THESIS], thesis_rows(results, "newsgroups", "all"))


def thesis_synthetic(results):
    measures = ["one_accuracy", "average_precision", "maximal_loss", "ranking_loss", "parent_accuracy"]
    published = {"3x3": ((88.5, 86.4, 1.63, 3.30, 91.7), (91.4, 89.2, 1.39, 2.24, 94.3)),
                 "6x2": ((93.7, 87.0, 1.32, 3.09, 95.3), (93.4, 88.8, 1.22, 2.31, 96.6))}
    rows = []
    for shape, values in published.items():
        found = [[[mean(results.draws(f"{shape} {seed}", f"{kind} svm", measure)) for seed in range(1, 31)] for measure in measures]
                 for kind in ("flat", "hierarchical")]
        for kind, ours, theirs in zip(("flat", "hierarchical"), found, values):
            rows.append([shape, f"{kind} SVM"] + [f"{measured(m, mean(v))} ({t:g})" for m, v, t in zip(measures, ours, theirs)])
        rows.append([shape, "p"] + [p_text(ttest_rel(a, b).pvalue) for a, b in zip(*found)])
    return table(["shape", ""] + [SHORT[m] for m in measures], rows)


def spread(results, data, method, measure):
    draws = [value for of in results.values.get((data, method, measure), {}).values() for value in of]
    return draws


def thesis_random_hierarchies(results):
    parts = []
    for data in ("DD", "ImCLEF07A k=10", "newsgroups k=20"):
        rows = [[plain(method)] + [measured(m, results.mean(data, method, m)) for m in (*THESIS, "hierarchical_f1")]
                for method in results.methods(data)]
        beaten = []
        for kind in ("hierarchical", "dnc", "top-down"):
            given = results.mean(data, f"{kind} svm @given", "parent_accuracy")
            random = spread(results, data, f"{kind} svm @random", "parent_accuracy")
            beaten.append(f"{plain(kind + ' svm')}: {sum(value >= given for value in random)} of {len(random)}")
        parts.append(f"{data}:\n\n" + table(["method"] + [SHORT[m] for m in THESIS] + ["hierarchical F1"], rows) +
                     "\n\nRuns in which a random hierarchy finds the parent at least as often as the given one: " + ", ".join(beaten) + ".")
    return "\n\n".join(parts)


def thesis_several_labels(results):
    measures = ["one_accuracy", "average_precision", "maximal_loss", "ranking_loss", "parent_accuracy"]
    pairs = [("flat svm", "hierarchical svm"), ("flat svm", "dnc svm"), ("flat perceptron", "hierarchical perceptron")]
    parts = []
    for data in list(dict.fromkeys(of for of, _, _ in results.values)):
        rows = [[plain(method)] + [measured(m, results.mean(data, method, m)) for m in measures] for method in results.methods(data)]
        parts.append(f"**{data}**\n\n" + table(["method"] + [SHORT[m] for m in measures], rows) + "\n\n" +
                     differences(results, data, pairs, measures))
    return "\n\n".join(parts)


def thesis_penalty(results):
    grid = ["0.01", "0.1", "1", "10", "100"]
    rows = []
    for data in ("newsgroups k=20", "DD"):
        for kind in ("flat", "hierarchical"):
            rows.append([data, f"{kind} SVM"] + [f"{measured('one_accuracy', results.mean(data, f'{kind} svm c={c}', 'one_accuracy'))}, "
                                                 f"{measured('top_loss', results.mean(data, f'{kind} svm c={c}', 'top_loss'))}" for c in grid])
    return table(["data set", "acc, top loss for C:"] + grid, rows)


SECTIONS = {"hirr-tables-4-5": hirr_tables_4_5, "hirr-table-8": hirr_table_8, "hirr-figure-7": hirr_figure_7, "hirr-figure-12": hirr_figure_12,
            "selectors": selectors, "selectors-nested": selectors_nested, "mgkc-sensitivity": mgkc_sensitivity, "gene-shares": gene_shares,
            "lccshfs-sensitivity": lccshfs_sensitivity, "thesis-few-documents": thesis_few_documents,
            "thesis-all-documents": thesis_all_documents, "thesis-class-by-class": thesis_all_documents,
            "thesis-synthetic": thesis_synthetic, "thesis-random-hierarchies": thesis_random_hierarchies,
            "thesis-several-labels": thesis_several_labels, "thesis-penalty": thesis_penalty}

if __name__ == "__main__":
    folder, page = Path(sys.argv[1]), Path(sys.argv[2])
    text = page.read_text()
    for name, make in SECTIONS.items():
        if not (folder / name / "results.csv").exists():
            print(f"{name}: no results in {folder}")
            continue
        text, count = re.subn(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda match: match[1] + "\n" + make(Results(folder / name)) + "\n\n" + match[2],
                              text, flags=re.S)
        if count != 1:
            raise SystemExit(f"{page}: {count} places for {name}, expected one")
    page.write_text(text)
