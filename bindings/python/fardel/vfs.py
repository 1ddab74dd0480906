"""The tree that a game sees: bundles, mounted above one another."""

from __future__ import annotations

import ctypes
import enum
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Union

from . import c
from .errors import Error, LimitError, error_of
from .file import File, open_file
from .ids import Id, id_of, ids_of, ids_to
from .library import Handle, Raised, call, collector, licenses_to, make, path_to, readable, text_of, text_to, texts_to
from .reader import Reader

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Node(enum.IntEnum):
    """What is at a path."""

    FOLDER = c.FARDEL_NODE_FOLDER
    FILE = c.FARDEL_NODE_FILE
    LINK = c.FARDEL_NODE_LINK
    """A published name."""


@dataclass(frozen=True)
class Entry:
    """One entry of a folder."""

    name: str
    node: Node

    @property
    def is_folder(self) -> bool:
        return self.node is Node.FOLDER


@dataclass(frozen=True)
class Stat:
    """What is at a path; of a link: its target."""

    node: Node
    size: int
    """In bytes."""
    asset: Id | None
    bundle: Id | None
    content_type: str


@dataclass(frozen=True)
class Stated:
    """What is stated under one key of metadata."""

    value: str | float | int | bool
    of_bundle: bool
    """The asset states nothing under this key, and its bundle does."""


@dataclass(frozen=True)
class Change:
    """A path whose asset changed. None: there was none before, or there is none now."""

    path: str
    before: Id | None
    after: Id | None


@dataclass(frozen=True)
class MissingDependency:
    """What a mounted bundle needs and is not mounted: a bundle, or a requirement such as "studio/base >= 1.0"."""

    mount: int
    bundle: Id | None
    requirement: str | None


@dataclass(frozen=True)
class MissingContent:
    """Assets of one bundle whose content is not here."""

    bundle: Id
    assets: tuple[Id, ...]
    is_mounted: bool


@dataclass(frozen=True)
class RecalledMount:
    """A mounted bundle that a policy withdraws."""

    mount: int
    bundle: Id
    label: str
    reason: str


Source = Union[str, "os.PathLike[str]", "ReadableBuffer", Reader]


@dataclass(frozen=True)
class Mounting:
    """What is to be mounted, and how: the parameters of ``Vfs.mount``, for ``apply`` and ``replace``."""

    source: Source
    policy: str | os.PathLike[str] | None = None
    policy_text: str | None = None
    at: str | None = None
    priority: int = 0
    label: str | None = None
    preference: str | None = None
    fold_case: bool = False
    allow_unsigned: bool = False
    watch: bool = False
    ignore_dates: bool = False
    require_dependencies: bool = False
    pure_only: bool = False
    now_s: int = 0
    licenses: Iterable[bytes] = ()
    resolved: Iterable[Id | str] = ()

    def request(self) -> Any:
        """The struct of the C API. It keeps what it points to, and takes a reader over."""
        tokens, resolved = licenses_to(self.licenses), ids_to(self.resolved)
        flags = 0
        for flag, is_set in (
            (c.FARDEL_MOUNT_FOLD_CASE, self.fold_case),
            (c.FARDEL_MOUNT_ALLOW_UNSIGNED, self.allow_unsigned),
            (c.FARDEL_MOUNT_WATCH, self.watch),
            (c.FARDEL_MOUNT_IGNORE_DATES, self.ignore_dates),
            (c.FARDEL_MOUNT_REQUIRE_DEPENDENCIES, self.require_dependencies),
            (c.FARDEL_MOUNT_PURE_ONLY, self.pure_only),
        ):
            flags |= flag if is_set else 0
        options = make(
            c.fardel_mount_options,
            place=text_to(self.at),
            policy_path=path_to(self.policy),
            policy_text=text_to(self.policy_text),
            label=text_to(self.label),
            preference=text_to(self.preference),
            now_s=self.now_s,
            priority=self.priority,
            flags=flags,
            licenses=tokens,
            license_count=len(tokens),
            resolved=resolved,
            resolved_count=len(resolved),
        )
        request = make(c.fardel_mount_request, options=ctypes.pointer(options))
        if isinstance(self.source, Reader):
            request.reader = ctypes.pointer(self.source.take())
        elif isinstance(self.source, (str, os.PathLike)):
            request.path = path_to(self.source)
        else:
            # An attribute beside the fields, because ctypes does not keep bytes for a field that points to them.
            request.memory, request.size_bytes = readable(self.source)
            request.bytes = ctypes.cast(request.memory, ctypes.c_void_p)
        return request


class Vfs:
    """Mounted bundles as one tree. Any thread may call any method at any time. Files stay readable after ``close``.

    >>> with fardel.Vfs() as vfs:
    ...     vfs.mount("game.fardel", policy="trust.policy")
    ...     vfs.read("/maps/dm01.bsp")
    """

    def __init__(
        self,
        *,
        cache_bytes: int | None = None,
        digest_folder: str | os.PathLike[str] | None = None,
        open_needs_content: bool = False,
        records_trace: bool = False,
        read_threads: int = 0,
    ) -> None:
        """``cache_bytes``: for decoded blocks; None: as many as the library takes. ``read_threads``: so many share
        large reads, and those of ``read_files``, with the thread that reads. ``digest_folder``: keeps digests of
        mounted folders between runs. ``open_needs_content``: opening an asset whose content is not all here is a
        MissingError. ``records_trace``: notes what is opened, for ``read_trace``."""
        flags = (c.FARDEL_VFS_OPEN_NEEDS_CONTENT if open_needs_content else 0) | (
            c.FARDEL_VFS_RECORDS_TRACE if records_trace else 0)
        options = make(c.fardel_vfs_options)
        call("fardel_vfs_options_init", ctypes.byref(options), ctypes.sizeof(options))
        options.flags = flags
        options.digest_folder = path_to(digest_folder)
        if cache_bytes is not None:
            options.cache_bytes = cache_bytes
        options.read_threads = read_threads
        pointer = ctypes.POINTER(c.fardel_vfs)()
        call("fardel_vfs_create", ctypes.byref(options), ctypes.byref(pointer))
        self.handle = Handle(pointer, "fardel_vfs_destroy")

    def __enter__(self) -> Vfs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Unmounts everything. Waits for nothing: calls of other threads end as if it were open."""
        self.handle.close()

    # ---- Mounts

    def mount(
        self,
        source: Source,
        *,
        policy: str | os.PathLike[str] | None = None,
        policy_text: str | None = None,
        at: str | None = None,
        priority: int = 0,
        label: str | None = None,
        preference: str | None = None,
        fold_case: bool = False,
        allow_unsigned: bool = False,
        watch: bool = False,
        ignore_dates: bool = False,
        require_dependencies: bool = False,
        pure_only: bool = False,
        now_s: int = 0,
        licenses: Iterable[bytes] = (),
        resolved: Iterable[Id | str] = (),
    ) -> int:
        """Mounts a bundle and returns the number of the mount.

        ``source``: the path of a bundle (with ``allow_unsigned``, also of a folder), the bytes of one, which are
        copied, or a reader, as a store gives it. ``policy``: the file of a trust policy; ``policy_text``: its text.
        Without one, only ``allow_unsigned`` mounts anything. ``at``: the folder of the published names, "mods/x".
        Of two mounts, the one with the higher ``priority`` wins; of equal ones, the later. ``preference``: which
        variants are taken of this mount, as for ``prefer``; None: as the VFS prefers. ``licenses``: the bytes of
        licence tokens. ``now_s``: Unix seconds, for dates in signatures; 0: now. On an error nothing changes."""
        return self.apply(mounts=[Mounting(
            source,
            policy=policy,
            policy_text=policy_text,
            at=at,
            priority=priority,
            label=label,
            preference=preference,
            fold_case=fold_case,
            allow_unsigned=allow_unsigned,
            watch=watch,
            ignore_dates=ignore_dates,
            require_dependencies=require_dependencies,
            pure_only=pure_only,
            now_s=now_s,
            licenses=licenses,
            resolved=resolved,
        )])[0]

    def apply(
        self,
        *,
        unmounts: Iterable[int] = (),
        mounts: Iterable[Mounting] = (),
        priorities: Mapping[int, int] | None = None,
    ) -> Sequence[int]:
        """Makes a whole change in one step, and returns the numbers of the new mounts: every look-up sees all of it or
        nothing of it, so a game changes its map without a moment in which only the base game is there. ``priorities``:
        new ones of mounts that stay. Errors: those of ``mount`` and ``unmount``; on an error nothing has changed."""
        requests = [mounting.request() for mounting in mounts]
        old = list(unmounts)
        moved = [c.fardel_mount_priority(mount, priority) for mount, priority in (priorities or {}).items()]
        pointers = [ctypes.pointer(request) for request in requests]
        new_mounts = (ctypes.c_uint32 * len(requests))()
        change = make(
            c.fardel_mount_change,
            unmounts=(ctypes.c_uint32 * len(old))(*old),
            unmount_count=len(old),
            mounts=(ctypes.POINTER(c.fardel_mount_request) * len(requests))(*pointers),
            mount_count=len(requests),
            priorities=(c.fardel_mount_priority * len(moved))(*moved),
            priority_count=len(moved),
            new_mounts=new_mounts,
        )
        with self.handle as vfs:
            call("fardel_apply", vfs, ctypes.byref(change))
        return list(new_mounts)

    def replace(self, mount: int, mounting: Mounting) -> Sequence[Change]:
        """Puts other content into a mount, which keeps its number, position, mount point, priority and case rule, and
        returns what changed. Errors: those of ``mount``; MissingError. On an error nothing changes."""
        changed, changes = collector(c.fardel_changed, _change_of)
        request = mounting.request()
        with self.handle as vfs:
            call("fardel_replace", vfs, mount, ctypes.byref(request), changed, None)
        return changes

    def unmount(self, mount: int) -> None:
        """Open files stay readable. Error: MissingError."""
        with self.handle as vfs:
            call("fardel_unmount", vfs, mount)

    @property
    def is_tainted(self) -> bool:
        """Whether something is mounted that no policy vouches for."""
        with self.handle as vfs:
            return bool(call("fardel_is_tainted", vfs))

    def enable_archives(self) -> None:
        """From now on, zip, pk3, 7z and other archives can be mounted, too: for development."""
        with self.handle as vfs:
            call("fardel_enable_archives", vfs)

    def prefer(self, preference: str, mount: int | None = None) -> None:
        """Chooses the variants that are taken from now on: "texture=astc,png lang=fr,en triangles<=20000"; "":
        the first of each name. With ``mount``, only of that one; there it counts before that of the VFS. Errors:
        MalformedError, LimitError, MissingError (the mount)."""
        with self.handle as vfs:
            if mount is None:
                call("fardel_prefer", vfs, text_to(preference))
            else:
                call("fardel_prefer_in_mount", vfs, mount, text_to(preference))

    def variant_axes(self) -> str:
        """What the variants of all visible mounts differ by, in the form of a preference. Errors: LimitError,
        CorruptError, MalformedError, IoError."""
        return self._text_from("fardel_variant_axes")

    def refresh(self, mount: int) -> Sequence[Change]:
        """Scans a mounted folder again, and returns what changed."""
        changed, changes = collector(c.fardel_changed, _change_of)
        with self.handle as vfs:
            call("fardel_refresh", vfs, mount, changed, None)
        return changes

    def poll(self) -> Sequence[Change]:
        """The same for all folders that were mounted with ``watch``: cheap enough for each frame."""
        changed, changes = collector(c.fardel_changed, _change_of)
        with self.handle as vfs:
            call("fardel_poll", vfs, changed, None)
        return changes

    def missing_dependencies(self) -> Sequence[MissingDependency]:
        """What mounted bundles need and is not mounted."""
        found, missing = collector(c.fardel_dependency_missing, _missing_dependency_of)
        with self.handle as vfs:
            call("fardel_missing_dependencies", vfs, found, None, None)
        return missing

    def judge_again(self, policy_text: str, now_s: int = 0) -> Sequence[RecalledMount]:
        """Judges all mounts by a policy with the revocations of today, and returns what it withdraws: opening that is
        a RevokedError from now on."""
        found, recalled = collector(c.fardel_recalled, _recalled_mount_of)
        with self.handle as vfs:
            call("fardel_judge_again", vfs, text_to(policy_text), now_s, found, None, None)
        return recalled

    # ---- What is at a path

    def exists(self, path: str) -> bool:
        with self.handle as vfs:
            return bool(call("fardel_exists", vfs, text_to(path)))

    def stat(self, path: str) -> Stat:
        """Reads no content. Errors: MissingError, CorruptError, MalformedError, LimitError, IoError."""
        stat = make(c.fardel_stat)
        with self.handle as vfs:
            call("fardel_stat_path", vfs, text_to(path), ctypes.byref(stat))
        return Stat(
            Node(stat.node),
            stat.size_bytes,
            id_of(stat.asset) if stat.has & c.FARDEL_STAT_ASSET else None,
            id_of(stat.bundle) if stat.has & c.FARDEL_STAT_BUNDLE else None,
            text_of(stat.content_type),
        )

    def list(self, path: str = "/") -> Iterator[Entry]:
        """The entries of a folder in the order of their bytes, from the mounts as they are now. Errors: those of
        ``stat``; MissingError also if it is not a folder."""
        listing = ctypes.POINTER(c.fardel_listing)()
        with self.handle as vfs:
            call("fardel_listing_open", vfs, text_to(path), ctypes.byref(listing))
        return _entries_of(Handle(listing, "fardel_listing_close"))

    def walk(self, path: str = "/") -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
        """As ``os.walk``: the path of each folder, the names of its folders, and the names of its files. Below "/",
        what is at "/assets" and "/bundles" is there, too."""
        folders: list[str] = []
        files: list[str] = []
        for entry in self.list(path):
            (folders if entry.is_folder else files).append(entry.name)
        yield path, folders, files
        for name in folders:
            yield from self.walk(f"{path.rstrip('/')}/{name}")

    def read_link(self, path: str) -> str:
        """The path "/assets/<id>" of a published name. Errors: those of ``stat``; MissingError also if it is none."""
        return self._text_from("fardel_read_link", text_to(path))

    def metadata(self, path: str, key: str | None = None) -> dict[str, Stated]:
        """What is stated about the asset at a path, or of "/bundles/<id>" about the bundle: "licence", "origin",
        "metric.triangles", "expires" (Unix seconds). ``key``: only this one; "license" means "licence". Reads no
        content. Errors: those of ``stat``."""
        found, stated = collector(c.fardel_metadata_found, _stated_of)
        with self.handle as vfs:
            call("fardel_read_metadata", vfs, text_to(path), text_to(key), found, None, None)
        return dict(stated)

    def find_missing(self, paths: Iterable[str], *, closures: bool = False) -> Sequence[MissingContent]:
        """Which content has to be fetched before these paths can be read. ``closures``: also everything that the
        assets refer to. Errors: those of ``stat``."""
        found, missing = collector(c.fardel_content_missing, _missing_content_of)
        texts = texts_to(paths)
        flags = c.FARDEL_MISSING_CLOSURES if closures else 0
        with self.handle as vfs:
            call("fardel_find_missing", vfs, texts, len(texts), flags, found, None, None)
        return missing

    # ---- Content

    def open(self, path: str, extensions: str | None = None) -> File:
        """Opens an asset. ``extensions``, "tga,jpg,png": the path may lack its extension, or have another of these.
        Errors: those of ``stat``; DeniedError, RevokedError."""
        if extensions is None:
            return open_file(self.handle, "fardel_open", text_to(path))
        return open_file(self.handle, "fardel_open_any", text_to(path), text_to(extensions))

    def read(self, path: str) -> bytes:
        """The content of an asset. ``open(path).readinto(buffer)`` reads without a copy."""
        with self.open(path) as file:
            return file.readall()

    def read_files(
        self,
        paths: Iterable[str],
        receive: Callable[[int, bytes | Error], object],
        *,
        in_order: bool = False,
        extensions: str | None = None,
        bytes_max: int | None = None,
    ) -> None:
        """Reads many whole files in one call, in the order of the disk and on all ``read_threads``, and calls
        ``receive`` for each, with its index in ``paths`` and its content, or the error of ``open`` or of the read.
        ``in_order``: in the order of ``paths``; otherwise as they are ready. ``bytes_max``: of files that wait for
        ``receive``. What ``receive`` raises is raised here, and ends the call."""
        texts = texts_to(paths)
        options = make(c.fardel_batch_options)
        call("fardel_batch_options_init", ctypes.byref(options), ctypes.sizeof(options))
        options.flags = c.FARDEL_BATCH_IN_ORDER if in_order else 0
        options.extensions = text_to(extensions)
        if bytes_max is not None:
            options.bytes_max = bytes_max
        raised = Raised()

        def read(_context: object, index: int, content: int | None, size: int, code: int, text: bytes) -> int:
            with raised.kept():
                if code != c.FARDEL_OK:
                    receive(index, error_of(code, text.decode(errors="replace")))
                else:
                    receive(index, ctypes.string_at(content, size) if content else b"")
                return 0
            return 1

        with raised, self.handle as vfs:
            call("fardel_read_files", vfs, texts, len(texts), ctypes.byref(options), c.fardel_file_read(read), None)

    # ---- Traces

    def read_trace(self) -> str:
        """What was opened, in the order in which it was opened first. Error: UnsupportedError, without
        ``records_trace``."""
        return self._text_from("fardel_read_trace")

    def read_trace_ahead(self, trace: str) -> None:
        """Reads from the disk what the trace lists, so that it is in memory when it is opened; for a thread of its
        own."""
        encoded = trace.encode("utf-8")
        with self.handle as vfs:
            call("fardel_read_trace_ahead", vfs, encoded, len(encoded))

    # ---- Pure mode

    def enter_pure(self, policy_text: str) -> int:
        """From now on only what the server's policy allows is visible. Returns the number of problems: see
        ``fardel.pure.problems``. Errors: MalformedError, LimitError, ConflictError, UnsupportedError."""
        count = ctypes.c_size_t()
        with self.handle as vfs:
            call("fardel_enter_pure", vfs, text_to(policy_text), ctypes.byref(count))
        return count.value

    def leave_pure(self) -> None:
        with self.handle as vfs:
            call("fardel_leave_pure", vfs)

    def _text_from(self, function: str, *arguments: Any) -> str:
        """What a function writes into a buffer whose size it says."""
        needed = ctypes.c_size_t(256)
        while True:
            buffer = ctypes.create_string_buffer(needed.value)
            try:
                with self.handle as vfs:
                    call(function, vfs, *arguments, buffer, len(buffer), ctypes.byref(needed))
            except LimitError:
                if needed.value <= len(buffer):
                    raise
                continue  # the text is longer, or has become so
            return text_of(buffer.value)


def _entries_of(listing: Handle) -> Iterator[Entry]:
    entry = make(c.fardel_entry)
    with listing as pointer:
        while True:
            call("fardel_listing_next", pointer, ctypes.byref(entry))
            if entry.node == c.FARDEL_NODE_NONE:
                return
            yield Entry(text_of(entry.name), Node(entry.node))


def _stated_of(pointer: Any) -> tuple[str, Stated]:
    metadata = pointer.contents
    value: str | float | int | bool
    if metadata.kind == c.FARDEL_METADATA_TEXT:
        value = text_of(metadata.text)
    elif metadata.kind == c.FARDEL_METADATA_NUMBER:
        value = float(metadata.number)
    elif metadata.kind == c.FARDEL_METADATA_BOOLEAN:
        value = bool(metadata.integer)
    else:
        value = int(metadata.integer)
    return text_of(metadata.key), Stated(value, bool(metadata.of_bundle))


def _change_of(pointer: Any) -> Change:
    change = pointer.contents
    return Change(
        text_of(change.path),
        id_of(change.before) if change.has_before else None,
        id_of(change.after) if change.has_after else None,
    )


def _missing_dependency_of(pointer: Any) -> MissingDependency:
    missing = pointer.contents
    if missing.requirement is None:
        return MissingDependency(missing.mount, id_of(missing.bundle), None)
    return MissingDependency(missing.mount, None, text_of(missing.requirement))


def _missing_content_of(pointer: Any) -> MissingContent:
    missing = pointer.contents
    return MissingContent(
        id_of(missing.bundle), ids_of(missing.assets, missing.asset_count), bool(missing.is_mounted))


def _recalled_mount_of(pointer: Any) -> RecalledMount:
    recalled = pointer.contents
    return RecalledMount(recalled.mount, id_of(recalled.bundle), text_of(recalled.label), text_of(recalled.reason))
