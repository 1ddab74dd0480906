import array
import gc
import io
import mmap
import os
import unittest

import fardel
from kit import BundleTest


class FileTest(BundleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("game/maps/dm01.txt", "first\nsecond\nthird\n")
        cls.write("game/noise.bin", os.urandom(300_000))
        cls.write("game/empty", b"")
        cls.bundle = cls.pack(cls.folder / "game", "game")

    def setUp(self):
        self.vfs = fardel.Vfs()
        self.addCleanup(self.vfs.close)
        self.vfs.mount(self.bundle, policy=self.policy)
        self.noise = (self.folder / "game/noise.bin").read_bytes()

    def test_reads_into_memory_of_the_caller(self):
        buffers = [
            bytearray(len(self.noise)),
            memoryview(bytearray(len(self.noise))),
            array.array("I", bytes(len(self.noise))),
            mmap.mmap(-1, len(self.noise)),
        ]
        for buffer in buffers:
            with self.vfs.open("/noise.bin") as file:
                self.assertEqual(file.readinto(buffer), len(self.noise))
                self.assertEqual(bytes(memoryview(buffer)), self.noise)
                self.assertEqual(file.readinto(bytearray(10)), 0)
        with self.vfs.open("/noise.bin") as file, self.assertRaises(TypeError):
            file.readinto(bytes(10))

    def test_fills_a_part_of_a_buffer_and_leaves_the_rest(self):
        buffer = bytearray(b"x" * 100)
        with self.vfs.open("/noise.bin") as file:
            self.assertEqual(file.read_at(1000, memoryview(buffer)[10:20]), 10)
        self.assertEqual(buffer, b"x" * 10 + self.noise[1000:1010] + b"x" * 80)
        buffer.extend(b"y")  # nothing holds it

    def test_reads_at_offsets_without_a_position(self):
        with self.vfs.open("/noise.bin") as file:
            buffer = bytearray(1000)
            self.assertEqual(file.read_at(len(self.noise) - 400, buffer), 400)
            self.assertEqual(buffer[:400], self.noise[-400:])
            self.assertEqual(file.read_at(len(self.noise), buffer), 0)
            self.assertEqual(file.read_at(1 << 62, buffer), 0)
            self.assertEqual(file.tell(), 0)
            with self.assertRaises(ValueError):
                file.read_at(-1, buffer)

    def test_is_a_file_of_python(self):
        with self.vfs.open("/noise.bin") as file:
            self.assertTrue(file.readable() and file.seekable() and not file.writable())
            self.assertEqual(file.seek(-10, os.SEEK_END), len(self.noise) - 10)
            self.assertEqual(file.read(4), self.noise[-10:-6])
            self.assertEqual(file.seek(2, os.SEEK_CUR), len(self.noise) - 4)
            self.assertEqual(file.read(), self.noise[-4:])
            self.assertEqual(file.read(), b"")
            for offset, whence in ((-1, os.SEEK_SET), (0, 9)):
                with self.assertRaises(ValueError):
                    file.seek(offset, whence)
        with io.BufferedReader(self.vfs.open("/noise.bin"), 4096) as buffered:
            self.assertEqual(buffered.peek(1)[:1], self.noise[:1])
            self.assertEqual(buffered.read(), self.noise)
        with io.TextIOWrapper(io.BufferedReader(self.vfs.open("/maps/dm01.txt"))) as lines:
            self.assertEqual(list(lines), ["first\n", "second\n", "third\n"])
        with self.vfs.open("/empty") as empty:
            self.assertEqual((empty.size, empty.read(), empty.readinto(bytearray())), (0, b"", 0))

    def test_knows_its_ids_and_the_library_agrees(self):
        with self.vfs.open("/maps/dm01.txt") as file:
            stat = self.vfs.stat("/maps/dm01.txt")
            self.assertEqual((file.size, file.asset, file.bundle), (stat.size, stat.asset, stat.bundle))
            self.assertEqual(fardel.Id.parse(str(file.asset)), file.asset)
        for text in ("", "00", "G" * 64, "A" * 64):
            with self.assertRaises(ValueError):
                fardel.Id.parse(text)

    def test_opens_what_a_reference_means_and_names_without_extension(self):
        with self.vfs.open("/maps/dm01", "bsp,txt") as file:
            self.assertEqual(file.readline(), b"first\n")
            with file.open("noise.bin") as other:
                self.assertEqual(other.size, len(self.noise))
            with file.open("noise", "tga,bin") as other:
                self.assertEqual(other.size, len(self.noise))
            with self.assertRaises(fardel.MissingError):
                file.open("no such file")

    def test_a_view_has_the_bytes_without_a_copy_for_as_long_as_a_part_of_it_is_used(self):
        file = self.vfs.open("/noise.bin")  # stored as it is, because it cannot be compressed
        whole = file.view()
        part = file.view(1000, 50)[10:20]
        self.assertTrue(whole.readonly)
        file.close()
        self.vfs.close()
        gc.collect()
        self.assertEqual(whole, self.noise)
        slice_of_whole = whole[5:9]
        whole.release()
        self.assertEqual((slice_of_whole, part), (self.noise[5:9], self.noise[1010:1020]))
        with fardel.Vfs() as vfs:
            vfs.mount(self.bundle, policy=self.policy)
            with vfs.open("/noise.bin") as file:
                for error, offset, size in ((fardel.LimitError, 0, 300_001), (ValueError, -1, 1), (ValueError, 0, -1)):
                    with self.assertRaises(error):
                        file.view(offset, size)
            with vfs.open("/empty") as file, self.assertRaises(fardel.LimitError):
                file.view()

    def test_a_damaged_byte_is_an_exception(self):
        content = bytearray(self.bundle.read_bytes())
        start = content.find(self.noise[5000:5100])  # stored as it is, because it cannot be compressed
        self.assertGreater(start, 0)
        content[start] ^= 1
        with fardel.Vfs() as vfs:
            vfs.mount(content, policy=self.policy)
            self.assertEqual(vfs.read("/maps/dm01.txt"), b"first\nsecond\nthird\n")
            with vfs.open("/noise.bin") as file, self.assertRaises(fardel.CorruptError):
                file.readall()


if __name__ == "__main__":
    unittest.main()
