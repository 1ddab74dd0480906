"""Runs the Python of docs/languages.md from top to bottom, in a folder that has what the page says."""

import os
import re
import sys
import unittest

import fardel
from kit import ROOT, BundleTest, run

sys.path.insert(0, str(ROOT / "samples/updates"))
from tree_server import TreeServer


class DocumentsTest(BundleTest):
    def test_the_python_of_the_page_runs_and_does_what_it_says(self):
        noise = os.urandom(100_000)
        self.write("game/maps/start.txt", "a start\nan end\n")
        self.write("game/noise.bin", noise)
        self.write("my-mod/texts/a.txt", "a mod")
        bundle = self.pack(self.folder / "game", "game")
        run("publish", bundle, self.folder / "tree")
        os.rename(self.policy, self.folder / "trust.policy")
        blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/languages.md").read_text(), re.M | re.S)
        self.assertGreater(len(blocks), 3)
        folder = os.getcwd()
        self.addCleanup(os.chdir, folder)
        os.chdir(self.folder)
        with TreeServer(self.folder / "tree") as server:
            names = {"bundle": fardel.Id.parse(run("id", bundle).split()[0]), "server": server.url}
            for block in blocks:
                exec(compile(block, "docs/languages.md", "exec"), names)
        self.assertEqual(names["content"], b"a start\nan end\n")
        self.assertEqual(names["first"], "a start\n")
        self.assertEqual(names["memory"], noise)
        self.assertEqual(names["fetched"], noise)
        self.assertIn("game.fardel", names["reason"])
        self.assertEqual((names["written"].name, names["written"].is_signed), ("mods/my-mod", True))
        self.assertTrue(names["verified"].is_good, names["verified"].findings)
        self.assertEqual(names["verified"].signatures, 2)
        run("verify", "hello.fardel")


if __name__ == "__main__":
    unittest.main()
