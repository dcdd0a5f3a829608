"""Shell completion and manual pages, made from the same descriptions as the help."""

import re
import shlex
import shutil
import subprocess

import pytest
from clade_tool import CLADE, error_line, run, run_json

COMMANDS = run_json("help")["commands"]


def bash_completes(tmp_path, *words):
    """What bash offers for the last word."""
    (tmp_path / "clade.bash").write_text(run("completion", "bash").stdout)
    script = (f"source {tmp_path}/clade.bash\nCOMP_WORDS=({' '.join(repr(word) for word in words)})\n"
              f"COMP_CWORD={len(words) - 1}\n_clade\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n")
    process = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert process.stderr == ""
    return process.stdout.split()


def test_bash_completes_commands_options_and_values(tmp_path):
    assert bash_completes(tmp_path, "clade", "tr") == ["train"]
    assert set(COMMANDS) <= set(bash_completes(tmp_path, "clade", ""))
    assert bash_completes(tmp_path, "clade", "train", "x.csv", "--classif") == ["--classifier"]
    assert "--min-documents" in bash_completes(tmp_path, "clade", "info", "--")
    assert bash_completes(tmp_path, "clade", "train", "--classifier", "top-down-s") == ["top-down-svm"]
    assert bash_completes(tmp_path, "clade", "select", "--method", "hier-fi") == ["hier-fisher"]
    assert bash_completes(tmp_path, "clade", "info", "x.csv", "--missing", "dr") == ["drop-sample"]
    assert bash_completes(tmp_path, "clade", "help", "tr") == ["train"]
    assert bash_completes(tmp_path, "clade", "completion", "z") == ["zsh"]
    (tmp_path / "data.csv").write_text("")
    assert bash_completes(tmp_path, "clade", "info", "da") == ["data.csv"]


def test_bash_registers_the_function():
    process = subprocess.run(["bash", "--norc", "-c", f"source <({CLADE} completion bash); complete -p clade"],
                             capture_output=True, text=True, check=True)
    assert "-F _clade clade" in process.stdout


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(shell, tmp_path):
    script = run("completion", shell).stdout
    for command in COMMANDS:
        assert re.search(rf"\b{command}\b", script)
    assert "top-down-svm" in script and "drop-sample" in script
    for line in script.splitlines():
        shlex.split(line.removesuffix(" \\"))  # all quotes are closed
    if shutil.which(shell):
        (tmp_path / "script").write_text(script)
        subprocess.run([shell, "-n", tmp_path / "script"], check=True)


def test_an_unknown_shell():
    assert error_line("completion", "tcsh") == "no completion for 'tcsh'; expected bash, zsh or fish"


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_manual_pages_are_sound(command, tmp_path):
    page = run("man", *([command] if command else [])).stdout
    name = f"clade-{command}" if command else "clade"
    assert page.startswith(f".TH {name.upper()} 1 ".replace("-", "\\-"))
    for section in ("NAME", "SYNOPSIS", "SEE ALSO"):
        assert f'.SH "{section}"' in page or f".SH {section}" in page
    # Every line that begins with a dot is a request that is meant.
    assert {line.split()[0] for line in page.splitlines() if line.startswith(".")} <= {".TH", ".SH", ".SS", ".TP", ".nf", ".fi", ".BR"}
    if shutil.which("groff"):
        (tmp_path / "page.1").write_text(page)
        process = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", tmp_path / "page.1"], capture_output=True, text=True)
        assert process.returncode == 0 and process.stderr == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_manual_pages_have_every_option_of_the_reference(command):
    reference = run("--reference").stdout.split(f"\n## clade {command}\n")[1].split("\n## ")[0]
    page = run("man", command).stdout.replace("\\-", "-")
    for flag in re.findall(r"^\| `(--[a-z0-9-]+)`", reference, re.MULTILINE):
        assert re.search(rf"{flag}\b", page), flag
