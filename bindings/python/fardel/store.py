"""A folder of bundles on disk, which several programs may use at once, and fetches into it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from . import c
from .fetch import Fetch, FetchOutcome, Planned, Progressed
from .ids import Id, id_of, id_to, ids_to
from .library import Handle, call, collector, licenses_to, make, path_to, text_of, text_to, texts_to
from .reader import Reader
from .servers import Remote, ServerList, Servers, server_options, trust_options


@dataclass(frozen=True)
class StoredBundle:
    bundle: Id
    file_bytes: int
    held_bytes: int
    """Less than ``file_bytes``: it is incomplete."""

    @property
    def is_complete(self) -> bool:
        return self.held_bytes == self.file_bytes


@dataclass(frozen=True)
class StoredLicense:
    """A licence token that a store keeps."""

    token: bytes
    """For ``licenses`` of ``Vfs.mount``."""
    bundle: Id | None
    pattern: str | None
    """A glob over names of bundles; None: the token is about ``bundle``."""
    comment: str
    created_s: int
    expires_s: int
    issuer: bytes


class Store:
    """Bundles in a folder. Any thread may call any method at any time."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False) -> None:
        """Errors: MissingError, DeniedError, NoSpaceError, IoError, MalformedError (not a store), UnsupportedError."""
        pointer = ctypes.POINTER(c.fardel_store)()
        call("fardel_store_open", path_to(path), int(create), ctypes.byref(pointer))
        self._handle = Handle(pointer, "fardel_store_close")

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Readers, fetches and remote bundles stay usable."""
        self._handle.close()

    def bundles(self) -> Sequence[StoredBundle]:
        """In the order of their ids."""
        listed, bundles = collector(c.fardel_bundle_listed, _stored_bundle_of)
        with self._handle as store:
            call("fardel_store_list", store, listed, None, None)
        return bundles

    def find(self, digits: str) -> Id:
        """The one bundle whose id begins with these digits, at least 8. Errors: MalformedError, MissingError,
        ConflictError (several do)."""
        found = c.fardel_id()
        with self._handle as store:
            call("fardel_store_find", store, text_to(digits), ctypes.byref(found))
        return id_of(found)

    def closure(self, bundle: Id | str) -> Sequence[Id]:
        """The bundle and all its static dependencies, in the order in which they are mounted. Errors:
        UnresolvedError, MissingError, LimitError, CorruptError, IoError."""
        named, ids = collector(c.fardel_bundle_named, lambda pointer: id_of(pointer.contents))
        with self._handle as store:
            call("fardel_store_closure", store, ctypes.byref(id_to(bundle)), named, None)
        return ids

    def reader(self, bundle: Id | str) -> Reader:
        """For ``Vfs.mount``. Errors: MissingError, CorruptError, DeniedError, IoError."""
        reader = Reader()
        with self._handle as store:
            call("fardel_store_reader", store, ctypes.byref(id_to(bundle)), ctypes.byref(reader.struct))
        return reader

    def add_license(self, token: bytes) -> None:
        """Keeps a licence token, the bytes of its file. Errors: MalformedError, UnsupportedError, UntrustedError,
        LimitError, BusyError, DeniedError, NoSpaceError, IoError."""
        with self._handle as store:
            call("fardel_store_add_license", store, licenses_to([token]))

    def licenses(self) -> Sequence[StoredLicense]:
        """Also those that have ended."""
        listed, licenses = collector(c.fardel_license_listed, _stored_license_of)
        with self._handle as store:
            call("fardel_store_list_licenses", store, listed, None, None)
        return licenses

    def fetch(self, bundles: Iterable[Id | str], servers: ServerList | Sequence[str], **options: Any) -> FetchOutcome:
        """Brings bundles and their static dependencies into the store; takes what ``start_fetch`` does, and returns
        when all is here. Raises the error that it ended with."""
        with self.start_fetch(bundles, servers, **options) as fetch:
            return fetch.wait()

    def start_fetch(
        self,
        bundles: Iterable[Id | str],
        servers: ServerList | Sequence[str],
        *,
        policy: str | os.PathLike[str] | None = None,
        policy_text: str | None = None,
        now_s: int = 0,
        ignore_dates: bool = False,
        names: Sequence[str] = (),
        closures: Sequence[str] = (),
        assets: Iterable[Id | str] = (),
        tags: Sequence[str] = (),
        planned: Planned | None = None,
        progress: Progressed | None = None,
        source: str | None = None,
        source_bytes_max: int = 0,
    ) -> Fetch:
        """Starts a fetch in the background. ``policy``: what it does not trust is refused before its content is
        received. ``names`` (globs), ``closures`` (names, with all that they refer to), ``assets``, ``tags``
        ("lang=de"): a part of the bundles. ``planned`` receives what would be fetched; True accepts it, False refuses,
        None leaves it to ``Fetch.accept`` or ``refuse``. ``source``: whom it is fetched for. Errors: MalformedError,
        MissingError (libcurl, the policy), BusyError."""
        bundle_ids, asset_ids = ids_to(bundles), ids_to(assets)
        name_texts, closure_texts, tag_texts = texts_to(names), texts_to(closures), texts_to(tags)
        options = make(
            c.fardel_fetch_options,
            servers=ctypes.pointer(server_options(servers)),
            trust=trust_options(policy, policy_text, now_s, ignore_dates),
            bundles=bundle_ids,
            bundle_count=len(bundle_ids),
            names=name_texts,
            name_count=len(name_texts),
            closures=closure_texts,
            closure_count=len(closure_texts),
            assets=asset_ids,
            asset_count=len(asset_ids),
            tags=tag_texts,
            tag_count=len(tag_texts),
            source=text_to(source),
            source_bytes_max=source_bytes_max,
        )
        return Fetch(self._handle, options, planned, progress)

    def open_remote(
        self,
        servers: Servers,
        bundle: Id | str,
        *,
        policy: str | os.PathLike[str] | None = None,
        policy_text: str | None = None,
        now_s: int = 0,
        ignore_dates: bool = False,
    ) -> Remote:
        """A bundle that is read from servers while it is used; what comes is kept in the store. Errors:
        UnreachableError, MissingError, DeniedError, CorruptError, UntrustedError, RevokedError, ExpiredError,
        MalformedError, CancelledError, NoSpaceError, IoError."""
        pointer = ctypes.POINTER(c.fardel_remote)()
        trust = trust_options(policy, policy_text, now_s, ignore_dates)
        with self._handle as store, servers.handle as connection:
            call("fardel_remote_open", store, connection, ctypes.byref(id_to(bundle)), trust, ctypes.byref(pointer))
        return Remote(pointer)


def _stored_bundle_of(pointer: Any) -> StoredBundle:
    stored = pointer.contents
    return StoredBundle(id_of(stored.bundle), stored.file_bytes, stored.held_bytes)


def _stored_license_of(pointer: Any) -> StoredLicense:
    stored = pointer.contents
    return StoredLicense(
        ctypes.string_at(stored.token.bytes, stored.token.size_bytes),
        id_of(stored.bundle) if stored.pattern is None else None,
        None if stored.pattern is None else text_of(stored.pattern),
        text_of(stored.comment),
        stored.created_s,
        stored.expires_s,
        bytes(stored.issuer),
    )
