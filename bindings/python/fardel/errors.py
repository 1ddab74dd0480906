"""Exceptions: one per code of the C API, so that a program catches those that it can act on."""

from __future__ import annotations

from . import c


class Error(Exception):
    """A call failed. ``code`` is the number of the C API, ``text`` one sentence for people."""

    code: int = -1

    def __init__(self, text: str, code: int | None = None) -> None:
        super().__init__(text)
        self.text = text
        if code is not None:
            self.code = code


class MissingError(Error):
    """The requested thing does not exist."""

    code = c.FARDEL_ERROR_MISSING


class CorruptError(Error):
    """Bytes do not match their hash or signature."""

    code = c.FARDEL_ERROR_CORRUPT


class MalformedError(Error):
    """Bytes or text do not have the form that they must have."""

    code = c.FARDEL_ERROR_MALFORMED


class LimitError(Error):
    """Something is above a limit of the library."""

    code = c.FARDEL_ERROR_LIMIT


class UntrustedError(Error):
    """No acceptable signature."""

    code = c.FARDEL_ERROR_UNTRUSTED


class RevokedError(Error):
    """The key or bundle was accepted once and has been withdrawn."""

    code = c.FARDEL_ERROR_REVOKED


class ExpiredError(Error):
    """A date has passed."""

    code = c.FARDEL_ERROR_EXPIRED


class RollbackError(Error):
    """Older than what was accepted before."""

    code = c.FARDEL_ERROR_ROLLBACK


class UnsupportedError(Error):
    """The library is too old for the file, or for what was asked; or it is not installed."""

    code = c.FARDEL_ERROR_UNSUPPORTED


class ConflictError(Error):
    """Two things claim the same name or location."""

    code = c.FARDEL_ERROR_CONFLICT


class UnresolvedError(Error):
    """A name or dependency that nothing provides."""

    code = c.FARDEL_ERROR_UNRESOLVED


class DeniedError(Error):
    """Permission or policy forbids it."""

    code = c.FARDEL_ERROR_DENIED


class BusyError(Error):
    """In use by another thread or program; trying later may work."""

    code = c.FARDEL_ERROR_BUSY


class UnreachableError(Error):
    """A server or share does not answer."""

    code = c.FARDEL_ERROR_UNREACHABLE


class NoSpaceError(Error):
    """The disk or quota is full."""

    code = c.FARDEL_ERROR_NO_SPACE


class IoError(Error):
    """The operating system reported another failure."""

    code = c.FARDEL_ERROR_IO


class CancelledError(Error):
    """The caller asked to stop."""

    code = c.FARDEL_ERROR_CANCELLED


class ArgumentError(Error):
    """A value that the C API does not take."""

    code = c.FARDEL_ERROR_ARGUMENT


class NoMemoryError(Error):
    """Memory is exhausted."""

    code = c.FARDEL_ERROR_NO_MEMORY


_BY_CODE = {kind.code: kind for kind in Error.__subclasses__()}


def error_of(code: int, text: str) -> Error:
    """The exception of a code; of one that this package does not know, Error."""
    kind = _BY_CODE.get(code)
    return kind(text) if kind else Error(text, code)
