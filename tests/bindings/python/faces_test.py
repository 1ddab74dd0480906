"""Python gives the bytes that the other faces give, for the same preference, with a mod above and in pure mode. The
others are compared with each other in tests/cli/variants_test.cpp."""

import json

import fardel
from kit import BundleTest, run

NAMES = ("hello.txt", "plain.cfg")

PREFERENCES = {
    "lang=de,fr": ("salut", "plain"),
    "lang=en": ("hey there", "plain"),
    "lang=xx,en": ("hey there", "plain"),
}


class FacesTest(BundleTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.write("base/plain.cfg", "plain")
        for language, text in {"en": "hello", "fr": "bonjour", "de": "hallo"}.items():
            cls.write(f"base/hello@{language}.txt", text)
        for language, text in {"en": "hey there", "fr": "salut"}.items():
            cls.write(f"mod/hello@{language}.txt", text)
        cls.base = cls.build("base", ("en", "fr", "de"))
        cls.mod = cls.build("mod", ("en", "fr"))

    @classmethod
    def build(cls, name: str, languages) -> str:
        rules = "".join(f'[[rule]]\nmatch = "*@{each}.txt"\nstrip = "@{each}"\ntags = {{ lang = "{each}" }}\n'
                        for each in languages)
        project = cls.write(f"{name}.toml", f'name = "t/{name}"\nsources = ["{name}"]\n{rules}')
        bundle = cls.folder / f"{name}.fardel"
        run("pack", project, "-o", bundle, "--key", cls.folder / "author.key")
        return str(bundle)

    def mounted(self, vfs: fardel.Vfs, preference: str) -> None:
        for bundle in (self.base, self.mod):
            vfs.mount(bundle, policy=self.policy)
        vfs.prefer(preference)

    def read_all(self, vfs: fardel.Vfs):
        return tuple(vfs.read(name).decode() for name in NAMES)

    def test_preferences_mean_the_same(self):
        for preference, expected in PREFERENCES.items():
            with self.subTest(preference), fardel.Vfs() as vfs:
                self.mounted(vfs, preference)
                self.assertEqual(self.read_all(vfs), expected)
                for name in NAMES:
                    found = json.loads(run("which", "--mount", self.base, "--mount", self.mod, name, "--json",
                                           "--variants", preference))
                    self.assertEqual(str(vfs.stat(name).asset), found["candidates"][found["winner"]]["asset"])

    def test_pure_mode_allows_the_same(self):
        rules = self.folder / "server.pure"
        run("pure", "policy", self.base, self.mod, "-o", rules, "--variant", "lang=fr")
        folder = self.folder / "mnt"
        folder.mkdir()
        run("mount", self.base, self.mod, folder, "--pure", rules, "--trust", self.policy, "--variants", "lang=en")
        try:
            by_mount = tuple((folder / name).read_text() for name in NAMES)
        finally:
            run("mount", "--unmount", folder)
        with fardel.Vfs() as vfs:
            self.mounted(vfs, "lang=en")
            self.assertEqual(vfs.enter_pure(rules.read_text()), 0)
            self.assertEqual(self.read_all(vfs), by_mount)
            self.assertEqual(by_mount, ("salut", "plain"))
