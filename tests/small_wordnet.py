"""Writes a small WordNet for tests: its files have the layout of the real ones, with true byte offsets."""

LICENCE = "  1 A small WordNet for tests.  \n"

NOUNS = [("entity", None), ("animal", "entity"), ("carnivore", "animal"), ("dog", "carnivore"), ("cat", "carnivore"),
         ("poodle", "dog"), ("goose", "animal"), ("asset", "entity"), ("money", "asset"), ("cash", "money"), ("coin", "money")]
VERBS = [("move", None), ("run", "move"), ("walk", "move")]


def write_part(folder, part, entries, exceptions):
    letter = part[0]
    offsets = dict.fromkeys((word for word, _ in entries), 0)
    for _ in range(2):  # lines have the same length whatever the offsets
        data = LICENCE
        for word, kind in entries:
            offsets[word] = len(data)
            pointers = "000" if kind is None else f"001 @ {offsets[kind]:08} {letter} 0000"
            data += f"{offsets[word]:08} 03 {letter} 01 {word} 0 {pointers} | a gloss  \n"
    (folder / f"data.{part}").write_text(data)
    lines = [f"{word} {letter} 1 1 @ 1 0 {offsets[word]:08}  \n" for word in sorted(offsets)]
    (folder / f"index.{part}").write_text(LICENCE + "".join(lines))
    (folder / f"{part}.exc").write_text(exceptions)


def write_wordnet(folder):
    folder.mkdir(exist_ok=True)
    write_part(folder, "noun", NOUNS, "geese goose\n")
    write_part(folder, "verb", VERBS, "ran run\n")
    return folder
