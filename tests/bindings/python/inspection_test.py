import unittest

import fardel
from fardel import inspection
from kit import BundleTest


class InspectionTest(BundleTest):
    def setUp(self):
        self.vfs = fardel.Vfs()
        self.addCleanup(self.vfs.close)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("base/maps/dm01.txt", "the map")
        cls.write("base/same.txt", "equal")
        cls.write("mod/maps/dm01.txt", "another map")
        cls.write("mod/same.txt", "equal")
        cls.base = cls.pack(cls.folder / "base", "base")
        cls.mod = cls.pack(cls.folder / "mod", "mod")

    def mount_both(self):
        base = self.vfs.mount(self.base, policy=self.policy, label="the game")
        return base, self.vfs.mount(self.mod, policy=self.policy, label="a mod", fold_case=True)

    def test_mounts_are_listed_in_order_of_precedence(self):
        base, mod = self.mount_both()
        folder = self.vfs.mount(self.folder / "base", allow_unsigned=True, at="loose", priority=-1)
        first, second, third = inspection.mounts(self.vfs)
        self.assertEqual((first.mount, first.label, first.place, first.kind, first.signers, first.folds_case),
                         (mod, "a mod", "", inspection.Kind.BUNDLE, ("author",), True))
        self.assertEqual((second.mount, second.is_tainted, second.recall), (base, False, None))
        self.assertEqual((third.mount, third.place, third.kind, third.is_tainted, third.priority),
                         (folder, "loose", inspection.Kind.FOLDER, True, -1))

    def test_explains_whose_asset_a_path_gives(self):
        base, mod = self.mount_both()
        explanation = inspection.explain(self.vfs, "maps/dm01", "bsp,txt")
        self.assertEqual([each.mount.mount for each in explanation.candidates], [mod, base])
        self.assertEqual(explanation.winner, explanation.candidates[0])
        self.assertEqual(explanation.winner.asset, self.vfs.stat("/maps/dm01.txt").asset)
        self.assertEqual(explanation.winner.size, len("another map"))
        self.assertTrue(all(each.outcome for each in explanation.candidates))
        nothing = inspection.explain(self.vfs, "/no such file")
        self.assertEqual((nothing.path, nothing.candidates, nothing.winner, nothing.is_folder),
                         ("/no such file", (), None, False))
        self.assertTrue(inspection.explain(self.vfs, "/maps").is_folder)

    def test_conflicts_have_their_sides(self):
        base, mod = self.mount_both()
        harmful, harmless = inspection.conflicts(self.vfs)
        self.assertEqual((harmful.path.strip("/"), harmful.is_harmless), ("maps/dm01.txt", False))
        self.assertEqual([mount for mount, _ in harmful.sides], [mod, base])
        self.assertEqual((harmless.path.strip("/"), harmless.is_harmless), ("same.txt", True))

    def test_what_nothing_provides_is_named(self):
        with fardel.Plan() as plan:
            plan.set(None, "name", "needy")
            plan.add_name("a", plan.add_asset(b"a"))
            plan.add_consume("textures/wall")
            plan.add_dependency("ab" * 32, name="studio/base", version="1.0")
            plan.write(self.folder / "needy.fardel")
        mount = self.vfs.mount(self.folder / "needy.fardel", allow_unsigned=True)
        needs = {each.need: each for each in inspection.unresolved(self.vfs)}
        self.assertEqual((needs[inspection.Need.NAME].name.strip("/"), needs[inspection.Need.NAME].mount),
                         ("textures/wall", mount))
        self.assertEqual(needs[inspection.Need.BUNDLE].bundle, fardel.Id.parse("ab" * 32))
        self.assertEqual(self.vfs.missing_dependencies()[0].bundle, fardel.Id.parse("ab" * 32))
        with self.assertRaises(fardel.UnresolvedError):
            fardel.Vfs().mount(self.folder / "needy.fardel", allow_unsigned=True, require_dependencies=True)


if __name__ == "__main__":
    unittest.main()
