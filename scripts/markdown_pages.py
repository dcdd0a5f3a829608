"""What pages in Markdown link to: their links, and the anchors of their headings by GitHub's rules."""

import re
import unicodedata

# A link or picture, [text](target) or [text](target "title"); the text may hold a picture.
LINK = re.compile(r"(\]\()([^()\s]+(?:\([^()\s]*\)[^()\s]*)?)((?:\s+\"[^\"]*\")?\))")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)


def prose(text):
    """The text with blanks for everything that is code or a comment, so that places stay the same."""
    lines, fence, before_is_blank, in_code = [], None, True, False
    for line in text.split("\n"):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence:
            closes = mark and mark[1].startswith(fence)
            lines.append(" " * len(line))
            fence = None if closes else fence
            continue
        if mark:
            fence = mark[1]
            lines.append(" " * len(line))
            continue
        in_code = line.startswith("    ") and (before_is_blank or in_code)
        before_is_blank = not line.strip() or line.startswith("<!--")
        lines.append(" " * len(line) if in_code else line)
    text = "\n".join(lines)
    for pattern in (re.compile("<!--.*?-->", re.S), CODE):
        text = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return text


def links(text):
    """(line, target) of every link in a page."""
    plain = prose(text)
    return [(plain.count("\n", 0, found.start()) + 1, found[2]) for found in LINK.finditer(plain)]


def with_links(text, change):
    """The page with `change(target)` for every target."""
    parts, end = [], 0
    for found in LINK.finditer(prose(text)):
        parts += [text[end : found.start(2)], change(found[2])]
        end = found.end(2)
    return "".join(parts) + text[end:]


def anchor_of(heading):
    """The anchor of a heading, by GitHub's rules: small letters, no punctuation, a hyphen for each blank."""
    shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip()).replace("`", "").replace("*", "")
    kept = (c for c in shown.lower() if c in " -_" or unicodedata.category(c)[0] in "LNM")
    return "".join(kept).replace(" ", "-")


def headings(text):
    """(line, level, heading, anchor) of every heading, lines counted from 0."""
    seen, found = {}, []
    shown = text.split("\n")
    for number, line in enumerate(prose(text).split("\n")):
        heading = re.match(r"(#{1,6}) ", line)
        if heading:
            words = shown[number][heading.end() :].strip()
            anchor = anchor_of(words)
            count = seen.get(anchor, 0)
            seen[anchor] = count + 1
            found.append((number, len(heading[1]), words, f"{anchor}-{count}" if count else anchor))
    return found


def anchors(text):
    """Every anchor of a page: its headings, and the names and ids of its tags."""
    return {anchor for *_, anchor in headings(text)} | set(re.findall(r"<[^>]*\b(?:id|name)=\"([^\"]+)\"", prose(text)))
