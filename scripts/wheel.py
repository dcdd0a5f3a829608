#!/usr/bin/python3
"""Puts the libraries that a wheel needs into it, so that it runs on machines that do not have them.

Usage: scripts/wheel.py WHEEL FOLDER

Does what `auditwheel repair` does, and leaves it to that program where there is one. What stays outside is what every
Linux has: glibc and the runtime of g++ (PEP 600). All else comes into clade.libs/, under names that no other package
has, and the files of the wheel look for it there alone. The name of the wheel says how old the system may be.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SYSTEM_LIBRARIES = re.compile(
    r"(linux-vdso|ld-linux-[a-z0-9_-]+|libc|libm|libdl|libpthread|librt|libutil|libresolv|libgcc_s|libstdc\+\+)\.so"
)

# The last version of libstdc++'s symbols (GLIBCXX_3.4.x) on systems with glibc 2.y, as in the policies of manylinux.
LIBSTDCXX_OF_GLIBC = {17: 19, 24: 22, 27: 24, 28: 25, 31: 28, 34: 29, 35: 30, 38: 32, 39: 33}


def output_of(*command: str | Path) -> str:
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def libraries_of(file: Path) -> dict[str, Path]:
    """The libraries that the loader takes for a file, and for them in turn, other than the system's."""
    found = {}
    for line in output_of("ldd", file).splitlines():
        match = re.match(r"\s*(\S+) => (\S+|not found)", line)
        if match is None or SYSTEM_LIBRARIES.match(match[1]):
            continue
        if match[2] == "not found":
            raise SystemExit(f"wheel.py: {file.name} needs {match[1]}, which is not on this machine; install it")
        found[match[1]] = Path(match[2])
    return found


def own_name(library: Path, name: str) -> str:
    """libfmt.so.9 becomes libfmt-1a2b3c4d.so.9."""
    stem, rest = name.split(".so", 1)
    return f"{stem}-{hashlib.sha256(library.read_bytes()).hexdigest()[:8]}.so{rest}"


def set_libraries(file: Path, names: dict[str, str], folder: str) -> None:
    """Makes a file look for its libraries by their new names, in a folder relative to its own."""
    needed = [name for name in output_of("patchelf", "--print-needed", file).split() if name in names]
    place = f"$ORIGIN/{folder}".rstrip("/")
    # One after the other: patchelf 0.14 mixes up the texts of two changes at a time.
    output_of("patchelf", "--set-rpath", place, file)
    for name in needed:
        output_of("patchelf", "--replace-needed", name, names[name], file)
    found = output_of("patchelf", "--print-rpath", file).strip(), output_of("patchelf", "--print-needed", file).split()
    if found[0] != place or not {names[name] for name in needed} <= set(found[1]):
        raise SystemExit(f"wheel.py: patchelf has spoilt {file.name}; try another version of it")


def bring_libraries(wheel: Path) -> list[Path]:
    """Copies libraries into an unpacked wheel; returns where they were."""
    files = [path for path in wheel.rglob("*.so*") if is_elf(path)]
    libraries: dict[str, Path] = {}
    for file in files:
        libraries |= libraries_of(file)
    names = {name: own_name(path, name) for name, path in libraries.items()}
    inside = wheel / "clade.libs"
    inside.mkdir()
    for name, path in libraries.items():
        copy = inside / names[name]
        shutil.copyfile(path, copy)
        output_of("patchelf", "--set-soname", names[name], copy)
        set_libraries(copy, names, "")
    for file in files:
        set_libraries(file, names, "../" * (len(file.relative_to(wheel).parts) - 1) + "clade.libs")
    return list(libraries.values())


def bring_licences(wheel: Path, libraries: list[Path]) -> None:
    """Debian's files of copyright of the libraries, where it is Debian."""
    if shutil.which("dpkg-query") is None:
        return
    (information,) = wheel.glob("*.dist-info")
    folder = information / "licenses"
    folder.mkdir(exist_ok=True)
    for library in libraries:
        # Debian knows a file by its place before /lib became a link to /usr/lib, or after.
        real = library.resolve()
        for path in (real, Path("/", *real.parts[2:])):
            owner = subprocess.run(["dpkg-query", "-S", str(path)], check=False, capture_output=True, text=True)
            package = owner.stdout.split(":", 1)[0]
            copyright_file = Path("/usr/share/doc", package, "copyright")
            if owner.returncode == 0 and copyright_file.exists():
                shutil.copyfile(copyright_file, folder / f"{package}.txt")
                break
        else:
            print(f"wheel.py: no file of copyright for {library}", file=sys.stderr)
    # The copy of OpenBLAS has been in the wheel before, under a name that Debian does not know.
    for copyright_file in Path("/usr/share/doc").glob("libopenblas0-*/copyright"):
        shutil.copyfile(copyright_file, folder / f"{copyright_file.parent.name}.txt")


def oldest_glibc(files: list[Path]) -> int:
    """The y of the oldest glibc 2.y whose systems have all symbols that the files need."""
    text = "".join(output_of("readelf", "--version-info", "--wide", file) for file in files)
    glibc = max(int(minor) for minor in re.findall(r"\bGLIBC_2\.(\d+)", text))
    libstdcxx = max((int(patch) for patch in re.findall(r"\bGLIBCXX_3\.4\.(\d+)", text)), default=0)
    enough = [minor for minor, patch in LIBSTDCXX_OF_GLIBC.items() if patch >= libstdcxx]
    if not enough:
        raise SystemExit(f"wheel.py: GLIBCXX_3.4.{libstdcxx} is newer than every known system; extend the table here")
    return max(glibc, min(enough))


def set_platform(wheel: Path, tag: str) -> None:
    (description,) = wheel.glob("*.dist-info/WHEEL")
    text = description.read_text()
    description.write_text(re.sub(r"^(Tag: \S+-\S+-)\S+$", rf"\g<1>{tag}", text, flags=re.MULTILINE))


def repair(wheel: Path, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        output_of(sys.executable, "-m", "wheel", "unpack", "--dest", temporary, wheel)
        (unpacked,) = Path(temporary).iterdir()
        libraries = bring_libraries(unpacked)
        bring_licences(unpacked, libraries)
        files = [path for path in unpacked.rglob("*.so*") if is_elf(path)]
        set_platform(unpacked, f"manylinux_2_{oldest_glibc(files)}_{platform.machine()}")
        print(output_of(sys.executable, "-m", "wheel", "pack", "--dest-dir", folder, unpacked).strip())


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit("usage: scripts/wheel.py WHEEL FOLDER")
    wheel, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.which("auditwheel") is not None:
        subprocess.run(["auditwheel", "repair", "--wheel-dir", str(folder), str(wheel)], check=True)
        return
    for program in ("patchelf", "ldd", "readelf"):
        if shutil.which(program) is None:
            raise SystemExit(f"wheel.py: no program '{program}'; install it (scripts/setup.sh build python)")
    repair(wheel, folder)


if __name__ == "__main__":
    main()
