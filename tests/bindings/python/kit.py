"""What the tests of the Python package share: bundles that the program makes, in a folder of their own."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["FARDEL_PROGRAM"]

ROOT = Path(__file__).resolve().parents[3]  # of the source

# Of Debian's package blobby-data: pictures, sounds and archives of a game.
GAME = Path("/usr/share/blobby")


def run(*words) -> str:
    """What the program prints; the test fails if it does."""
    done = subprocess.run([PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(f"fardel {' '.join(map(str, words))} ended with {done.returncode}: {done.stdout}")
    return done.stdout


class BundleTest(unittest.TestCase):
    """`folder` has what the tests of one class share, which none of them changes; each class may add to it."""

    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="fardel-python-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for name in ("author", "stranger"):
            run("keygen", "--no-passphrase", "-o", cls.folder / f"{name}.key")
            run("trust", "init", cls.folder / f"{name}.policy", "--author", cls.folder / f"{name}.key.pub")

    @classmethod
    def write(cls, path: str, content: bytes | str) -> Path:
        target = cls.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    @classmethod
    def pack(cls, source: Path, name: str, *options) -> Path:
        """A bundle that `author` signed."""
        bundle = cls.folder / f"{Path(name).name}.fardel"
        run("pack", source, "-o", bundle, "--name", name, "--version", "1.0", "--level", "1", *options)
        run("sign", bundle, "--key", cls.folder / "author.key", "--role", "author")
        return bundle

    @property
    def policy(self) -> Path:
        return self.folder / "author.policy"
