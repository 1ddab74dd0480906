"""Installs the package as README says, without a network, and holds it to its types."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import fardel

SOURCE = Path(__file__).resolve().parents[3] / "bindings/python"

TYPED = """
import fardel

with fardel.Vfs() as vfs:
    mount: int = vfs.mount("game.fardel", policy="trust.policy")
    content: bytes = vfs.read("/a")
    with vfs.open("/a") as file:
        count: int = file.readinto(bytearray(4))
        bundle: fardel.Id = file.bundle
"""


class PackageTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="fardel-python-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_python(self, *words, **environment):
        done = subprocess.run([sys.executable, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, cwd=self.folder, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_pip_installs_it_without_a_network_and_without_a_compiler(self):
        shutil.copytree(SOURCE, self.folder / "source")  # pip leaves files beside what it builds
        self.run_python("-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps",
                        "--target", self.folder / "site", self.folder / "source", CC="/bin/false")
        printed = self.run_python("-c", "import fardel; print(fardel.__file__, fardel.library_version())",
                                  PYTHONPATH=str(self.folder / "site"))
        self.assertEqual(printed.split(), [str(self.folder / "site/fardel/__init__.py"), fardel.__version__])
        self.assertTrue((self.folder / "site/fardel/py.typed").exists())

    def test_its_types_hold_and_are_seen_by_those_who_use_it(self):
        words = ("-m", "mypy", "--cache-dir", self.folder / "cache", "--config-file", SOURCE / "pyproject.toml")
        self.run_python(*words, SOURCE / "fardel")
        (self.folder / "typed.py").write_text(TYPED)
        self.run_python(*words, self.folder / "typed.py", MYPYPATH=str(SOURCE))
        (self.folder / "typed.py").write_text(TYPED.replace("content: bytes", "content: str"))
        with self.assertRaises(AssertionError) as caught:
            self.run_python(*words, self.folder / "typed.py", MYPYPATH=str(SOURCE))
        self.assertIn('expression has type "bytes", variable has type "str"', str(caught.exception))

    def test_without_the_library_it_says_what_is_missing(self):
        script = "import fardel\ntry:\n    fardel.Vfs()\nexcept fardel.UnsupportedError as error:\n    print(error)"
        printed = self.run_python("-c", script, FARDEL_LIBRARY_PATH="")
        if "FARDEL_LIBRARY_PATH" not in printed:
            self.assertEqual(printed, "")  # Fardel is installed on this machine
        else:
            self.assertIn("libfardel.so.0", printed)


if __name__ == "__main__":
    unittest.main()
