#!/usr/bin/python3
"""Runs clang-tidy on what has changed since the last tag or, if there is none, since the previous commit.

Usage: scripts/tidy_changed.py BUILD_TREE JOBS

Changed sources are checked directly, and changed headers through one source that includes them: their own, or else the
one that includes least. Uncommitted files go first, then those of the latest commits; beyond the first MOST it only
says how many are left to `make lint`, which checks everything.
"""

import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

MOST = 24

tree, jobs = sys.argv[1:]
root = Path(__file__).resolve().parent.parent


def git(*arguments):
    """The lines that git prints, or nothing if it fails (no repository, no such commit) or is not there."""
    if shutil.which("git") is None:
        return []
    process = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    return process.stdout.splitlines() if process.returncode == 0 else []


def base():
    """The commit to compare the working tree with. A tag on the current commit does not count."""
    for commit in git("describe", "--tags", "--abbrev=0", "HEAD~1") + ["HEAD~1"]:
        if git("rev-parse", "--verify", "--quiet", commit + "^{commit}"):
            return commit
    return None


def changed_files(commit):
    """Latest first."""
    lines = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    lines += git("log", "--first-parent", "-m", "--name-only", "--format=", f"{commit}..HEAD")
    return [line for line in dict.fromkeys(lines) if (root / line).is_file()]


def included_by():
    """Maps each header to the files that include it by name, as paths from the root."""
    users = defaultdict(set)
    for file in [*root.glob("src/**/*.h"), *root.glob("src/**/*.cpp"), *root.glob("include/**/*.h")]:
        for kind, name in re.findall(r'^#include ([<"])([^>"]+)', file.read_text(), re.MULTILINE):
            users[f"src/{name}" if kind == '"' else f"include/{name}"].add(str(file.relative_to(root)))
    return users


def source_for(header, users):
    """The source through which a header is checked, or None if no source includes it."""
    own = Path(header).with_suffix(".cpp")
    if (root / own).is_file():
        return str(own)
    seen, front = {header}, {header}
    while front:
        front = {user for file in front for user in users[file]} - seen
        sources = [file for file in front if file.endswith(".cpp")]
        if sources:
            return min(sources, key=lambda file: ((root / file).read_text().count("#include"), file))
        seen |= front
    return None


def sources_to_check(files):
    users = included_by()
    sources = []
    for file in files:
        if re.fullmatch(r"src/.*\.cpp", file):
            sources.append(file)
        elif re.fullmatch(r"(src|include)/.*\.h", file):
            sources += filter(None, [source_for(file, users)])
    return list(dict.fromkeys(sources))


def main():
    if shutil.which("clang-tidy-19") is None:
        print("tidy-changed: skipped, no clang-tidy-19")
        return 0
    commit = base()
    if commit is None:
        print("tidy-changed: skipped, no earlier commit to compare with")
        return 0
    sources = sources_to_check(changed_files(commit))
    print(f"tidy-changed: {min(len(sources), MOST)} of {len(sources)} sources that changed since {commit}"
          + ("; make lint checks them all" if len(sources) > MOST else ""), flush=True)
    stamps = [f"lint/{source}.stamp" for source in sources[:MOST]]
    return subprocess.run(["ninja", "-C", tree, "-j", jobs, *stamps]).returncode if stamps else 0


sys.exit(main())
