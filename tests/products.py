"""A small file of products as practitioners have them: several text fields, levels in columns, odd characters."""

import csv
import json
import random

TREE = {"Electronics": {"TV/Video": ["Televisions", "DVD & Blu-ray"], "Audio": ["Headphones", "Speakers"]},
        "Home, Garden": {"Kitchen & Dining": ["Knives", "Pots/Pans"], "Garden": ["Hoses", "Tools & Sheds"]}}
COMMON = ["good", "new", "quality", "best", "black", "white", "large", "small", "pack", "gift"]


def words_of(name):
    draw = random.Random(name)
    return ["".join(draw.choice("bdfgklmnprst") + draw.choice("aeiou") for _ in range(3)) for _ in range(12)]


def products(count, seed=1):
    draw = random.Random(seed)
    rows = []
    for i in range(count):
        top = draw.choice(list(TREE))
        middle = draw.choice(list(TREE[top]))
        leaf = draw.choice(TREE[top][middle])

        def text(length, names=(top, middle, leaf)):
            return " ".join(draw.choice(draw.choice([*map(words_of, names), COMMON])) for _ in range(length))

        rows.append({"sku": f"P{seed}-{i:05d}", "title": text(4), "description": text(12), "bullets": text(6),
                     "brand": draw.choice(["Acme", "Bolt"]) + (" TV" if top == "Electronics" else ""),
                     "price": round(draw.uniform(5, 50) * (4 if top == "Electronics" else 1), 2),
                     "url": f"http://shop.example/{seed}/{i}", "added": f"2024-0{1 + i % 9}-1{i % 10}",
                     "lvl1": top, "lvl2": middle, "lvl3": leaf})
    return rows


def write_json_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def write_csv(path, rows, delimiter=",", encoding="utf-8"):
    with path.open("w", newline="", encoding=encoding) as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path
