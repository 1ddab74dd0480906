"""Signed, content-addressed asset bundles for games: mount, list, read, verify, sign, pack, fetch.

A typed package over Fardel's C API; docs/languages.md is its guide. ``fardel.c`` has the C API itself.
"""

from .errors import (
    ArgumentError,
    BusyError,
    CancelledError,
    ConflictError,
    CorruptError,
    DeniedError,
    Error,
    ExpiredError,
    IoError,
    LimitError,
    MalformedError,
    MissingError,
    NoMemoryError,
    NoSpaceError,
    RevokedError,
    RollbackError,
    UnreachableError,
    UnresolvedError,
    UnsupportedError,
    UntrustedError,
)
from .fetch import Fetch, FetchOutcome, FetchPlan, FetchProgress, PlannedFetch
from .file import File
from .ids import Id
from .library import call as _call
from .packing import Plan, Purpose, WrittenBundle, build, pack
from .reader import Reader
from .servers import Remote, ServerList, Servers
from .signing import Signer, create_key, sign
from .store import Store, StoredBundle, StoredLicense
from .verifying import Finding, Severity, VerifiedBundle, verify
from .version import VERSION as __version__
from .vfs import Change, Entry, MissingContent, MissingDependency, Mounting, Node, RecalledMount, Stat, Stated, Vfs
from .writable import Writable, WritableEntry

__all__ = [
    "__version__",
    "ArgumentError",
    "build",
    "BusyError",
    "CancelledError",
    "Change",
    "ConflictError",
    "CorruptError",
    "create_key",
    "DeniedError",
    "Entry",
    "Error",
    "ExpiredError",
    "Fetch",
    "FetchOutcome",
    "FetchPlan",
    "FetchProgress",
    "File",
    "Finding",
    "Id",
    "IoError",
    "library_version",
    "LimitError",
    "MalformedError",
    "MissingContent",
    "MissingDependency",
    "MissingError",
    "Mounting",
    "Node",
    "NoMemoryError",
    "NoSpaceError",
    "pack",
    "Plan",
    "PlannedFetch",
    "Purpose",
    "Reader",
    "RecalledMount",
    "Remote",
    "RevokedError",
    "RollbackError",
    "ServerList",
    "Servers",
    "Severity",
    "sign",
    "Signer",
    "Stat",
    "Stated",
    "Store",
    "StoredBundle",
    "StoredLicense",
    "UnreachableError",
    "UnresolvedError",
    "UnsupportedError",
    "UntrustedError",
    "VerifiedBundle",
    "verify",
    "Vfs",
    "Writable",
    "WritableEntry",
    "WrittenBundle",
]


def library_version() -> str:
    """The version of the C library that was found, "0.1.0"."""
    return str(_call("fardel_version_text").decode())
