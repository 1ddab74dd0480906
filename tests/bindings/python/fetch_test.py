import os
import sys
import threading
import unittest

import fardel
from kit import GAME, ROOT, BundleTest, run

sys.path.insert(0, str(ROOT / "samples/updates"))
from tree_server import TreeServer  # nginx on loopback


class FetchTest(BundleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("game/maps/start.txt", "a start\n" * 5000)
        cls.write("game/noise.bin", os.urandom(2_000_000))
        cls.game = cls.pack(cls.folder / "game", "game")
        run("publish", cls.game, cls.folder / "tree")
        cls.id = fardel.Id.parse(run("id", cls.game).split()[0])
        server = TreeServer(cls.folder / "tree").__enter__()
        cls.addClassCleanup(server.__exit__, None, None, None)
        cls.url = server.url

    def setUp(self):
        self.store = fardel.Store(self.folder / self._testMethodName, create=True)
        self.addCleanup(self.store.close)

    def read_all(self, reader, **options):
        with fardel.Vfs() as vfs:
            vfs.mount(reader, policy=self.policy, **options)
            return vfs.read("/noise.bin")

    def test_fetches_mounts_and_reads_what_was_published(self):
        plans, progress = [], []
        outcome = self.store.fetch([self.id], [self.url], policy=self.policy,
                                   planned=lambda plan: plans.append(plan) or True, progress=progress.append)
        self.assertIsNone(outcome.error)
        self.assertGreater(outcome.received_bytes, 2_000_000)
        planned, = plans[0].bundles
        self.assertEqual((planned.bundle, planned.name, planned.version, planned.left_bytes),
                         (self.id, "game", "1.0", 0))
        self.assertEqual(planned.file_bytes, self.game.stat().st_size)
        self.assertEqual(planned.signers, ("author",))
        self.assertEqual(progress[-1].received_bytes, progress[-1].total_bytes)
        stored, = self.store.bundles()
        self.assertEqual((stored.bundle, stored.file_bytes, stored.is_complete),
                         (self.id, self.game.stat().st_size, True))
        self.assertEqual(self.store.find(str(self.id)[:10]), self.id)
        self.assertEqual(self.store.closure(str(self.id)), [self.id])
        self.assertEqual(self.read_all(self.store.reader(self.id)), (self.folder / "game/noise.bin").read_bytes())
        self.assertEqual(self.store.fetch([self.id], [self.url], policy=self.policy).received_bytes, 0)

    def test_a_game_polls_once_per_frame_and_answers_later(self):
        asked = []
        with self.store.start_fetch([self.id], [self.url], policy=self.policy, planned=asked.append) as fetch:
            frames = 0
            while not fetch.poll(0.01):
                frames += 1
                if asked and frames > 5:
                    fetch.accept()
                    asked.clear()
            self.assertIsNone(fetch.outcome.error)
        self.assertTrue(self.store.bundles()[0].is_complete)

    def test_a_part_is_fetched_and_the_rest_is_named_as_missing(self):
        self.store.fetch([self.id], [self.url], policy=self.policy, names=["maps/**"])
        self.assertFalse(self.store.bundles()[0].is_complete)
        with fardel.Vfs() as vfs:
            vfs.mount(self.store.reader(self.id), policy=self.policy)
            self.assertEqual(vfs.read("/maps/start.txt"), b"a start\n" * 5000)
            with self.assertRaises(fardel.MissingError):
                vfs.read("/noise.bin")
            missing, = vfs.find_missing(["/maps/start.txt", "/noise.bin"])
            self.assertEqual((missing.bundle, missing.assets, missing.is_mounted),
                             (self.id, (vfs.stat("/noise.bin").asset,), True))
            self.store.fetch([self.id], [self.url], policy=self.policy, assets=missing.assets)
            self.assertEqual(vfs.read("/noise.bin"), (self.folder / "game/noise.bin").read_bytes())
            self.assertEqual(vfs.find_missing(["/noise.bin"], closures=True), [])

    def test_what_goes_wrong_is_the_right_exception(self):
        fetch = lambda **options: self.store.fetch([self.id], [self.url], **options)
        with self.assertRaises(fardel.UntrustedError):
            fetch(policy=self.folder / "stranger.policy")
        with self.assertRaises(fardel.DeniedError):
            fetch(policy=self.policy, planned=lambda plan: False)
        with self.assertRaises(fardel.MissingError):
            self.store.fetch(["0" * 64], [self.url])
        with self.assertRaises(fardel.UnreachableError):
            self.store.fetch([self.id], ["http://127.0.0.1:1"])
        with self.assertRaises(fardel.DeniedError):
            self.store.fetch([self.id], fardel.ServerList([self.url], public_only=True))
        with self.assertRaises(fardel.MalformedError):
            self.store.fetch([self.id], ["gopher://example.org"])
        with self.assertRaises(TypeError):
            self.store.fetch([self.id], self.url)
        with self.assertRaises(fardel.MissingError):
            fardel.Store(self.folder / "no such store")
        self.assertEqual(self.store.bundles(), [])

    def test_what_a_callback_raises_reaches_the_caller_and_ends_the_fetch(self):
        def planned(plan):
            raise ZeroDivisionError("of the game")

        with self.store.start_fetch([self.id], [self.url], policy=self.policy, planned=planned) as fetch:
            with self.assertRaisesRegex(ZeroDivisionError, "of the game"):
                fetch.wait()
            with self.assertRaises(fardel.DeniedError):
                fetch.wait()
        self.assertEqual(self.store.bundles(), [])

    def test_another_thread_cancels_a_fetch(self):
        slow = fardel.ServerList([self.url], bytes_per_second_max=1000)
        with self.store.start_fetch([self.id], slow, policy=self.policy) as fetch:
            threading.Timer(0.2, fetch.cancel).start()
            with self.assertRaises(fardel.CancelledError):
                fetch.wait()

    def test_reads_a_bundle_from_a_server_while_it_is_used(self):
        with fardel.Servers([self.url]) as servers:
            with self.store.open_remote(servers, self.id, policy=self.policy) as remote:
                self.assertEqual(remote.dependencies(), [])
                with fardel.Vfs() as vfs:
                    vfs.mount(remote.reader(), policy=self.policy)
                    noise = vfs.stat("/noise.bin").asset
                    self.assertFalse(remote.is_here(noise))
                    self.assertEqual(vfs.read("/noise.bin"), (self.folder / "game/noise.bin").read_bytes())
                    self.assertTrue(remote.is_here(noise))
                    remote.want([vfs.stat("/maps/start.txt").asset], priority=1)
            with self.assertRaises(fardel.UntrustedError):
                self.store.open_remote(servers, self.id, policy=self.folder / "stranger.policy")

    def test_a_reader_is_mounted_once_and_released_if_it_never_is(self):
        self.store.fetch([self.id], [self.url])
        reader = self.store.reader(self.id)
        self.read_all(reader)
        with self.assertRaises(ValueError):
            self.read_all(reader)
        del reader
        self.store.reader(self.id)  # released by the collector of garbage
        refused = self.store.reader(self.id)
        with fardel.Vfs() as vfs, self.assertRaises(fardel.UntrustedError):
            vfs.mount(refused, policy=self.folder / "stranger.policy")


if __name__ == "__main__":
    unittest.main()
