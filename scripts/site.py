#!/usr/bin/python3
"""Gathers the pages of the documentation for mkdocs: site.py FOLDER, from the root of the source tree.

Pages of docs/ keep their places. What they link to elsewhere in the repository comes along, so that every link of the site
works: pages as they are, sources and notebooks as pages that show them, below repository/. Headings get the anchors that
they have on GitHub. A page lists the C++ headers, and library.md is written once more, as the first page of Doxygen."""

import json
import os
import re
import shutil
import sys
from pathlib import Path, PurePosixPath

from markdown_pages import headings, with_links

LANGUAGES = {".cpp": "cpp", ".h": "cpp", ".py": "python", ".toml": "toml", ".sh": "sh", ".yml": "yaml", ".json": "json"}
ALWAYS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "src/README.md", "experiments/README.md",
          "examples/notebooks"]
REMARK = re.compile(r"^<!-- (?:not run|needs): .*-->\n", re.M)
LARGEST_LISTING = 40


def is_copied(file):
    """Pictures, and whatever stands beside the pages, are no pages themselves."""
    path = PurePosixPath(file)
    return path.suffix in (".svg", ".png", ".jpg") or (path.parts[0] == "docs" and path.suffix != ".md")


def place_of(file):
    """Where a file of the repository is in the site's sources."""
    path = PurePosixPath(file)
    if path.parts[:1] == ("docs",):
        return path.relative_to("docs").as_posix()
    if Path(file).is_dir():
        return f"repository/{path}/README.md"
    return f"repository/{path}" + ("" if path.suffix == ".md" or is_copied(file) else ".md")


def moved_links(file, text, queue):
    """The page with its links as they are from its place in the site. Appends what it links to."""

    def moved(target):
        aim, hash_, anchor = target.partition("#")
        if not aim or re.match("[a-z]+:", aim):
            return target
        linked = os.path.normpath(os.path.join(os.path.dirname(file), aim))
        if (Path(linked) / "README.md").is_file():
            linked += "/README.md"
        if not Path(linked).exists():
            sys.exit(f"site: {file} links to {target}, which is not there")
        queue.append(linked)
        return os.path.relpath(place_of(linked), os.path.dirname(place_of(file)) or ".") + hash_ + anchor

    return with_links(text, moved)


def with_anchors(text):
    """The page with anchors, and its title for mkdocs, which would show the first anchor as a part of it."""
    found = headings(text)
    title = found[0][2].replace("`", "").replace('"', "'") if found else ""
    lines = text.split("\n")
    for number, _, _, anchor in found:
        lines[number] += f" {{ #{anchor} }}"
    return f'---\ntitle: "{title}"\n---\n\n' + "\n".join(lines)


def page_of_source(file):
    fence = "`" * 4
    return f"# {file}\n\n{fence}{LANGUAGES.get(Path(file).suffix, '')}\n{Path(file).read_text().rstrip()}\n{fence}\n"


def fenced(text, language=""):
    return f"````{language}\n{text.rstrip()}\n````\n"


def shown_output(output):
    """An output of a cell: its picture, or else its text."""
    data = output.get("data", {})
    if "image/png" in data:
        return f'<img alt="" src="data:image/png;base64,{"".join(data["image/png"]).strip()}">\n'.replace("\n", "") + "\n"
    text = output.get("text") or data.get("text/plain")
    return fenced("".join(text)) if text else ""


def page_of_notebook(file):
    parts = []
    for cell in json.loads(Path(file).read_text())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source + "\n")
        elif source.strip():
            parts += [fenced(source, "python"), *map(shown_output, cell.get("outputs", []))]
    return "\n".join(part for part in parts if part)


def title_of(file, folder):
    """The first heading of a notebook; the name of any other file."""
    heading = re.search(r"^# (.*)", page_of_notebook(file), re.M) if file.endswith(".ipynb") else None
    return heading[1] if heading else os.path.relpath(file, folder)


def page_of_folder(folder, queue):
    """A list of what is in a folder, and links to it if that is little."""
    inside = sorted(path.as_posix() for path in Path(folder).rglob("*")
                    if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("."))
    linked = [file for file in inside if Path(file).suffix in (*LANGUAGES, ".ipynb", ".md")]
    if len(linked) > LARGEST_LISTING:
        return f"# {folder}\n\nThe folder `{folder}` of the repository, with {len(inside)} files.\n"
    queue += linked
    place = os.path.dirname(place_of(folder))
    items = (f"- [{title_of(file, folder)}]({os.path.relpath(place_of(file), place)})" for file in linked)
    return f"# {folder}\n\n" + "\n".join(items) + "\n"


def page_of(file, queue):
    """The text of the site's page for a file or folder of the repository."""
    if Path(file).is_dir():
        return page_of_folder(file, queue)
    if file.endswith(".ipynb"):
        return moved_links(file, page_of_notebook(file), queue)
    if file.endswith(".md"):
        return moved_links(file, REMARK.sub("", Path(file).read_text()), queue)
    return page_of_source(file)


def page_of_headers():
    """The headers with links to their pages by Doxygen, and what library.md says of them."""
    said = dict(re.findall(r"^\| `clade/(\w+\.h)` \| (.*) \|$", Path("docs/library.md").read_text(), re.M))

    def row(header):
        page = header.replace("_", "__").replace(".", "_8")  # as Doxygen names it
        return f"| [`clade/{header}`](cpp/{page}.html) | {said.get(header, '')} |"

    rows = "\n".join(row(path.name) for path in sorted(Path("include/clade").glob("*.h")))
    return ("# The C++ headers\n\n[The reference](cpp/index.html), made by Doxygen, shows every class and function with its "
            "comments. [The C++ library](library.md) is the introduction.\n\n"
            f"| header | what it declares |\n|---|---|\n{rows}\n")


def page_for_doxygen(staged):
    """library.md with links out of the folder cpp/ to the site's pages."""

    def out(target):
        page = re.sub(r"\.md(?=$|#)", ".html", re.sub(r"\bREADME\.md", "index.md", target))
        return target if target.startswith("#") else f"../{page}"

    plain = re.sub(r" \{ #[\w-]+ \}$", "", staged.split("---\n", 2)[2], flags=re.M)
    title, rest = with_links(plain.lstrip(), out).split("\n", 1)
    return f"{title}\n\n[Back to the documentation](../index.html)\n{rest}"


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    queue = [path.as_posix() for path in sorted(Path("docs").rglob("*"))
             if path.is_file() and path.suffix not in (".yml", "") and "theme" not in path.parts]
    queue += [file for file in ALWAYS if Path(file).exists()]
    done = set()
    while queue:
        file = queue.pop()
        place = Path(folder) / place_of(file)
        if file in done:
            continue
        done.add(file)
        place.parent.mkdir(parents=True, exist_ok=True)
        if is_copied(file):
            shutil.copyfile(file, place)
        else:
            place.write_text(with_anchors(page_of(file, queue)))
    (Path(folder) / "headers.md").write_text(page_of_headers())
    (Path(folder).parent / "library.md").write_text(page_for_doxygen((Path(folder) / "library.md").read_text()))


main(sys.argv[1])
