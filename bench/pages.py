"""Tables for Markdown pages, and the places where scripts put them."""

import re
import sys


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def put(page, name, part):
    """Replaces what stands between `<!-- NAME -->` and the next `<!-- end -->`."""
    text = page.read_text()
    pattern = rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)"
    if len(re.findall(pattern, text, flags=re.S)) != 1:
        sys.exit(f"{page}: expected one part between <!-- {name} --> and <!-- end -->")
    page.write_text(re.sub(pattern, lambda match: f"{match[1]}\n{part}\n\n{match[2]}", text, flags=re.S))
