"""Data larger than memory: the same bytes as with all memory, under a limit that the data exceed."""

import os
import resource
import subprocess

import numpy as np
import pytest
from clade_tool import CLADE, error_line, run

MEGA = 1 << 20
LIMIT = 72 * MEGA  # of private memory; the values alone take more


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """16 classes in four groups, 3,000 samples x 3,500 features: 84 MB in memory."""
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.RandomState(3)
    labels = rng.randint(16, size=3000)
    centres = rng.normal(0, 1, (16, 3500)) + np.repeat(rng.normal(0, 1, (4, 3500)), 4, axis=0)
    np.savez(folder / "data.npz", X=centres[labels] + rng.normal(0, 4, (3000, 3500)),
             y=np.array([f"g{c // 4}/c{c}" for c in labels]))
    yield folder / "data.npz"
    (folder / "data.npz").unlink()


def limited(*arguments, folder):
    """Runs the tool where it cannot have more than LIMIT of memory of its own."""
    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    return subprocess.run([CLADE, *map(str, arguments), "--threads", "2"], check=False, capture_output=True, text=True, preexec_fn=limit,
                          cwd=folder, env={**os.environ, "TMPDIR": str(folder)})


def test_a_limit_that_the_data_exceed_changes_nothing(data, tmp_path):
    commands = {
        "svm.clade": ["train", data, "--classifier", "top-down-svm", "--iterations", 3],
        "perceptron.clade": ["train", data, "--classifier", "hierarchical-perceptron", "--epochs", 1],
        "hieron.clade": ["train", data, "--classifier", "hieron", "--epochs", 1],
        "fisher.csv": ["select", data, "--method", "hier-fisher", "--top", 10],
    }
    for name, command in commands.items():
        run(*command, "-o", tmp_path / f"all_{name}", "--threads", 2)
        process = limited(*command, "-o", tmp_path / name, folder=tmp_path)
        assert process.returncode == 0, process.stderr
        assert "went through temporary files" in process.stderr
        assert (tmp_path / name).read_bytes() == (tmp_path / f"all_{name}").read_bytes(), name
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*commands, *(f"all_{name}" for name in commands)])


def test_the_limit_of_the_tool(data, tmp_path):
    command = ["train", data, "--classifier", "top-down-svm", "--iterations", 2]
    run(*command, "-o", tmp_path / "all.clade")
    process = run(*command, "-o", tmp_path / "limited.clade", "--memory-limit", "64M")
    assert "went through temporary files" in process.stderr
    assert (tmp_path / "all.clade").read_bytes() == (tmp_path / "limited.clade").read_bytes()
    assert "--memory-limit: '1Q'" in error_line("info", data, "--memory-limit", "1Q")
    assert "went through" not in run("info", data).stderr


def test_stored_arrays_are_read_where_they_stand(tmp_path):
    """An array that is stored as it is comes in several pieces of the file, one that is packed through a copy."""
    rng = np.random.RandomState(5)
    labels = rng.randint(4, size=2500)
    values = rng.randint(3, size=(2500, 3600)).astype(float)  # 72 MB
    values[:, 17] += labels
    names = np.array([f"g{c // 2}/c{c}" for c in labels])
    np.savez(tmp_path / "stored.npz", X=values, y=names)
    np.savez_compressed(tmp_path / "packed.npz", X=values, y=names)
    rankings = []
    for name in ["stored", "packed"]:
        run("select", tmp_path / f"{name}.npz", "--method", "hier-fisher", "-o", tmp_path / f"{name}.csv")
        rankings.append((tmp_path / f"{name}.csv").read_bytes())
    assert rankings[0] == rankings[1]
    damaged = bytearray((tmp_path / "stored.npz").read_bytes())
    damaged[68 << 20] ^= 1  # in the second piece
    (tmp_path / "damaged.npz").write_bytes(damaged)
    assert "corrupt archive" in error_line("info", tmp_path / "damaged.npz")


def test_arrays_that_stand_right_are_used_in_the_file(data, tmp_path):
    """A .npy file needs no copy; one with missing values does."""
    arrays = np.load(data)
    values = arrays["X"][:2600]  # 73 MB
    np.savetxt(tmp_path / "labels.txt", arrays["y"][:2600], fmt="%s")
    np.save(tmp_path / "data.npy", values)
    command = ["train", tmp_path / "data.npy", "--labels-file", tmp_path / "labels.txt", "--classifier", "top-down-svm", "--iterations", 2]
    run(*command, "-o", tmp_path / "all.clade")
    process = run(*command, "-o", tmp_path / "limited.clade", "--memory-limit", "64M")
    assert "went through temporary files" not in process.stderr
    assert (tmp_path / "all.clade").read_bytes() == (tmp_path / "limited.clade").read_bytes()
    values[17, 3] = np.nan
    np.save(tmp_path / "data.npy", values)
    before = (tmp_path / "data.npy").read_bytes()
    run(*command, "-o", tmp_path / "all.clade", "--missing", "mean", "--force")
    process = run(*command, "-o", tmp_path / "limited.clade", "--missing", "mean", "--memory-limit", "64M", "--force")
    assert "went through temporary files" in process.stderr
    assert (tmp_path / "all.clade").read_bytes() == (tmp_path / "limited.clade").read_bytes()
    assert (tmp_path / "data.npy").read_bytes() == before


def test_without_room_for_files_the_limit_holds(data, tmp_path):
    """The tool then says so, instead of taking memory until the system stops it."""
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (MEGA, MEGA))
    process = subprocess.run([CLADE, "info", data, "--memory-limit", "64M"], check=False, capture_output=True, text=True,
                             preexec_fn=small_files)
    assert process.returncode == 1
    assert "memory" in process.stderr
    assert run("info", data).returncode == 0
