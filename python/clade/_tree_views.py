"""Trees for people: as lines of text, and as HTML that opens and closes."""

from __future__ import annotations

from typing import Callable

from clade import _core
from clade.html import escaped

# Of a large hierarchy, a notebook gets the first children of each node until so many nodes are shown.
_MOST_SHOWN = 400
_MOST_CHILDREN = 25


def tree_text(taxonomy: _core.Taxonomy, max_depth: int | None, max_nodes: int, label: Callable[[str], str]) -> str:
    names = taxonomy.names()
    lines: list[str] = []
    shown: set[int] = set()
    # A node, the text before its own line and before those below it, and its depth here.
    waiting: list[tuple[int, str, str, int]] = [(0, "", "", 0)]
    while waiting:
        node, before, below, depth = waiting.pop()
        if len(lines) >= max_nodes:
            left_out = len(names) - len(shown)
            if left_out > 0:
                lines.append(f"... {left_out} more nodes")
            break
        children = taxonomy.children(node).tolist()
        is_repeated = node in shown
        shown.add(node)
        line = before + label(names[node])
        if children and is_repeated:
            children, line = [], f"{line} (see above)"
        elif children and max_depth is not None and depth >= max_depth:
            line = f"{line} ({len(taxonomy.descendants(node))} below)"
            shown.update(taxonomy.descendants(node).tolist())
            children = []
        lines.append(line)
        for number, child in reversed(list(enumerate(children))):
            is_last = number == len(children) - 1
            branch, line_below = ("└── ", "    ") if is_last else ("├── ", "│   ")
            waiting.append((child, below + branch, below + line_below, depth + 1))
    return "\n".join(lines)


def tree_html(taxonomy: _core.Taxonomy, title: str) -> str:
    opened = _nodes_to_show(taxonomy)
    parts = [f'<div style="font-family:sans-serif;line-height:1.4"><div><b>{escaped(title)}</b></div>']
    names = taxonomy.names()
    # Texts are written, nodes are opened: not by recursion, because hierarchies can be deep.
    waiting: list[int | str] = [0]
    met: set[int] = set()
    while waiting:
        top = waiting.pop()
        if isinstance(top, str):
            parts.append(top)
            continue
        children = taxonomy.children(top).tolist()
        name = escaped(names[top])
        if not children:
            parts.append(f'<div style="margin-left:1.1em">{name}</div>')
            continue
        below = len(taxonomy.descendants(top))
        count = f'<span style="color:#777"> {below}</span>'
        if top in met or top not in opened:
            note = " (see above)" if top in met else ""
            parts.append(f'<div style="margin-left:1.1em">{name}{count}{note}</div>')
            continue
        met.add(top)
        state = " open" if taxonomy.depth(top) < 1 else ""
        parts.append(f"<details{state}><summary>{name}{count}</summary>")
        parts.append('<div style="margin-left:1.1em">')
        waiting.append("</div></details>")
        listed = children[: opened[top]]
        if len(children) > len(listed):
            more = f"... and {len(children) - len(listed)} more"
            waiting.append(f'<div style="margin-left:1.1em;color:#777">{more}</div>')
        waiting.extend(reversed(listed))
    parts.append("</div>")
    return "".join(parts)


def _nodes_to_show(taxonomy: _core.Taxonomy) -> dict[int, int]:
    """The inner nodes that can be opened, each with how many of its children are listed: level by level."""
    opened: dict[int, int] = {}
    left = _MOST_SHOWN
    queue = [0]
    for node in queue:
        if node in opened:
            continue
        children = taxonomy.children(node).tolist()
        listed = min(len(children), _MOST_CHILDREN, left)
        if listed == 0:
            continue
        opened[node] = listed
        left -= listed
        queue.extend(children[:listed])
    return opened
