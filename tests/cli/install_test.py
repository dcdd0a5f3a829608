"""An installed Clade serves other builds: find_package(clade), pkg-config, and the tool."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from clade_tool import CLADE, FULL, SOURCE, cached, run, run_json
from team import reason_to_skip, run_team

TREE = Path(CLADE).parent
EXAMPLES = SOURCE / "examples"
VERSION = run("--version").stdout.split()[1]


def check(command, **options):
    process = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert process.returncode == 0, f"{command}\n{process.stdout}{process.stderr}"
    return process.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    if cached("CLADE_SANITIZE") or cached("CLADE_COVERAGE") == "ON":
        pytest.skip("an instrumented library needs instrumented users")
    folder = tmp_path_factory.mktemp("prefix")
    check(["cmake", "--install", TREE, "--prefix", folder])
    return folder


TEXTS = {"science/space": "telescope orbit moon comet star", "science/life": "cell gene protein virus tissue",
         "sport/tennis": "serve court racket set ace", "sport/football": "goal striker penalty keeper match"}


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A training and a test file: words of the subject, and one that says nothing."""
    folder = tmp_path_factory.mktemp("texts")
    for name, shift in (("train", 0), ("test", 1)):
        lines = []
        for label, words in TEXTS.items():
            words = words.split()
            for k in range(6):
                own = [words[(k + shift + d) % len(words)] for d in range(2 + (k + shift) % 2)]
                lines.append(json.dumps({"doc_label": label, "text": " ".join(own + ["report"])}))
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def check_examples(programs, texts, tmp_path):
    model = tmp_path / "model.clade"
    said = check([programs / "train_predict_explain", texts / "train.jsonl", texts / "test.jsonl", model])
    assert said.startswith("0: science/space (")
    assert "(root) -> science\n" in said and "science -> science/space\n" in said
    # The numbers of the command line, to the last bit.
    told = run_json("evaluate", model, texts / "test.jsonl")
    for measure in ("accuracy", "hierarchical_f1"):
        assert float(next(line.split()[1] for line in said.splitlines() if line.startswith(measure))) == told[measure]
    assert check([programs / "train_in_memory"]) == "mammal/cat\nbird/owl\n"
    compared = check([programs / "select_compare"]).splitlines()
    assert compared[0].startswith("best at the root: ") and len(compared) == 5
    ranks = [float(line.split()[-1]) for line in compared[1:4]]
    assert ranks == sorted(ranks) and sum(ranks) == pytest.approx(6, abs=0.02)
    assert 0 <= float(compared[4].split()[-1]) <= 1


def test_find_package(prefix, texts, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    shutil.copytree(EXAMPLES, project, dirs_exist_ok=True)
    programs = "".join(f"add_executable({path.stem} {path.name})\n" for path in sorted(EXAMPLES.glob("*.cpp")))
    (project / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES CXX)\nfind_package(clade {VERSION} REQUIRED)\n"
        "link_libraries(clade::clade)\n" + programs)
    build = tmp_path / "build"
    check(["cmake", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
           f"-DCMAKE_CXX_COMPILER={cached('CMAKE_CXX_COMPILER')}"])
    check(["cmake", "--build", build])
    check_examples(build, texts, tmp_path)


def test_pkg_config(prefix, tmp_path):
    folder = next(prefix.rglob("pkgconfig"))
    # The file names the prefix given when configuring; a moved one is said so.
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder)}
    flags = check(["pkg-config", f"--define-variable=prefix={prefix}", "--cflags", "--libs", "clade"],
                  env=environment).split()
    program = tmp_path / "user"
    check([cached("CMAKE_CXX_COMPILER"), "-std=c++20", EXAMPLES / "train_in_memory.cpp", *flags, "-o", program])
    assert check([program]) == "mammal/cat\nbird/owl\n"
    assert check(["pkg-config", "--modversion", "clade"], env=environment).strip() == VERSION


def test_library_page_shows_the_examples():
    page = (SOURCE / "docs" / "library.md").read_text()
    for example in sorted(EXAMPLES.glob("*.cpp")):
        assert f"examples/{example.name}" in page
        for block in page.split("```cpp\n")[1:]:
            # Every line that the page shows stands in some example.
            for line in block.split("```")[0].splitlines():
                text = line.split("  //")[0].strip()
                assert text in ("", "...") or any(text in path.read_text() for path in EXAMPLES.glob("*.cpp")), line


def test_the_installed_tool_runs(prefix):
    assert check([prefix / "bin" / "clade", "--version"]) == run("--version").stdout


def test_the_installed_tool_works_on_several_processes(prefix, tmp_path):
    if reason_to_skip():
        pytest.skip(reason_to_skip())
    data = tmp_path / "data.npz"
    run("synth", "-o", data)
    train = ["train", data, "--classifier", "top-down-svm", "--quiet", "-o"]
    run(*train, tmp_path / "one.clade")
    run_team(2, *train, tmp_path / "two.clade", program=prefix / "bin" / "clade")
    assert (tmp_path / "one.clade").read_bytes() == (tmp_path / "two.clade").read_bytes()


def test_manual_pages_and_completion_are_installed(prefix):
    pages = sorted(path.name for path in (prefix / "share" / "man" / "man1").iterdir())
    assert pages == sorted(["clade.1", *(f"clade-{command}.1" for command in run_json("help")["commands"])])
    assert (prefix / "share" / "man" / "man1" / "clade-train.1").read_text() == run("man", "train").stdout
    assert (prefix / "share" / "bash-completion" / "completions" / "clade").read_text() == run("completion", "bash").stdout


def test_public_headers_stand_alone(prefix, tmp_path):
    """Each by itself takes half a minute: otherwise all of them in two orders, so that no header needs both those before and
    those behind it."""
    names = sorted(header.name for header in (prefix / "include" / "clade").glob("*.h"))
    for order in ([[name] for name in names] if FULL else [names, names[::-1]]):
        source = tmp_path / "one.cpp"
        source.write_text("".join(f"#include <clade/{name}>\n" * 2 for name in order))
        check([cached("CMAKE_CXX_COMPILER"), "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
               f"-I{prefix / 'include'}", source])
