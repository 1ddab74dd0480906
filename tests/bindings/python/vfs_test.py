import os
import threading
import unittest

import fardel
from kit import GAME, BundleTest, run


class VfsTest(BundleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.game = cls.pack(GAME, "blobby")
        cls.write("mod/Icon.bmp", "not a picture")
        cls.write("mod/texts/größe.txt", "äöü")
        cls.mod = cls.pack(cls.folder / "mod", "mods/icon")

    def test_reads_each_file_of_a_real_game_as_it_was_packed(self):
        with fardel.Vfs() as vfs:
            vfs.mount(self.game, policy=self.policy)
            files = [path for path in GAME.rglob("*") if path.is_file()]
            self.assertGreater(len(files), 10)
            for path in files:
                self.assertEqual(vfs.read(f"/{path.relative_to(GAME)}"), path.read_bytes(), path)

    def test_reads_many_files_in_one_call(self):
        files = sorted(path for path in GAME.rglob("*") if path.is_file())
        paths = [f"/{path.relative_to(GAME)}" for path in files] + ["/no such file"]
        for threads in 0, 3:
            with fardel.Vfs(read_threads=threads) as vfs:
                vfs.mount(self.game, policy=self.policy)
                for in_order in False, True:
                    received = []
                    vfs.read_files(paths, lambda *one: received.append(one), in_order=in_order, bytes_max=1 << 20)
                    if in_order:
                        self.assertEqual([index for index, _ in received], list(range(len(paths))))
                    received.sort(key=lambda one: one[0])
                    self.assertIsInstance(received.pop()[1], fardel.MissingError)
                    self.assertEqual([content for _, content in received], [path.read_bytes() for path in files])
                plain = []
                vfs.read_files(["/Icon"], lambda _, content: plain.append(content), extensions="bmp")
                self.assertEqual(plain, [(GAME / "Icon.bmp").read_bytes()])

                def refuse(_index, _content):
                    raise ZeroDivisionError

                with self.assertRaises(ZeroDivisionError):
                    vfs.read_files(paths, refuse)

    def test_lists_a_folder_and_walks_a_tree_as_the_disk_has_them(self):
        with fardel.Vfs() as vfs:
            vfs.mount(str(self.game), policy=self.policy, at="game")
            names = [entry.name for entry in vfs.list("/game")]
            self.assertEqual(names, sorted(os.listdir(GAME)))
            walked = {f"{folder}/{name}" for folder, _, files in vfs.walk("/game") for name in files}
            self.assertEqual(walked, {f"/game/{path.relative_to(GAME)}" for path in GAME.rglob("*") if path.is_file()})
            vfs.mount(self.mod, policy=self.policy, at="mods/icon")
            self.assertEqual(list(vfs.list("/mods/icon")), [
                fardel.Entry("Icon.bmp", fardel.Node.LINK), fardel.Entry("texts", fardel.Node.FOLDER)])
            self.assertEqual(list(vfs.walk("/mods")), [
                ("/mods", ["icon"], []), ("/mods/icon", ["texts"], ["Icon.bmp"]),
                ("/mods/icon/texts", [], ["größe.txt"])])

    def test_says_what_is_at_a_path(self):
        with fardel.Vfs() as vfs:
            vfs.mount(self.game, policy=self.policy)
            stat = vfs.stat("/Icon.bmp")
            self.assertEqual(stat.size, (GAME / "Icon.bmp").stat().st_size)
            self.assertEqual(vfs.read_link("/Icon.bmp"), f"/assets/{stat.asset}")
            self.assertEqual(vfs.read(f"/assets/{stat.asset}"), (GAME / "Icon.bmp").read_bytes())
            self.assertIn(str(stat.bundle), run("id", self.game))
            self.assertTrue(vfs.exists("/Icon.bmp"))
            self.assertFalse(vfs.exists("/no such picture"))
            with self.assertRaises(fardel.MissingError) as caught:
                vfs.stat("/no such picture")
            self.assertEqual(caught.exception.code, fardel.c.FARDEL_ERROR_MISSING)
            self.assertIn("no such picture", str(caught.exception))

    def test_refuses_a_bundle_that_the_policy_does_not_trust(self):
        with fardel.Vfs() as vfs:
            with self.assertRaises(fardel.UntrustedError) as caught:
                vfs.mount(self.game, policy=self.folder / "stranger.policy")
            self.assertIn("blobby.fardel", str(caught.exception))
            with self.assertRaises(fardel.UntrustedError):
                vfs.mount(self.game)
            self.assertFalse(vfs.exists("/Icon.bmp"))
            self.assertFalse(vfs.is_tainted)
            vfs.mount(self.game, allow_unsigned=True)
            self.assertTrue(vfs.exists("/Icon.bmp"))
            self.assertTrue(vfs.is_tainted)

    def test_takes_a_policy_as_text_and_a_bundle_as_bytes(self):
        for content in (self.game.read_bytes(), bytearray(self.game.read_bytes()),
                        memoryview(self.game.read_bytes()).toreadonly()):
            with fardel.Vfs() as vfs:
                vfs.mount(content, policy_text=self.policy.read_text())
                self.assertEqual(vfs.read("/Icon.bmp"), (GAME / "Icon.bmp").read_bytes())

    def test_a_mod_above_replaces_what_is_below_until_it_is_unmounted(self):
        with fardel.Vfs() as vfs:
            mod = vfs.mount(self.mod, policy=self.policy, priority=1)
            vfs.mount(self.game, policy=self.policy)
            self.assertEqual(vfs.read("/Icon.bmp"), b"not a picture")
            self.assertEqual(vfs.read("/texts/größe.txt").decode(), "äöü")
            open_file = vfs.open("/Icon.bmp")
            vfs.unmount(mod)
            self.assertEqual(vfs.read("/Icon.bmp"), (GAME / "Icon.bmp").read_bytes())
            self.assertEqual(open_file.read(), b"not a picture")
            open_file.close()
            with self.assertRaises(fardel.MissingError):
                vfs.unmount(mod)

    def test_a_preference_chooses_variants_of_one_mount_or_of_all(self):
        with fardel.Plan() as plan:
            plan.set(None, "name", "texts")
            for language, text in (("en", b"Hello"), ("fr", b"Bonjour"), ("de", b"Hallo")):
                plan.add_name("hello.txt", plan.add_asset(text), tags=f"lang={language}")
            plan.write(self.folder / "texts.fardel")
        with fardel.Vfs() as vfs:
            first = vfs.mount(self.folder / "texts.fardel", allow_unsigned=True, at="first")
            vfs.mount(self.folder / "texts.fardel", allow_unsigned=True, at="second", preference="lang=de")
            read = lambda: (vfs.read("/first/hello.txt"), vfs.read("/second/hello.txt"))
            self.assertEqual(read(), (b"Hello", b"Hallo"))
            vfs.prefer("lang=fr")
            self.assertEqual(read(), (b"Bonjour", b"Hallo"))
            vfs.prefer("lang=en", first)
            self.assertEqual(read(), (b"Hello", b"Hallo"))
            self.assertIn("lang=", vfs.variant_axes())
            with self.assertRaises(fardel.MalformedError):
                vfs.prefer("=")
            with self.assertRaises(fardel.MissingError):
                vfs.prefer("lang=fr", 12345)

    def test_changes_mounts_in_one_step_or_not_at_all(self):
        with fardel.Vfs() as vfs:
            game = vfs.mount(self.game, policy=self.policy)
            first = vfs.mount(self.mod, policy=self.policy, at="mods/first")
            with self.assertRaises(fardel.UntrustedError):
                vfs.apply(unmounts=[game, first], mounts=[fardel.Mounting(self.mod)])
            self.assertTrue(vfs.exists("/mods/first/Icon.bmp"))
            second, third = vfs.apply(unmounts=[first], mounts=[
                fardel.Mounting(self.mod.read_bytes(), policy=self.policy, at="mods/second"),
                fardel.Mounting(self.mod, policy=self.policy)], priorities={game: 5})
            self.assertFalse(vfs.exists("/mods/first/Icon.bmp"))
            self.assertEqual(vfs.read("/mods/second/Icon.bmp"), b"not a picture")
            self.assertEqual(vfs.read("/Icon.bmp"), (GAME / "Icon.bmp").read_bytes())
            changes = vfs.replace(third, fardel.Mounting(self.folder / "mod", allow_unsigned=True))
            self.assertEqual(changes, [])  # the same assets
            changes = vfs.replace(game, fardel.Mounting(self.mod, policy=self.policy))
            self.assertIn("/Icon.bmp", [change.path for change in changes])
            self.assertEqual(vfs.read("/Icon.bmp"), b"not a picture")
            vfs.apply(unmounts=[game, second, third])
            self.assertEqual(list(vfs.walk("/mods")) if vfs.exists("/mods") else [], [])

    def test_follows_a_folder_that_is_edited(self):
        source = self.write("edited/a.txt", "one")
        with fardel.Vfs() as vfs:
            mount = vfs.mount(source.parent, allow_unsigned=True, watch=True)
            self.assertEqual(vfs.read("/a.txt"), b"one")
            self.write("edited/a.txt", "second")
            self.write("edited/b.txt", "new")
            changes = {change.path: change for change in vfs.refresh(mount)}
            self.assertEqual(set(changes), {"/a.txt", "/b.txt"})
            self.assertIsNone(changes["/b.txt"].before)
            self.assertEqual(changes["/a.txt"].after, vfs.stat("/a.txt").asset)
            self.assertEqual(vfs.poll(), [])

    def test_records_a_trace_however_long(self):
        with fardel.Vfs(records_trace=True) as vfs:
            vfs.mount(self.game, policy=self.policy)
            opened = [path for path in sorted(GAME.rglob("*")) if path.is_file()]
            for path in opened:
                vfs.open(str(path.relative_to(GAME))).close()
            trace = vfs.read_trace()
            self.assertGreater(len(trace), 1000)
            self.assertIn("Icon.bmp", trace)
            vfs.read_trace_ahead(trace)
        with fardel.Vfs() as vfs, self.assertRaises(fardel.UnsupportedError):
            vfs.read_trace()

    def test_refuses_text_that_c_would_cut(self):
        with fardel.Vfs() as vfs:
            for path in ("/Icon.bmp\0.txt", "\0"):
                with self.assertRaises(ValueError):
                    vfs.exists(path)
            with self.assertRaises(ValueError):
                vfs.mount("a\0b", allow_unsigned=True)

    def test_says_that_it_is_closed_and_not_more(self):
        vfs = fardel.Vfs()
        vfs.mount(self.game, policy=self.policy)
        file = vfs.open("/Icon.bmp")
        entries = vfs.list("/")
        vfs.close()
        vfs.close()
        self.assertEqual(file.read(), (GAME / "Icon.bmp").read_bytes())
        self.assertIn("Icon.bmp", [entry.name for entry in entries])
        for use in (lambda: vfs.read("/Icon.bmp"), lambda: vfs.list("/"), lambda: file.open("Icon.bmp")):
            with self.assertRaises(ValueError):
                use()

    def test_threads_read_while_others_mount_unmount_and_close(self):
        expected = (GAME / "Icon.bmp").read_bytes()
        vfs = fardel.Vfs()
        vfs.mount(self.game, policy=self.policy)
        shared = vfs.open("/Icon.bmp")
        failures = []
        start = threading.Barrier(6)

        def read():
            start.wait()
            buffer = bytearray(len(expected))
            try:
                while True:
                    shared.read_at(0, buffer)
                    if buffer != expected or vfs.read("/Icon.bmp") not in (expected, b"not a picture"):
                        failures.append("other bytes")
                        return
            except ValueError:  # closed
                pass
            except Exception as error:
                failures.append(repr(error))

        def change():
            start.wait()
            for _ in range(50):
                vfs.unmount(vfs.mount(self.mod, policy=self.policy))
            shared.close()
            vfs.close()

        threads = [threading.Thread(target=read) for _ in range(5)] + [threading.Thread(target=change)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_the_library_and_the_package_have_one_version(self):
        self.assertEqual(fardel.__version__, fardel.library_version())


if __name__ == "__main__":
    unittest.main()
