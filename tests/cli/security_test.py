"""What SECURITY.md promises about hostile files, tried."""

import gzip
import io
import os
import pty
import random
import subprocess
import tarfile

import numpy as np
import pytest
from clade_tool import CLADE, error_line, run, run_json

SCRIPTS = ['x/<script>alert(1)</script>', 'x/"><img src=q onerror=alert(2)>', "y/</script><script>alert(3)</script>"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hostile_names(folder):
    rows = [f"{i % 3},{i % 2 + k},{name.replace(chr(34), chr(34) * 2)!s}" for i in range(20)
            for k, name in enumerate(SCRIPTS)]
    (folder / "data.csv").write_text("a,b,label\n" + "\n".join(rows) + "\n")


def test_members_of_archives_stay_in_memory(folder):
    with tarfile.open("texts.tar", "w") as archive:
        for name in ("../../escaped/a.txt", f"{folder}/absolute/b.txt", "cats/c.txt"):
            member = tarfile.TarInfo(name)
            member.size = 5
            archive.addfile(member, io.BytesIO(b"hello"))
        link = tarfile.TarInfo("cats/link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    before = {path for path in folder.parent.rglob("*")}
    assert run_json("info", "texts.tar")["samples"] == 2  # neither the link nor what begins with a dot
    assert {path for path in folder.parent.rglob("*")} == before


def test_links_to_folders_are_not_followed(folder):
    for name in ("cats", "dogs"):
        (folder / "texts" / name).mkdir(parents=True)
        (folder / "texts" / name / "1.txt").write_text(name)
    (folder / "texts" / "cats" / "up").symlink_to("..")
    (folder / "texts" / "all").symlink_to(".")
    (folder / "other.txt").write_text("elsewhere")
    (folder / "texts" / "dogs" / "2.txt").symlink_to(folder / "other.txt")
    shown = run_json("info", "texts")
    assert shown["samples"] == 3  # a link to a file is followed
    assert any("2 links skipped" in note for note in shown["warnings"])


def test_names_do_not_run_in_reports(folder):
    hostile_names(folder)
    run("train", "data.csv", "-o", "model.clade")
    run("report", "model.clade", "--data", "data.csv", "-o", "page.html")
    page = (folder / "page.html").read_text()
    assert "alert(1)" in page
    for hostile in ("<script>alert", "<img src=q", "</script><script>alert"):
        assert hostile not in page
    assert "default-src 'none'" in page


def test_any_changed_byte_of_a_model_is_found(folder):
    hostile_names(folder)
    run("train", "data.csv", "-o", "model.clade")
    model = (folder / "model.clade").read_bytes()
    draw = random.Random(1)
    for _ in range(30):
        changed = bytearray(model)
        changed[draw.randrange(len(model))] ^= 1 << draw.randrange(8)
        for damaged in (bytes(changed), model[:draw.randrange(len(model))]):
            (folder / "damaged.clade").write_bytes(damaged)
            error_line("predict", "damaged.clade", "data.csv", "-o", "out.csv")
    assert not (folder / "out.csv").exists()


BAD_FILES = {
    "cycle.csv": (b"child,parent\na,b\nb,c\nc,a\n", "cycle"),
    "deep.json": (b'{"name":"r","children":[' * 200000 + b"]}" * 200000, "nested too deeply"),
    "nul.csv": (b"a,label\n1,x\0y\n", "binary"),
    "short.csv.gz": (gzip.compress(b"a,label\n1,x\n" * 1000)[:-20], "corrupt compressed file"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_bytes_are_refused_with_one_line(folder, name):
    content, expected = BAD_FILES[name]
    (folder / name).write_bytes(content)
    assert expected in error_line("info", name)


def test_pickles_are_never_loaded(folder):
    np.save("objects.npy", np.array([{"a": 1}, 2], dtype=object), allow_pickle=True)
    assert "never loaded" in error_line("info", "objects.npy")


def test_names_do_not_control_the_terminal(folder):
    (folder / "data.csv").write_bytes("a,label\n1,\x1b[31mred\n2,\u009b31mblue\n3,plain\n".encode())
    assert "\x1b[31mred" in run("info", "data.csv").stdout  # programs get names as they are
    main, side = pty.openpty()
    subprocess.run([CLADE, "info", "data.csv"], stdout=side, stderr=subprocess.DEVNULL, check=True)
    os.close(side)
    shown = b""
    try:
        while block := os.read(main, 65536):
            shown += block
    except OSError:
        pass  # the end of a terminal
    os.close(main)
    assert b"\\x1b[31mred" in shown and b"\\x9b31mblue" in shown
    assert b"\x1b" not in shown and b"\xc2\x9b" not in shown


def test_experiments_name_no_outputs(folder):
    (folder / "e.toml").write_text('output = "/etc/passwd"\n[[data]]\nfile = "x.csv"\n')
    assert "no key 'output'" in error_line("experiment", "e.toml", "-o", "results")
    (folder / "e.toml").write_text('[[data]]\nname = "d"\nfile = "${CLADE_NO_SUCH_VARIABLE}/x.csv"\n')
    assert "CLADE_NO_SUCH_VARIABLE is not set" in error_line("experiment", "e.toml", "-o", "results")


def test_existing_files_stay(folder):
    hostile_names(folder)
    (folder / "victim").write_text("precious")
    (folder / "out.arff").symlink_to("victim")
    error_line("convert", "data.csv", "-o", "out.arff")
    run("convert", "data.csv", "-o", "out.arff", "--force")
    assert (folder / "victim").read_text() == "precious"
    assert not (folder / "out.arff").is_symlink() and run_json("info", "out.arff")["samples"] == 60
