"""A folder that belongs to the game: saved games, settings, screenshots."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import c
from .errors import LimitError
from .library import Handle, call, collector, path_to, readable, text_of, text_to

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


@dataclass(frozen=True)
class WritableEntry:
    name: str
    """The last part."""
    size: int
    """In bytes; 0 for a folder."""
    modified_s: int
    is_folder: bool


class Writable:
    """It is no part of a ``Vfs``: content never hides a file in it, and it hides no content. Names are those of
    docs/saves.md; no link leads out of it. Any thread may call any method at any time."""

    def __init__(self, path: str | os.PathLike[str], *, bytes_max: int = 0, files_max: int = 0) -> None:
        """Creates the folder if it is missing. The quota counts the sizes of all files, and files and folders; 0: that
        of the library. Errors: MissingError, DeniedError, NoSpaceError, IoError."""
        pointer = ctypes.POINTER(c.fardel_writable)()
        call("fardel_writable_open", path_to(path), bytes_max, files_max, ctypes.byref(pointer))
        self._handle = Handle(pointer, "fardel_writable_close")

    def __enter__(self) -> Writable:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._handle.close()

    def write(self, name: str, content: ReadableBuffer) -> None:
        """Replaces the file as a whole, or on an error leaves it as it was; creates the folders of the name. Errors:
        MalformedError, LimitError (the name), ConflictError (a folder has this name, or another name is the same on
        other systems), DeniedError (a link or a device), NoSpaceError (the quota, or the disk), BusyError, IoError."""
        memory, size_bytes = readable(content)
        with self._handle as folder:
            call("fardel_writable_write", folder, text_to(name), memory, size_bytes)

    def read(self, name: str) -> bytes:
        """Errors: MissingError, MalformedError, LimitError, DeniedError, IoError."""
        needed = ctypes.c_size_t(4096)
        while True:
            buffer = ctypes.create_string_buffer(max(1, needed.value))
            try:
                with self._handle as folder:
                    call("fardel_writable_read", folder, text_to(name), buffer, len(buffer), ctypes.byref(needed))
            except LimitError:
                if needed.value <= len(buffer):
                    raise
                continue  # the file is larger, or has become so
            return buffer.raw[:needed.value]

    def stat(self, name: str) -> WritableEntry | None:
        """None: there is nothing of that name. Errors: MalformedError, LimitError, DeniedError, IoError."""
        entries = self._entries("fardel_writable_stat", name)
        return entries[0] if entries else None

    def list(self, name: str = "") -> Sequence[WritableEntry]:
        """What is in a folder of it, or in the whole, by the bytes of the names. Errors: those of ``stat``."""
        return self._entries("fardel_writable_list", name)

    def remove(self, name: str) -> bool:
        """Removes a file, and folders that are empty then; returns whether there was one. Errors: those of ``stat``,
        ConflictError (a folder with files), BusyError."""
        removed = ctypes.c_int32()
        with self._handle as folder:
            call("fardel_writable_remove", folder, text_to(name), ctypes.byref(removed))
        return bool(removed.value)

    def use(self) -> tuple[int, int]:
        """The bytes and files that count for the quota. Errors: DeniedError, IoError."""
        sizes, files = ctypes.c_uint64(), ctypes.c_uint64()
        with self._handle as folder:
            call("fardel_writable_use", folder, ctypes.byref(sizes), ctypes.byref(files))
        return sizes.value, files.value

    def _entries(self, function: str, name: str) -> Sequence[WritableEntry]:
        found, entries = collector(c.fardel_writable_found, _entry_of)
        with self._handle as folder:
            call(function, folder, text_to(name), found, None)
        return entries


def _entry_of(pointer: Any) -> WritableEntry:
    entry = pointer.contents
    return WritableEntry(text_of(entry.name), entry.size_bytes, entry.modified_s, bool(entry.is_folder))
