#!/usr/bin/python3
"""Turns the plain comments of a header into Doxygen comments: those on lines of their own become ///, those behind a
declaration ///<. Indented comment lines are formulas and examples, shown verbatim. Other files pass unchanged."""

import re
import sys

path = sys.argv[1]
text = open(path, encoding="utf-8").read()
if not path.endswith(".h"):
    sys.stdout.write(text)
    sys.exit()


def shown(comment):
    """Escapes what Doxygen would take for a command or a tag."""
    return re.sub(r"([@\\<>#])", r"\\\1", comment)


lines = []
verbatim = False
for line in text.splitlines():
    own = re.match(r"(\s*)//(?!/)(.*)", line)
    behind = re.match(r"(.*[;,{}(])\s*//(?!/)(.*)", line)
    if own:
        indent, comment = own.groups()
        is_shown = comment.startswith("   ")
        if is_shown and not verbatim:
            lines.append(f"{indent}/// @verbatim")
        if verbatim and not is_shown:
            lines.append(f"{indent}/// @endverbatim")
        verbatim = is_shown
        lines.append(f"{indent}///{comment if is_shown else shown(comment)}")
        continue
    if verbatim:
        lines.append("/// @endverbatim")
        verbatim = False
    lines.append(f"{behind.group(1)}  ///<{shown(behind.group(2))}" if behind else line)
sys.stdout.write("\n".join(lines) + "\n")
