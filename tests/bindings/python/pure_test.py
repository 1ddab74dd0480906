import unittest

import fardel
from fardel import pure
from kit import BundleTest, run


class PureTest(BundleTest):
    """A client joins a server that enforces its content."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("game/maps/dm01.txt", "the map\n" * 20000)
        cls.write("mod/maps/dm01.txt", "a map with holes in the walls")
        cls.game = cls.pack(cls.folder / "game", "game")
        cls.mod = cls.pack(cls.folder / "mod", "mod")
        run("pure", "policy", cls.game, "-o", cls.folder / "server.pure")
        cls.rules = (cls.folder / "server.pure").read_text()
        cls.id = fardel.Id.parse(run("id", cls.game).split()[0])

    def join(self, server, vfs, connection="one"):
        offer = server.offer("203.0.113.7", connection)
        answer = pure.answer(vfs, offer, connection)
        return answer, pure.read_verdict(server.check(answer.message, connection, answer.report).message)

    def test_a_client_with_the_content_of_the_server_is_welcome(self):
        with pure.Server(self.rules, bundles=[self.game], sources=["https://example.org/game"]) as server:
            offer = pure.read_offer(server.offer("203.0.113.7", "none"))
            self.assertEqual(offer.policy_digest, pure.read_policy(self.rules).digest)
            self.assertEqual(offer.sources, ("https://example.org/game",))
            server.begin_epoch()
            with fardel.Vfs() as vfs:
                vfs.mount(self.game, policy=self.policy)
                mod = vfs.mount(self.mod, policy=self.policy)
                self.assertIn(b"holes", vfs.read("/maps/dm01.txt"))
                self.assertEqual(vfs.enter_pure(self.rules), 1)
                self.assertEqual([each.fault for each in pure.problems(vfs)], [pure.Fault.EXTRA])
                self.assertNotIn(b"holes", vfs.read("/maps/dm01.txt"))
                self.assertEqual([word for word, _ in self.join(server, vfs)[1].refusals], ["client-problems"])
                vfs.unmount(mod)
                answer, verdict = self.join(server, vfs)
                self.assertEqual((verdict.is_welcome, verdict.refusals), (True, []))
                with self.assertRaises(fardel.MalformedError):
                    server.check(answer.message[:-1], "one")
                self.assertFalse(server.check(answer.message, "one", answer.report).is_welcome)  # replayed
                vfs.mount(self.mod, policy=self.policy)
                self.assertNotIn(b"holes", vfs.read("/maps/dm01.txt"))
                vfs.leave_pure()
                self.assertIn(b"holes", vfs.read("/maps/dm01.txt"))
                with self.assertRaises(fardel.DeniedError):
                    pure.problems(vfs)

    def test_a_client_without_it_learns_what_to_fetch_and_is_refused(self):
        policy = pure.read_policy(self.rules)
        self.assertEqual([(each.bundle, each.name, each.mount_point) for each in policy.bundles],
                         [(self.id, "game", "")])
        self.assertEqual(policy.channels, [])
        with pure.Server(self.rules, bundles=[self.game]) as server, fardel.Vfs() as vfs:
            self.assertEqual(vfs.enter_pure(self.rules), 1)
            problem, = pure.problems(vfs)
            self.assertEqual((problem.fault, problem.bundle), (pure.Fault.MISSING, self.id))
            answer, verdict = self.join(server, vfs)
            self.assertFalse(verdict.is_welcome)
            self.assertTrue(all(word and sentence for word, sentence in verdict.refusals))
            self.assertGreater(len(verdict.refusals), 0)
            self.assertEqual([each.fault for each in pure.read_report(answer.report)], [pure.Fault.MISSING])

    def test_a_server_needs_its_own_copies_and_a_policy(self):
        with self.assertRaises(fardel.MissingError):
            pure.Server(self.rules)
        with self.assertRaises(fardel.MalformedError):
            pure.Server("no policy", bundles=[self.game])


if __name__ == "__main__":
    unittest.main()
