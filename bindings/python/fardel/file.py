"""Assets as files of Python."""

from __future__ import annotations

import ctypes
import io
import os
from typing import TYPE_CHECKING, Any

from . import c
from .ids import Id, id_of
from .library import Handle, call, text_to, writable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class File(io.RawIOBase):
    """An asset, for reading; ``Vfs.open`` opens it. Each byte is verified: a wrong one is an exception, never other
    bytes. It stays readable after its bundle was unmounted and the ``Vfs`` closed.

    ``readinto`` and ``read_at`` read into memory of the caller without a copy. ``read_at`` uses no position, and any
    number of threads may call it at once. What reads from a position belongs to one thread at a time, as with other
    files; ``io.BufferedReader`` and ``io.TextIOWrapper`` take a ``File``.
    """

    def __init__(self, vfs: Handle, handle: Handle) -> None:
        super().__init__()
        self._vfs = vfs
        self._handle = handle
        self._position = 0
        with handle as file:
            self._size = int(call("fardel_file_size", file))
            self._asset = id_of(call("fardel_file_asset", file))
            self._bundle = id_of(call("fardel_file_bundle", file))

    @property
    def size(self) -> int:
        """In bytes."""
        return self._size

    @property
    def asset(self) -> Id:
        return self._asset

    @property
    def bundle(self) -> Id:
        """The bundle that it was found in."""
        return self._bundle

    def read_at(self, offset: int, buffer: WriteableBuffer) -> int:
        """Fills the buffer from the offset on and returns the number of bytes: fewer than it has room for only at the
        end. Errors: CorruptError, MalformedError, IoError; ValueError after ``close``."""
        if offset < 0:
            raise ValueError("a negative offset")
        memory = writable(buffer)
        count = ctypes.c_size_t()
        with self._handle as file:
            call("fardel_read_at", file, offset, memory, len(memory), ctypes.byref(count))
        return count.value

    def view(self, offset: int = 0, size: int | None = None) -> memoryview:
        """Bytes of the bundle's file in memory, read-only and without a copy, for as long as anybody has the view or a
        part of it. Only for bundles that no other program writes: a program that truncates the file makes touching the
        view fatal. ``size`` None: to the end. Errors: UnsupportedError (the bytes are compressed, or not in a file or
        memory: read them instead), LimitError (not all in the file, or no bytes), CorruptError, MalformedError,
        IoError."""
        if offset < 0 or (size is not None and size < 0):
            raise ValueError("a negative offset or size")
        wanted = max(0, self._size - offset) if size is None else size
        pointer = ctypes.POINTER(c.fardel_view)()
        with self._handle as file:
            call("fardel_view_open", file, offset, wanted, ctypes.byref(pointer))
        array = (ctypes.c_char * wanted).from_address(call("fardel_view_bytes", pointer))
        # The view is closed with the last memoryview of the array, slices included.
        array.keeper = Handle(pointer, "fardel_view_close")  # type: ignore[attr-defined]
        return memoryview(array).cast("B").toreadonly()

    def readinto(self, buffer: WriteableBuffer) -> int:
        count = self.read_at(self._position, buffer)
        self._position += count
        return count

    def readall(self) -> bytes:
        buffer = bytearray(max(0, self._size - self._position))
        del buffer[self.readinto(buffer):]
        return bytes(buffer)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        starts = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}
        if whence not in starts:
            raise ValueError(f"seek from {whence}")
        if starts[whence] + offset < 0:
            raise ValueError("seek to before the start")
        self._position = starts[whence] + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def open(self, reference: str, extensions: str | None = None) -> File:
        """Opens the asset that this one means by a reference in its content. ``extensions``, "tga,jpg,png": the
        reference may lack its extension, or have another of these. Errors: those of ``Vfs.open``, UnresolvedError."""
        with self._handle as start:
            if extensions is None:
                return open_file(self._vfs, "fardel_open_from", start, text_to(reference))
            return open_file(self._vfs, "fardel_open_any_from", start, text_to(reference), text_to(extensions))

    def close(self) -> None:
        self._handle.close()
        super().close()


def open_file(vfs: Handle, function: str, *arguments: Any) -> File:
    """Calls one of the functions that open a file, with the VFS before the arguments."""
    file = ctypes.POINTER(c.fardel_file)()
    with vfs as tree:
        call(function, tree, *arguments, ctypes.byref(file))
    return File(vfs, Handle(file, "fardel_close"))
