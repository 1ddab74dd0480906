"""The bytes of one bundle file, wherever they are."""

from __future__ import annotations

from . import c
from .library import make


class Reader:
    """Gives the bytes of a bundle to ``Vfs.mount``, which takes it over: a reader is mounted once."""

    def __init__(self) -> None:
        self.struct = make(c.fardel_reader)
        self._is_taken = False

    def take(self) -> c.fardel_reader:
        if self._is_taken:
            raise ValueError("the reader was mounted before")
        self._is_taken = True
        return self.struct

    def __del__(self) -> None:
        if not self._is_taken and self.struct.release:
            self.struct.release(self.struct.context)
