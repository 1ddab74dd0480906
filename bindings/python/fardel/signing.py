"""Keys, and signatures of bundles."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from . import c
from .library import Handle, Raised, call, make, path_to, text_to


def create_key(
    path: str | os.PathLike[str], *, passphrase: str | None = None, comment: str | None = None
) -> bytes:
    """Creates a key pair, the secret key's file at ``path`` and the public key's at ``path`` with ".pub" behind it, and
    returns the 32 bytes of the public key. Without ``passphrase`` the secret key is not encrypted. Errors:
    ConflictError (one of the files exists), MalformedError (an empty passphrase), DeniedError, MissingError,
    NoSpaceError, IoError."""
    key = c.fardel_public_key()
    call("fardel_key_create", path_to(path), text_to(passphrase), text_to(comment), ctypes.byref(key))
    return bytes(key.bytes)


class Signer:
    """A key that signs. One call at a time uses it; others wait."""

    def __init__(self, path: str | os.PathLike[str], passphrase: str | None = None) -> None:
        """Reads a secret key file of Fardel or minisign. Errors: MissingError, DeniedError (readable by others, a wrong
        passphrase or none), MalformedError, UnsupportedError, CorruptError, LimitError, IoError."""
        pointer = ctypes.POINTER(c.fardel_signer)()
        call("fardel_signer_open", path_to(path), text_to(passphrase), ctypes.byref(pointer))
        self._take(pointer, None)

    @classmethod
    def from_function(cls, key: bytes, sign: Callable[[bytes], bytes]) -> Signer:
        """A signer whose secret key is elsewhere: in a token, an agent, a service. ``key``: the 32 bytes of the public
        key. ``sign`` gets a message and returns the 64 bytes of its signature; each is verified. What it raises reaches
        whoever signs."""
        public_key = c.fardel_public_key.from_buffer_copy(key)
        signer = cls.__new__(cls)

        def on_message(_context: object, message: int, size_bytes: int, signature: Any) -> int:
            with signer.raised.kept():
                made = sign(ctypes.string_at(message, size_bytes))
                if len(made) != 64:
                    raise ValueError(f"a signature has 64 bytes, not {len(made)}")
                ctypes.memmove(signature, made, 64)
                return c.FARDEL_OK
            return c.FARDEL_ERROR_DENIED

        callback = c.fardel_sign_message(on_message)
        pointer = ctypes.POINTER(c.fardel_signer)()
        call("fardel_signer_create", ctypes.byref(public_key), callback, None, ctypes.byref(pointer))
        signer._take(pointer, callback)
        return signer

    def _take(self, pointer: Any, callback: Any) -> None:
        self._handle = Handle(pointer, "fardel_signer_close")
        self._callback = callback
        self._lock = threading.Lock()
        self.raised = Raised()

    def __enter__(self) -> Signer:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @property
    def key(self) -> bytes:
        """The 32 bytes of the public key."""
        with self._handle as signer:
            return bytes(call("fardel_signer_key", signer).bytes)

    @contextmanager
    def use(self) -> Iterator[Any]:
        """The handle, for one call."""
        with self._lock, self._handle as signer, self.raised:
            yield signer

    def close(self) -> None:
        self._handle.close()


def sign_options(channel: str | None, comment: str | None, epoch: int, created_s: int, expires_s: int) -> Any:
    return make(
        c.fardel_sign_options,
        channel=text_to(channel),
        comment=text_to(comment),
        epoch=epoch,
        created_s=created_s,
        expires_s=expires_s,
    )


def sign(
    bundle: str | os.PathLike[str],
    signer: Signer,
    *,
    channel: str | None = None,
    comment: str | None = None,
    epoch: int = 0,
    created_s: int = 0,
    expires_s: int = 0,
) -> None:
    """Verifies the whole bundle file and appends its author's signature. ``epoch`` grows from one release to the next;
    dates are Unix seconds. Errors: ConflictError (this key has signed exactly this already), UnresolvedError (the
    bundle has no name), ExpiredError, LimitError, CorruptError and its relatives, DeniedError, NoSpaceError, IoError.
    After an error the file is unchanged."""
    options = sign_options(channel, comment, epoch, created_s, expires_s)
    with signer.use() as pointer:
        call("fardel_sign_file", path_to(bundle), pointer, ctypes.byref(options))
