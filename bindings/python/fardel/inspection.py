"""What is mounted, which mount a path is taken from and why, which mounts hide one another, and what is missing."""

from __future__ import annotations

import ctypes
import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import c
from .ids import Id, id_of
from .library import call, collector, text_of, text_to
from .vfs import Vfs


class Kind(enum.IntEnum):
    """What is mounted."""

    BUNDLE = c.FARDEL_MOUNTED_BUNDLE
    FOLDER = c.FARDEL_MOUNTED_FOLDER
    ARCHIVE = c.FARDEL_MOUNTED_ARCHIVE
    PLAN = c.FARDEL_MOUNTED_PLAN


@dataclass(frozen=True)
class Mount:
    mount: int
    bundle: Id
    label: str
    place: str
    """The mount point; "": the root."""
    priority: int
    kind: Kind
    signers: tuple[str, ...]
    """Labels of the policy's keys that counted."""
    is_tainted: bool
    is_hidden: bool
    folds_case: bool
    recall: str | None
    missing_count: int
    left_out_count: int


@dataclass(frozen=True)
class Candidate:
    """A mount that has the name or asset of a path."""

    mount: Mount
    asset: Id | None
    outcome: str
    """Why it won or did not: a sentence."""
    name: str
    variant: str
    damage: str | None
    size: int


@dataclass(frozen=True)
class Explanation:
    path: str
    candidates: tuple[Candidate, ...]
    """In order of precedence."""
    winner: Candidate | None
    """Whose asset ``Vfs.open`` gives; None: it fails."""
    other_case: str
    tried: tuple[str, ...]
    is_folder: bool


@dataclass(frozen=True)
class Conflict:
    """A path that several mounts publish or hide."""

    path: str
    sides: tuple[tuple[int, Id | None], ...]
    """The mount and its asset; the first one wins. None: it hides the name."""
    is_harmless: bool


class Need(enum.IntEnum):
    NAME = c.FARDEL_NEED_NAME
    BUNDLE = c.FARDEL_NEED_BUNDLE
    REQUIREMENT = c.FARDEL_NEED_REQUIREMENT


@dataclass(frozen=True)
class UnresolvedNeed:
    """What a mounted bundle needs and nothing provides."""

    mount: int
    need: Need
    name: str
    bundle: Id | None
    version: str
    reason: str
    is_pattern: bool
    is_optional: bool


def mounts(vfs: Vfs) -> Sequence[Mount]:
    """In order of precedence; those that pure mode hides come last."""
    listed, found = collector(c.fardel_mount_listed, lambda pointer: _mount_of(pointer.contents))
    with vfs.handle as tree:
        call("fardel_mounts", tree, listed, None, None)
    return found


def explain(vfs: Vfs, path: str, extensions: str | None = None) -> Explanation:
    """What ``Vfs.open`` considers at a path and how it decides. Errors: MalformedError, LimitError."""
    explained, found = collector(c.fardel_explained, _explanation_of)
    with vfs.handle as tree:
        call("fardel_explain", tree, text_to(path), text_to(extensions), explained, None)
    return found[0]


def conflicts(vfs: Vfs) -> Sequence[Conflict]:
    """Every path that several mounts publish or hide, sorted. Reads all names of all mounts. Errors: LimitError,
    CorruptError, MalformedError, IoError."""
    seen, found = collector(c.fardel_conflict_found, _conflict_of)
    with vfs.handle as tree:
        call("fardel_conflicts", tree, seen, None, None)
    return found


def unresolved(vfs: Vfs) -> Sequence[UnresolvedNeed]:
    """Every name, bundle and requirement that a mounted bundle needs and nothing provides. Errors: those of
    ``conflicts``."""
    seen, found = collector(c.fardel_unresolved, _need_of)
    with vfs.handle as tree:
        call("fardel_check_links", tree, seen, None, ctypes.byref(ctypes.c_int32()))
    return found


def _mount_of(mount: Any) -> Mount:
    return Mount(
        mount.mount,
        id_of(mount.bundle),
        text_of(mount.label),
        text_of(mount.place),
        mount.priority,
        Kind(mount.kind),
        tuple(text_of(mount.signers[number]) for number in range(mount.signer_count)),
        bool(mount.flags & c.FARDEL_MOUNTED_TAINTED),
        bool(mount.flags & c.FARDEL_MOUNTED_HIDDEN),
        bool(mount.flags & c.FARDEL_MOUNTED_FOLDS_CASE),
        None if mount.recall is None else text_of(mount.recall),
        mount.missing_count,
        mount.left_out_count,
    )


def _candidate_of(candidate: Any) -> Candidate:
    return Candidate(
        _mount_of(candidate.mount.contents),
        id_of(candidate.asset) if candidate.has_asset else None,
        text_of(candidate.outcome),
        text_of(candidate.name),
        text_of(candidate.variant),
        None if candidate.damage is None else text_of(candidate.damage),
        candidate.size_bytes,
    )


def _explanation_of(pointer: Any) -> Explanation:
    explanation = pointer.contents
    return Explanation(
        text_of(explanation.path),
        tuple(_candidate_of(explanation.candidates[each].contents) for each in range(explanation.candidate_count)),
        _candidate_of(explanation.winner.contents) if explanation.winner else None,
        text_of(explanation.other_case),
        tuple(text_of(explanation.tried[each]) for each in range(explanation.tried_count)),
        bool(explanation.is_folder),
    )


def _conflict_of(pointer: Any) -> Conflict:
    conflict = pointer.contents
    sides = (conflict.sides[each] for each in range(conflict.side_count))
    return Conflict(
        text_of(conflict.path),
        tuple((side.mount, id_of(side.asset) if side.has_asset else None) for side in sides),
        bool(conflict.is_harmless),
    )


def _need_of(pointer: Any) -> UnresolvedNeed:
    need = pointer.contents
    bundle = id_of(need.bundle)
    return UnresolvedNeed(
        need.mount,
        Need(need.kind),
        text_of(need.name),
        bundle if any(bundle.bytes) else None,
        text_of(need.version),
        text_of(need.reason),
        bool(need.flags & c.FARDEL_NEED_PATTERN),
        bool(need.flags & c.FARDEL_NEED_OPTIONAL),
    )
