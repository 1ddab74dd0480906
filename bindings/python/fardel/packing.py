"""Writing bundles: from folders, archives and projects, and from memory."""

from __future__ import annotations

import ctypes
import enum
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import c
from .ids import Id, id_of, id_to
from .library import Handle, Raised, call, make, no_function, path_to, readable, text_of, text_to, texts_to
from .signing import Signer, sign_options
from .verifying import Progress, Severity, progress_to

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

Message = Callable[[Severity, str], None]


class Purpose(enum.IntEnum):
    """What the file is made for; the bundle's id is the same for all."""

    BALANCED = c.FARDEL_FOR_BALANCED
    """zstd at a level; where a project is built without one, what the project says."""
    LOAD = c.FARDEL_FOR_LOAD
    """LZ4, which decodes three times as fast and is a seventh larger."""
    SIZE = c.FARDEL_FOR_SIZE
    """zstd at its highest level."""


@dataclass(frozen=True)
class WrittenBundle:
    bundle: Id
    path: str
    name: str
    version: str
    assets: int
    """Different ones."""
    names: int
    raw_bytes: int
    stored_bytes: int
    file_bytes: int
    is_signed: bool


def pack(
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    name: str,
    version: str | None = None,
    excludes: Iterable[str] = (),
    signer: Signer | None = None,
    message: Message | None = None,
    progress: Progress | None = None,
    created_s: int = 0,
    purpose: Purpose = Purpose.BALANCED,
    level: int = 0,
    jobs: int = 0,
    strict: bool = False,
) -> WrittenBundle:
    """Packs folders and legacy archives into one bundle; of equal names, that of the later source. ``signer`` signs it
    as the author. ``message`` gets a sentence for each file that is not packed as it was meant; ``strict``: such a file
    is an error. ``level``: of ``Purpose.BALANCED``, 1 to 19; 0: 9. What a callback raises ends it. Errors:
    MissingError, UnresolvedError, MalformedError, LimitError, ConflictError, DeniedError, NoSpaceError, IoError."""
    several = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    paths = (ctypes.c_char_p * len(several))(*[path_to(source) for source in several])
    run = _Run(message, progress)
    options = run.options(output, name, version, excludes, (), created_s, purpose, level, jobs,
                          c.FARDEL_PACK_STRICT if strict else 0)
    with run.signs(signer, options):
        call("fardel_pack_sources", paths, len(paths), ctypes.byref(options))
    return run.written[-1]


def build(
    project: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    name: str | None = None,
    version: str | None = None,
    target: str | None = None,
    excludes: Iterable[str] = (),
    requirements: Iterable[str] = (),
    signer: Signer | None = None,
    message: Message | None = None,
    progress: Progress | None = None,
    created_s: int = 0,
    purpose: Purpose = Purpose.BALANCED,
    level: int = 0,
    jobs: int = 0,
    strict: bool = False,
    from_scratch: bool = False,
) -> Sequence[WrittenBundle]:
    """Builds the project of a fardel.toml and returns its bundles, each after those that it needs. Only what has
    changed is done again. What is not given comes from the project. ``target``: of a project with several, the one that
    is built. Errors: those of ``pack``; BusyError (another build
    of the project runs), UnsupportedError."""
    run = _Run(message, progress)
    flags = (c.FARDEL_PACK_STRICT if strict else 0) | (c.FARDEL_PACK_FROM_SCRATCH if from_scratch else 0)
    options = run.options(output, name, version, excludes, requirements, created_s, purpose, level, jobs, flags)
    target_text = text_to(target)
    options.target = target_text
    with run.signs(signer, options):
        call("fardel_pack_project", path_to(project), ctypes.byref(options))
    return run.written


class _Run:
    """One call: its callbacks, and what they received."""

    def __init__(self, message: Message | None, progress: Progress | None) -> None:
        self.written: list[WrittenBundle] = []
        self.raised = Raised()
        self._message = message
        self._progress = progress

    def options(
        self,
        output: str | os.PathLike[str] | None,
        name: str | None,
        version: str | None,
        excludes: Iterable[str],
        requirements: Iterable[str],
        created_s: int,
        purpose: Purpose,
        level: int,
        jobs: int,
        flags: int,
    ) -> Any:
        exclude_texts, requirement_texts = texts_to(excludes), texts_to(requirements)
        return make(
            c.fardel_pack_options,
            output=path_to(output),
            name=text_to(name),
            version=text_to(version),
            excludes=exclude_texts,
            exclude_count=len(exclude_texts),
            requirements=requirement_texts,
            requirement_count=len(requirement_texts),
            written=self.on_written(),
            message=c.fardel_pack_message(self._on_message) if self._message else no_function(c.fardel_pack_message),
            progress=progress_to(self._progress, self.raised),
            created_s=created_s,
            purpose=purpose,
            level=level,
            jobs=jobs,
            flags=flags,
        )

    def on_written(self) -> Any:
        def receive(_context: object, pointer: Any) -> None:
            self.written.append(_written_bundle_of(pointer.contents))

        return c.fardel_bundle_written(receive)

    def _on_message(self, _context: object, severity: int, text: bytes) -> None:
        with self.raised.kept():
            assert self._message
            self._message(Severity(severity), text_of(text))

    @contextmanager
    def signs(self, signer: Signer | None, options: Any) -> Iterator[None]:
        with self.raised:
            if signer is None:
                yield
            else:
                with signer.use() as pointer:
                    options.signer = pointer
                    yield


class Plan:
    """The content of a new bundle, from memory and files. Assets have numbers, in the order in which they are added;
    None instead of one means the bundle itself.

    >>> plan = fardel.Plan()
    >>> plan.set(None, "name", "mods/hello")
    >>> plan.add_name("texts/hello.txt", plan.add_asset(b"Hello", content_type="text/plain"))
    >>> plan.write("hello.fardel")
    """

    def __init__(self) -> None:
        pointer = ctypes.POINTER(c.fardel_plan)()
        call("fardel_plan_create", ctypes.byref(pointer))
        self._handle = Handle(pointer, "fardel_plan_destroy")
        self._lock = threading.Lock()  # one thread at a time may use the handle

    def __enter__(self) -> Plan:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._handle.close()

    def _call(self, function: str, *arguments: Any) -> None:
        with self._lock, self._handle as plan:
            call(function, plan, *arguments)

    def add_asset(
        self,
        content: ReadableBuffer | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        key: str | None = None,
        content_type: str | None = None,
        streamed: bool = False,
    ) -> int:
        """Adds bytes, which are copied, or the file at ``path``, which is read when the bundle is written, and returns
        the number of the asset. ``key`` names it in messages. ``streamed``: read in small pieces, as music is."""
        asset = make(
            c.fardel_planned_asset,
            path=path_to(path),
            key=text_to(key),
            content_type=text_to(content_type),
            flags=c.FARDEL_ASSET_STREAMED if streamed else 0,
        )
        if content is not None:
            memory, asset.size_bytes = readable(content)
            asset.bytes = ctypes.cast(memory, ctypes.c_void_p)
        number = ctypes.c_uint32()
        self._call("fardel_plan_add_asset", ctypes.byref(asset), ctypes.byref(number))
        return number.value

    def add_name(
        self, name: str, asset: int | None, *, tags: str | None = None, private: bool = False, extends: bool = False
    ) -> None:
        """Gives an asset a name. The same name again, with other ``tags`` ("lang=fr"), adds a variant. An asset None
        hides the name in the bundles below. ``private``: visible inside the bundle only. ``extends``: adds variants to
        a name of another bundle."""
        flags = (c.FARDEL_NAME_PRIVATE if private else 0) | (c.FARDEL_NAME_EXTENDS if extends else 0)
        self._call("fardel_plan_add_name", text_to(name), _number(asset), text_to(tags), flags)

    def add_reference(
        self,
        start: int,
        spelling: str,
        *,
        asset: int | None = None,
        bundle: Id | str | None = None,
        foreign: Id | str | None = None,
        name: str | None = None,
        optional: bool = False,
    ) -> None:
        """What a spelling in the bytes of the asset ``start`` means: an ``asset`` of this plan; the asset ``foreign``
        of the static dependency ``bundle``; or whatever is published as ``name`` when the game runs. Errors:
        MalformedError (exactly one is needed), LimitError, MissingError (no such dependency)."""
        reference = make(
            c.fardel_planned_reference,
            spelling=text_to(spelling),
            name=text_to(name),
            bundle=None if bundle is None else ctypes.pointer(id_to(bundle)),
            asset=_number(asset),
            flags=c.FARDEL_REFERENCE_OPTIONAL if optional else 0,
        )
        if foreign is not None:
            reference.foreign = id_to(foreign)
        self._call("fardel_plan_add_reference", start, ctypes.byref(reference))

    def add_consume(self, name: str, *, pattern: bool = False, optional: bool = False) -> None:
        """A name, or with ``pattern`` a glob, that other bundles have to publish."""
        flags = (c.FARDEL_CONSUME_PATTERN if pattern else 0) | (c.FARDEL_CONSUME_OPTIONAL if optional else 0)
        self._call("fardel_plan_add_consume", text_to(name), flags)

    def add_dependency(
        self, bundle: Id | str, *, name: str | None = None, version: str | None = None, static: bool = True
    ) -> None:
        """``static``: references into it are by id. Name and version are for people."""
        self._call("fardel_plan_add_dependency", ctypes.byref(id_to(bundle)), text_to(name), text_to(version),
                   int(static))

    def set(self, asset: int | None, key: str, value: str | bool | int | float) -> None:
        """Metadata of an asset or of the bundle: "name", "version", "license", "origin", "expires" (Unix seconds),
        "metric.triangles"."""
        if isinstance(value, str):
            self._call("fardel_plan_set_text", _number(asset), text_to(key), text_to(value))
        elif isinstance(value, bool):
            self._call("fardel_plan_set_flag", _number(asset), text_to(key), int(value))
        elif isinstance(value, int) and not key.startswith("metric."):
            self._call("fardel_plan_set_integer", _number(asset), text_to(key), value)
        else:
            # Metrics are numbers of C, also where Python has an int.
            self._call("fardel_plan_set_number", _number(asset), text_to(key), float(value))

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        signer: Signer | None = None,
        channel: str | None = None,
        comment: str | None = None,
        epoch: int = 0,
        created_s: int = 0,
        expires_s: int = 0,
        progress: Progress | None = None,
        purpose: Purpose = Purpose.BALANCED,
        level: int = 0,
        jobs: int = 0,
    ) -> WrittenBundle:
        """Writes the bundle; it replaces the file at ``path`` in one step, last. The plan stays as it is. The same plan
        gives the same bytes on any machine. ``channel`` to ``expires_s`` are those of ``sign``. Errors: MalformedError
        (the plan contradicts itself), LimitError, ConflictError (a file changed), MissingError, DeniedError,
        NoSpaceError, IoError. After one, nothing has changed at ``path``."""
        run = _Run(None, progress)
        options = make(
            c.fardel_write_options,
            sign=ctypes.pointer(sign_options(channel, comment, epoch, created_s, expires_s)),
            written=run.on_written(),
            progress=progress_to(progress, run.raised),
            purpose=purpose,
            level=level,
            jobs=jobs,
        )
        with run.signs(signer, options):
            self._call("fardel_plan_write", path_to(path), ctypes.byref(options))
        return run.written[-1]


def _number(asset: int | None) -> int:
    return c.FARDEL_NO_ASSET if asset is None else asset


def _written_bundle_of(written: Any) -> WrittenBundle:
    return WrittenBundle(
        id_of(written.bundle),
        os.fsdecode(written.path),
        text_of(written.name),
        text_of(written.version),
        written.assets,
        written.names,
        written.raw_bytes,
        written.stored_bytes,
        written.file_bytes,
        bool(written.is_signed),
    )
