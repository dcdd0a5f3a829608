"""Commands that no test runs as they stand still name options and methods that exist: the examples of every `--help`, the
synopses of pages, and examples that pages leave out."""

import re
import shlex

import pytest
from clade_tool import SOURCE, attempt, run, run_json
from page_examples import is_synopsis, pages, steps_of

LEFT_OUT = [(f"{page}:{step.line}", step.what) for page in pages() for step in steps_of(page)
            if step.kind == "not run" or step.kind == "bare" and is_synopsis(step.what)]


def examples_of_help():
    """Where an example of a command's help stands, and the example."""
    for command in run_json("help")["commands"]:
        text = run(command, "--help-all").stdout.split("\nExamples:\n")[1].replace("\\\n", "")
        for line in text.splitlines():
            yield f"clade {command} --help", line.strip()


def arguments_of(line):
    """The arguments of a line that runs clade, or none: without comments, and what a shell does with the output."""
    words = shlex.split(line, comments=True)
    if words[:1] not in (["clade"], ["build/clade"]) or words[1:2] and words[1].isupper():
        return None
    ends = [k for k, word in enumerate(words) if word == "|" or word.startswith(">")]
    words = ["top-down-svm" if before == "--classifier" and word.isupper() else word for before, word in zip(["", *words], words)]
    return words[1 : min(ends, default=len(words))]


def check_others(line):
    """Scripts are there, and targets of make."""
    for word in line.split("  #")[0].split():
        assert not re.match(r"(bench|scripts|experiments)/.*\.(py|sh)$", word) or (SOURCE / word).is_file(), line
    for target in re.findall(r"^make ([\w-]+)", line):
        assert re.search(rf"^(\w[\w -]*)?\b{target}\b.*:", (SOURCE / "Makefile").read_text(), re.M), line


def smaller(arguments):
    """Arguments of `clade synth`, for a few samples."""
    arguments = ["20" if before in ("--samples", "--documents") else word for before, word in zip(["", *arguments], arguments)]
    return arguments + ["--documents", "20"] if "--text" in arguments and "--documents" not in arguments else arguments


@pytest.mark.parametrize("place, line", [*examples_of_help(), *LEFT_OUT])
def test_options_exist_and_go_together(place, line, tmp_path):
    """In an empty folder a command can complain of nothing but a file that is not there; one that reads none is run."""
    arguments = arguments_of(line)
    if arguments is None:
        return check_others(line)
    if arguments[0] == "synth":
        arguments = smaller(arguments)
    process = attempt(*arguments, *(["--quiet"] if arguments[0] != "--version" else []), cwd=tmp_path)
    if process.returncode:
        missing = re.fullmatch(r"clade: [^;]*: no such file[^\n]*\n", process.stderr)
        assert process.returncode == 2 and missing, f"{place}: {line}\n{process.stderr}"


def methods_parameters():
    """The flags of all methods' parameters."""
    methods = run_json("methods")
    every = [method for family in methods.values() for method in family]
    return {f"--{parameter['name']}" for method in every for parameter in method.get("parameters", [])}


def test_options_in_the_text_of_pages_exist():
    """Every option behind `clade COMMAND`, in code within a sentence."""
    commands, parameters, unknown = set(run_json("help")["commands"]), methods_parameters(), []
    known = {command: set(re.findall(r"--[a-z][\w-]*", run(command, "--help-all").stdout)) | parameters for command in commands}
    for page in pages():
        for command, rest in re.findall(r"`clade ([a-z][a-z-]*)([^`]*)`", (SOURCE / page).read_text()):
            wrong = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", rest)) - known.get(command, set()) - {"--help", "--help-all"}
            unknown += [f"{page}: clade {command} {option}" for option in sorted(wrong)]
            unknown += [f"{page}: clade {command}"] * (command not in commands)
    assert not unknown, "\n".join(unknown)
