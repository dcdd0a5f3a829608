"""Data flows one way: a folder of src/ includes only itself and what stands to its left; so do tests and public headers.
The command line uses the public headers and the report alone."""

import re

from clade_tool import SOURCE

FOLDERS = ["core", "math", "comm", "taxonomy", "data", "io", "induce", "select", "classify", "evaluate", "model", "pipeline",
           "experiment", "report", "serve", "cli"]

# The room of every public header: that of the rightmost type it needs.
ROOMS = {
    "core": ["types", "error", "names", "context", "parameters", "methods", "version"],
    "math": ["build"],
    "comm": ["team"],
    "taxonomy": ["taxonomy"],
    "data": ["dataset", "text", "split", "summary", "synthetic", "feature_tree"],
    "io": ["io", "format_names", "predictions", "wordnet", "data"],
    "induce": ["learn"],
    "select": ["select"],
    "classify": ["model", "node_scores", "conformal", "decide", "train", "predict", "explain"],
    "evaluate": ["evaluate", "compare", "cluster", "paired"],
    "pipeline": ["pipeline", "recipes"],
    "experiment": ["experiment", "experiment_results", "diagnose", "plan", "clade"],
}
ROOM_OF = {header: room for room, headers in ROOMS.items() for header in headers}


def rank(folder):
    return FOLDERS.index(folder)


def includes(path):
    """(room, line) of every include of Clade's."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        own = re.match(r'#include "([a-z]+)/', line)
        public = re.match(r"#include <clade/([a-z_]+)\.h>", line)
        if own and own.group(1) in FOLDERS:
            yield own.group(1), f"{path.relative_to(SOURCE)}:{number}: {line}"
        elif public:
            yield ROOM_OF[public.group(1)], f"{path.relative_to(SOURCE)}:{number}: {line}"


def sources(folder):
    return [path for pattern in ("*.h", "*.cpp") for path in sorted((SOURCE / folder).rglob(pattern))]


def test_every_public_header_has_a_room():
    present = {path.stem for path in (SOURCE / "include" / "clade").glob("*.h")} | {"version"}
    assert present == set(ROOM_OF)


def test_every_folder_is_in_the_line():
    assert {path.name for path in (SOURCE / "src").iterdir() if path.is_dir()} <= set(FOLDERS)


def test_sources_include_only_what_stands_to_their_left():
    wrong = [line for folder in FOLDERS for path in sources(f"src/{folder}") for room, line in includes(path)
             if rank(room) > rank(folder)]
    assert wrong == []


def test_public_headers_include_only_what_stands_to_their_left():
    wrong = [line for path in sources("include") for room, line in includes(path)
             if rank(room) > rank(ROOM_OF[path.stem])]
    assert wrong == []


def test_tests_include_only_what_stands_to_their_left():
    wrong = [line for folder in FOLDERS for path in sources(f"tests/{folder}") for room, line in includes(path)
             if rank(room) > rank(folder)]
    assert wrong == []


def test_the_command_line_uses_the_public_library_and_the_report():
    # How much memory the process may take, and from where, is not for the library to say; nor is how its time is recorded.
    allowed = re.compile(r'#include (<[^>]*>|"(cli|report)/[^"]*"|"core/(large_memory|large_pages|memory_size|loop_record).h")$')
    wrong = [f"{path.name}: {line}" for path in sources("src/cli") for line in path.read_text().splitlines()
             if line.startswith("#include") and not allowed.match(line)]
    assert wrong == []


def test_only_the_command_line_knows_flags():
    flag = re.compile(r'"(?:[^"\\]|\\.)*(?<![\w-])--[a-z][^"]*"')
    wrong = [f"{path.relative_to(SOURCE)}: {line.strip()}" for folder in FOLDERS if folder != "cli"
             for path in sources(f"src/{folder}") for line in path.read_text().splitlines() if flag.search(line)]
    assert wrong == []


def test_no_third_party_type_in_public_headers():
    wrong = [f"{path.name}: {line}" for path in sources("include") for line in path.read_text().splitlines()
             if re.match(r"#include <(?!clade/)[^>]*[/.]", line) or re.search(r"\b(Eigen|nlohmann|fmt|boost)::", line)]
    assert wrong == []


def test_memory_is_fetched_ahead_by_one_function():
    """g++ drops calls of functions that do nothing but __builtin_prefetch(): core/fetch_ahead.h."""
    users = {str(path.relative_to(SOURCE)) for path in (SOURCE / "src").rglob("*.[hc]*") if "__builtin_prefetch" in path.read_text()}
    assert users == {"src/core/fetch_ahead.h"}
