"""Finds and calls the C libraries.

The folders of the variable FARDEL_LIBRARY_PATH are searched first, as a list with the separator of PATH; then the
system's loader is asked. A library is loaded when one of its functions is first called. Calls release the interpreter's
lock, so that other threads run meanwhile.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from . import c
from .errors import UnsupportedError, error_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

Value = TypeVar("Value")

_libraries: dict[str, ctypes.CDLL] = {}
_lock = threading.Lock()


def load(name: str) -> ctypes.CDLL:
    """The library of this name, such as "fardel"; error: UnsupportedError if it is not installed."""
    with _lock:
        if name not in _libraries:
            _libraries[name] = _open(f"lib{name}.so.0")
        return _libraries[name]


def _open(file_name: str) -> ctypes.CDLL:
    for folder in os.environ.get("FARDEL_LIBRARY_PATH", "").split(os.pathsep):
        path = os.path.join(folder, file_name)
        if folder and os.path.exists(path):
            return ctypes.CDLL(path)
    try:
        return ctypes.CDLL(file_name)
    except OSError as error:
        raise UnsupportedError(f"{error}; install Fardel, or name its folder in FARDEL_LIBRARY_PATH") from None


def _function(name: str) -> Any:
    library_name, result, parameters = c.FUNCTIONS[name]
    try:
        function = getattr(load(library_name), name)
    except AttributeError:
        raise UnsupportedError(f"the installed lib{library_name} is too old: it has no {name}") from None
    function.restype = result
    function.argtypes = parameters
    return function


_functions: dict[str, Any] = {}


def call(name: str, *arguments: Any) -> Any:
    """Calls a function by its name in C. One whose last parameter is a ``fardel_error`` is called without it, returns
    None, and raises the exception of its code. None is allowed for a callback."""
    function = _functions.get(name)
    if function is None:
        function = _functions[name] = _function(name)
    kinds = function.argtypes
    # ctypes takes None for any pointer but one to a function.
    given = [kind() if value is None and issubclass(kind, ctypes._CFuncPtr) else value  # type: ignore[attr-defined]
             for kind, value in zip(kinds, arguments)]
    if len(kinds) == 0 or kinds[-1] is not ctypes.POINTER(c.fardel_error):
        return function(*given)
    error = make(c.fardel_error)
    code = function(*given, ctypes.byref(error))
    if code != c.FARDEL_OK:
        raise error_of(code, text_of(error.text))
    return None


def make(kind: type[Value], **values: Any) -> Value:
    """A struct of the C API with its own size in ``struct_size``."""
    struct: Any = kind(**values)
    struct.struct_size = ctypes.sizeof(struct)
    return struct  # type: ignore[no-any-return]


def no_function(kind: Any) -> Any:
    """A null pointer to a function, which ctypes does not make of None in a struct."""
    return kind()


def field_kind(struct: Any, name: str) -> Any:
    """The type of a field, such as that of a callback."""
    return dict(struct._fields_)[name]


def text_of(text: bytes | None) -> str:
    return (text or b"").decode("utf-8", "replace")


def text_to(text: str | None) -> bytes | None:
    """For a parameter that is text. A NUL would end it in C, and the rest would be lost silently."""
    if text is None:
        return None
    if "\0" in text:
        raise ValueError("embedded null character")
    return text.encode("utf-8")


def path_to(path: str | os.PathLike[str] | None) -> bytes | None:
    """For a parameter that is a path of the disk."""
    if path is None:
        return None
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("embedded null byte")
    return encoded


def texts_to(texts: Iterable[str]) -> ctypes.Array[ctypes.c_char_p]:
    encoded = [text_to(text) for text in texts]
    return (ctypes.c_char_p * len(encoded))(*encoded)


def licenses_to(tokens: Iterable[bytes]) -> ctypes.Array[c.fardel_license_token]:
    """The structs keep their bytes."""
    structs = [c.fardel_license_token(ctypes.cast(ctypes.c_char_p(token), ctypes.c_void_p), len(token))
               for token in tokens]
    return (c.fardel_license_token * len(structs))(*structs)


def collector(kind: Any, convert: Callable[..., Value]) -> tuple[Any, list[Value]]:
    """A callback of the type ``kind``, and the list into which it puts what ``convert`` makes of each call: what the
    callback receives is valid during the call only, so ``convert`` copies."""
    collected: list[Value] = []

    def receive(_context: object, *values: Any) -> None:
        collected.append(convert(*values))

    return kind(receive), collected


def writable(buffer: WriteableBuffer) -> Any:
    """The memory of a buffer, as C writes into it: bytearray, memoryview, array, mmap, numpy array."""
    view = memoryview(buffer).cast("B")
    return (ctypes.c_char * view.nbytes).from_buffer(view)


def readable(buffer: ReadableBuffer) -> tuple[Any, int]:
    """The memory of a buffer, as C reads it, and its size. Only a read-only buffer that is not bytes is copied."""
    if isinstance(buffer, bytes):
        return buffer, len(buffer)
    view = memoryview(buffer).cast("B")
    if view.readonly:
        return bytes(view), view.nbytes
    return (ctypes.c_char * view.nbytes).from_buffer(view), view.nbytes


class Raised:
    """Keeps what callbacks raise, because nothing can be raised through C. ``with raised.kept():`` in a callback;
    ``with raised:`` around the call, which raises it there instead of the error of the call."""

    def __init__(self) -> None:
        self._first: BaseException | None = None

    def kept(self) -> _Kept:
        return _Kept(self)

    def keep(self, error: BaseException) -> None:
        self._first = self._first or error

    def raise_kept(self) -> None:
        if self._first is not None:
            first, self._first = self._first, None
            raise first

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_exception: object) -> None:
        self.raise_kept()


class _Kept:
    def __init__(self, raised: Raised) -> None:
        self._raised = raised

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if error is not None:
            self._raised.keep(error)
        return True


class Handle:
    """A handle of the C API. ``with handle as pointer`` uses it; it is released when it is closed and nobody uses it,
    so that closing in one thread never takes it from another."""

    def __init__(self, pointer: Any, release: str) -> None:
        self._pointer = pointer
        self._release = release
        self._uses = 0
        self._is_closed = False
        self._lock = threading.Lock()

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    def __enter__(self) -> Any:
        with self._lock:
            if self._is_closed:
                raise ValueError("it is closed")
            self._uses += 1
            return self._pointer

    def __exit__(self, *_exception: object) -> None:
        with self._lock:
            self._uses -= 1
            ends = self._is_closed and self._uses == 0
        if ends:
            call(self._release, self._pointer)

    def close(self) -> None:
        """Closing again does nothing."""
        with self._lock:
            ends = not self._is_closed and self._uses == 0
            self._is_closed = True
        if ends:
            call(self._release, self._pointer)

    def __del__(self) -> None:
        if not self._is_closed:
            self.close()
