import subprocess
import unittest

import fardel
from kit import GAME, PROGRAM, BundleTest, run


class ToolsTest(BundleTest):
    """What pipelines script: keys, packing, signing, verifying; the program agrees with all of it."""

    def setUp(self):
        self.out = self.folder / self._testMethodName
        self.out.mkdir()
        self.signer = fardel.Signer(self.folder / "author.key")
        self.addCleanup(self.signer.close)

    def test_packs_a_real_game_as_the_program_does(self):
        stages, messages = set(), []
        written = fardel.pack(GAME, self.out / "game.fardel", name="game", version="1.0", level=1, signer=self.signer,
                              message=lambda severity, text: messages.append(text),
                              progress=lambda stage, done, total: stages.add(stage))
        run("pack", GAME, "-o", self.out / "program.fardel", "--name", "game", "--version", "1.0", "--level", "1")
        self.assertEqual(str(written.bundle), run("id", self.out / "program.fardel").split()[0])
        self.assertEqual((written.name, written.version, written.is_signed, written.path),
                         ("game", "1.0", True, str(self.out / "game.fardel")))
        self.assertEqual(written.file_bytes, (self.out / "game.fardel").stat().st_size)
        self.assertIn("packing", stages)
        run("verify", self.out / "game.fardel", "--trust", self.policy)
        with fardel.Vfs() as vfs:
            vfs.mount(written.path, policy=self.policy)
            for path in GAME.rglob("*"):
                self.assertEqual(vfs.read(path.name), path.read_bytes())

    def test_packs_for_a_purpose(self):
        self.write("texts/text.txt", " ".join(str(number * number) for number in range(30_000)))
        sizes, ids = [], set()
        for purpose in (fardel.Purpose.SIZE, fardel.Purpose.BALANCED, fardel.Purpose.LOAD):
            written = fardel.pack(self.folder / "texts", self.out / "text.fardel", name="text", purpose=purpose)
            sizes.append(written.file_bytes)
            ids.add(written.bundle)
        self.assertEqual(sizes, sorted(sizes))
        self.assertLess(sizes[0], sizes[2])
        self.assertEqual(len(ids), 1)

    def test_packs_several_sources_without_what_is_excluded(self):
        self.write("one/a.txt", "one")
        self.write("one/b.bak", "left out")
        self.write("two/a.txt", "two")
        fardel.pack([self.folder / "one", str(self.folder / "two")], self.out / "both.fardel",
                    name="both", excludes=["*.bak"])
        with fardel.Vfs() as vfs:
            vfs.mount(self.out / "both.fardel", allow_unsigned=True)
            self.assertEqual(vfs.read("/a.txt"), b"two")
            self.assertFalse(vfs.exists("/b.bak"))
        with self.assertRaises(fardel.MissingError):
            fardel.pack(self.folder / "no such folder", self.out / "none.fardel", name="none")
        with self.assertRaises(ZeroDivisionError):
            fardel.pack(GAME, self.out / "none.fardel", name="none", progress=lambda stage, done, total: done // 0)
        self.assertFalse((self.out / "none.fardel").exists())

    def test_builds_a_project_and_repeats_only_what_changed(self):
        (self.out / "assets").mkdir()
        (self.out / "assets/hello.txt").write_text("Hello")
        (self.out / "fardel.toml").write_text('name = "game"\nversion = "1.0"\nsources = ["assets"]\n')
        first, = fardel.build(self.out / "fardel.toml", signer=self.signer)
        again, = fardel.build(self.out / "fardel.toml", signer=self.signer)
        self.assertEqual((first.name, first.assets, first.bundle), ("game", 1, again.bundle))
        (self.out / "assets/hello.txt").write_text("Hello again")
        self.assertNotEqual(fardel.build(self.out / "fardel.toml")[0].bundle, first.bundle)
        with fardel.Vfs() as vfs:
            vfs.mount(again.path, allow_unsigned=True)
            self.assertEqual(vfs.read("/hello.txt"), b"Hello again")

    def test_a_project_with_several_targets_is_built_as_one_of_them(self):
        (self.out / "assets").mkdir()
        for lang in ("en", "fr"):
            (self.out / f"assets/hello.{lang}").write_text(lang)
        rules = "".join(f'[[rule]]\nmatch = "*.{lang}"\nstrip = ".{lang}"\ntags = {{ lang = "{lang}" }}\n'
                        f'[target.{lang}]\nlang = ["{lang}"]\n' for lang in ("en", "fr"))
        project = self.out / "fardel.toml"
        project.write_text('name = "game"\nversion = "1.0"\nsources = ["assets"]\noutput = "{target}.fardel"\n' + rules)
        with self.assertRaises(fardel.MalformedError):
            fardel.build(project)
        built, = fardel.build(project, target="fr")
        self.assertTrue(str(built.path).endswith("fr.fardel"))
        with fardel.Vfs() as vfs:
            vfs.mount(built.path, allow_unsigned=True)
            self.assertEqual(vfs.read("/hello"), b"fr")

    def test_a_bundle_from_memory_has_what_was_added(self):
        with fardel.Plan() as plan:
            plan.set(None, "name", "mods/hello")
            plan.set(None, "version", "1.0")
            english = plan.add_asset(b"Hello", content_type="text/plain")
            french = plan.add_asset(bytearray(b"Bonjour"), content_type="text/plain")
            picture = plan.add_asset(path=GAME / "Icon.bmp", key="icon", content_type="image/bmp")
            self.assertEqual((english, french, picture), (0, 1, 2))
            plan.set(picture, "license", "GPL-2.0")
            plan.set(picture, "expires", 4102444800)
            plan.set(None, "origin", "a test")
            plan.set(picture, "metric.pixels", 64 * 64)
            plan.add_name("texts/hello.txt", english, tags="lang=en")
            plan.add_name("texts/hello.txt", french, tags="lang=fr")
            plan.add_name("Icon.bmp", picture)
            plan.add_name("inside", picture, private=True)
            plan.add_reference(english, "my icon", asset=picture)
            with self.assertRaises(fardel.MalformedError):
                plan.add_reference(english, "nothing")
            with self.assertRaises(fardel.LimitError):
                plan.add_name("x", 99)
            written = plan.write(self.out / "hello.fardel", signer=self.signer, comment="from Python")
            again = plan.write(self.out / "again.fardel")
        self.assertEqual((written.bundle, written.assets, written.names), (again.bundle, 3, 3))
        self.assertTrue(fardel.verify(written.path, policy=self.policy).is_good)
        with fardel.Vfs() as vfs:
            vfs.mount(written.path, policy=self.policy)
            self.assertEqual(vfs.read("/texts/hello.txt"), b"Hello")
            vfs.prefer("lang=fr")
            self.assertEqual(vfs.read("/texts/hello.txt"), b"Bonjour")
            vfs.prefer("")
            self.assertFalse(vfs.exists("/inside"))
            stated = vfs.metadata("/Icon.bmp")
            self.assertEqual((stated["licence"], stated["metric.pixels"], stated["expires"], stated["origin"]),
                             (fardel.Stated("GPL-2.0", False), fardel.Stated(4096.0, False),
                              fardel.Stated(4102444800, False), fardel.Stated("a test", True)))
            self.assertEqual(list(vfs.metadata("/Icon.bmp", "license")), ["licence"])
            self.assertEqual(vfs.metadata(f"/bundles/{written.bundle}")["name"].value, "mods/hello")
            with self.assertRaises(fardel.MissingError):
                vfs.metadata("/no such file")
            with vfs.open("/texts/hello.txt") as file, file.open("my icon") as icon:
                self.assertEqual(icon.read(), (GAME / "Icon.bmp").read_bytes())

    def test_keys_are_created_read_and_refused(self):
        key = fardel.create_key(self.out / "my.key", passphrase="open sesame", comment="Ali")
        with self.assertRaises(fardel.ConflictError):
            fardel.create_key(self.out / "my.key")
        with fardel.Signer(self.out / "my.key", "open sesame") as signer:
            self.assertEqual(signer.key, key)
        for passphrase in (None, "wrong"):
            with self.assertRaises(fardel.DeniedError):
                fardel.Signer(self.out / "my.key", passphrase)
        with self.assertRaises(fardel.MissingError):
            fardel.Signer(self.out / "no such key")

    def test_signs_a_bundle_once_and_the_policy_decides(self):
        bundle = self.out / "game.fardel"
        fardel.pack(GAME, bundle, name="game", version="1.0", level=1)
        self.assertFalse(fardel.verify(bundle, policy=self.policy).is_good)
        fardel.sign(bundle, self.signer, channel="game/stable", epoch=3)
        verified = fardel.verify(bundle, policy=self.policy)
        self.assertEqual((verified.is_good, verified.signatures, verified.name), (True, 1, "game"))
        with self.assertRaises(fardel.ConflictError):
            fardel.sign(bundle, self.signer, channel="game/stable", epoch=3, created_s=1)
            fardel.sign(bundle, self.signer, channel="game/stable", epoch=3, created_s=1)
        stranger = fardel.verify(bundle, policy=self.folder / "stranger.policy")
        self.assertEqual((stranger.is_good, type(stranger.findings[0].error)), (False, fardel.UntrustedError))
        self.assertIn(stranger.findings[0].severity, fardel.Severity)

    def test_a_key_may_be_in_a_function(self):
        bundle = self.out / "game.fardel"
        fardel.pack(GAME, bundle, name="game", version="1.0", level=1)

        def wrong(message):
            self.assertIsInstance(message, bytes)
            return bytes(64)

        def unwilling(message):
            raise PermissionError("the token is locked")

        for sign, error in ((wrong, fardel.CorruptError), (unwilling, PermissionError), (lambda _: b"", ValueError)):
            before = bundle.read_bytes()
            with fardel.Signer.from_function(self.signer.key, sign) as signer:
                self.assertEqual(signer.key, self.signer.key)
                with self.assertRaises(error):
                    fardel.sign(bundle, signer)
            self.assertEqual(bundle.read_bytes(), before)

    def test_verify_finds_what_the_program_finds(self):
        content = bytearray(self.pack(GAME, "whole").read_bytes())
        content[len(content) // 2] ^= 1
        damaged = self.write("damaged.fardel", content)
        stages = set()
        verified = fardel.verify(damaged, progress=lambda stage, done, total: stages.add(stage))
        self.assertFalse(verified.is_good)
        self.assertEqual(verified.errors, len([each for each in verified.findings if each.severity == 0]))
        printed = subprocess.run([PROGRAM, "verify", damaged], stdout=subprocess.PIPE, text=True).stdout
        for finding in verified.findings:
            self.assertIn(finding.rule, printed)
            self.assertTrue(finding.text)
        self.assertIn("verifying", stages)
        with self.assertRaises(fardel.MissingError):
            fardel.verify(self.folder / "no such bundle")
        with self.assertRaises(fardel.Error):
            fardel.verify(damaged, policy_text="no policy")

    def test_a_stored_bundle_is_verified_through_its_reader(self):
        bundle = self.pack(GAME, "stored")
        run("store", "add", bundle, "--store", self.out / "store")
        with fardel.Store(self.out / "store") as store:
            identity = store.bundles()[0].bundle
            verified = fardel.verify(store.reader(identity), policy=self.policy)
            self.assertEqual((verified.is_good, verified.bundle), (True, identity))


if __name__ == "__main__":
    unittest.main()
