import shutil
import tempfile
import unittest
from pathlib import Path

import fardel


class WritableTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="fardel-python-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_saves_are_written_whole_read_listed_and_removed(self):
        with fardel.Writable(self.folder / "saves") as saves:
            for content in (b"", b"first", bytearray(100_000), memoryview(b"last")):
                saves.write("slots/one.sav", content)
                self.assertEqual(saves.read("slots/one.sav"), bytes(content))
                self.assertEqual((self.folder / "saves/slots/one.sav").read_bytes(), bytes(content))
            saves.write("settings.ini", b"volume = 7")
            self.assertEqual([(each.name, each.size, each.is_folder) for each in saves.list()],
                             [("settings.ini", 10, False), ("slots", 0, True)])
            self.assertEqual([each.name for each in saves.list("slots")], ["one.sav"])
            self.assertEqual(saves.stat("settings.ini").size, 10)
            self.assertIsNone(saves.stat("none"))
            self.assertEqual(saves.use()[0], 14)
            self.assertTrue(saves.remove("slots/one.sav"))
            self.assertFalse(saves.remove("slots/one.sav"))
            self.assertEqual([each.name for each in saves.list()], ["settings.ini"])

    def test_what_is_not_allowed_is_the_right_exception_and_changes_nothing(self):
        (self.folder / "secret").write_text("secret")
        with fardel.Writable(self.folder / "saves", bytes_max=100) as saves:
            saves.write("a", b"x" * 60)
            (self.folder / "saves/link").symlink_to(self.folder / "secret")
            for error, use in (
                (fardel.NoSpaceError, lambda: saves.write("b", b"x" * 60)),
                (fardel.MissingError, lambda: saves.read("b")),
                (fardel.MalformedError, lambda: saves.write("../out", b"x")),
                (fardel.ConflictError, lambda: saves.write("A", b"x")),
                (fardel.DeniedError, lambda: saves.read("link")),
                (ValueError, lambda: saves.write("a\0b", b"x")),
            ):
                with self.assertRaises(error):
                    use()
            self.assertEqual(saves.read("a"), b"x" * 60)
        self.assertEqual((self.folder / "secret").read_text(), "secret")
        with self.assertRaises(ValueError):
            saves.read("a")


if __name__ == "__main__":
    unittest.main()
