"""The surfaces of hufs over alpha, beta and the number of features, as a picture: Figures 3 and 4 of Wang et al. 2017.

    hufs_surfaces.py TABLE.csv PICTURE.svg

TABLE.csv is what `unsupervised_tables.py --surfaces` writes. A row of the picture is a data set: left alpha against the number of features
with beta 0.01, right beta against it with alpha 0.01. A cell shows the NMI; darker is better, each data set on its own scale. A cross: no
feature, or fewer than that many, has a weight. A frame: the groups of the hierarchy were given up (P is far from M V).
"""

import csv
import sys

COUNTS = [50, 100, 150, 200, 250, 300]
VALUES = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10]
CELL, HIGH, LEFT, TOP, GAP, STEP = 46, 20, 150, 50, 90, 190


def main(table, picture):
    cells, names = {}, []
    with open(table) as file:
        for row in csv.DictReader(file):
            if row["data"] not in names:
                names.append(row["data"])
            if row["features"]:
                key = row["data"], float(row["alpha"]), float(row["beta"]), int(row["features"])
                cells[key] = float(row["nmi"]), int(row["weighted"]), row["groups_kept"] == "1"
    width = LEFT + 2 * len(COUNTS) * CELL + GAP + 20
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + STEP * len(names)}" font-family="sans-serif" '
             'font-size="12"><rect width="100%" height="100%" fill="#fff"/>']
    for place, name in enumerate(names):
        top = TOP + STEP * place
        known = [value for (of, _, _, count), (value, weighted, _) in cells.items() if of == name and weighted >= count]
        low, high = (min(known), max(known)) if known else (0, 1)
        parts.append(f'<text x="10" y="{top + 12}" font-weight="bold">{name}</text>')
        for side, parameter in enumerate(["alpha", "beta"]):
            left = LEFT + side * (len(COUNTS) * CELL + GAP)
            other = "beta" if parameter == "alpha" else "alpha"
            parts.append(f'<text x="{left}" y="{top - 6}">{parameter} by features, {other} 0.01</text>')
            for row, value in enumerate(VALUES):
                y = top + row * HIGH
                parts.append(f'<text x="{left - 6}" y="{y + 14}" text-anchor="end">{value:g}</text>')
                for column, count in enumerate(COUNTS):
                    x = left + column * CELL
                    found = cells.get((name, value, 1e-2, count) if side == 0 else (name, 1e-2, value, count))
                    parts.append(cell(x, y, found, count, low, high))
            for column, count in enumerate(COUNTS):
                parts.append(f'<text x="{left + column * CELL + CELL / 2}" y="{top + len(VALUES) * HIGH + 14}" text-anchor="middle">'
                             f'{count}</text>')
    with open(picture, "w") as file:
        file.write("\n".join([*parts, "</svg>"]) + "\n")


def cell(x, y, found, count, low, high):
    if found is None or found[1] < count:
        return (f'<rect x="{x}" y="{y}" width="{CELL - 1}" height="{HIGH - 1}" fill="#eee"/>'
                f'<text x="{x + CELL / 2}" y="{y + 14}" text-anchor="middle" fill="#888">×</text>')
    share = (found[0] - low) / (high - low) if high > low else 1
    red, green, blue = (round(a + share * (b - a)) for a, b in zip((237, 244, 250), (20, 80, 140)))
    frame = "" if found[2] else ' stroke="#c33" stroke-width="1.5"'
    return (f'<rect x="{x}" y="{y}" width="{CELL - 1}" height="{HIGH - 1}" fill="rgb({red},{green},{blue})"{frame}/>'
            f'<text x="{x + CELL / 2}" y="{y + 14}" text-anchor="middle" fill="{"#fff" if share > 0.5 else "#222"}">{found[0]:.2f}</text>')


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
