"""Every finding about a bundle."""

from __future__ import annotations

import ctypes
import enum
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from . import c
from .errors import Error, error_of
from .ids import Id, id_of
from .library import Raised, call, licenses_to, make, no_function, path_to, text_of, text_to
from .reader import Reader

Progress = Callable[[str, int, int], None]


class Severity(enum.IntEnum):
    ERROR = c.FARDEL_SEVERITY_ERROR
    WARNING = c.FARDEL_SEVERITY_WARNING
    NOTE = c.FARDEL_SEVERITY_NOTE


@dataclass(frozen=True)
class Finding:
    severity: Severity
    error: Error
    """What opening the bundle would raise, with the sentence."""
    rule: str
    """The stable id of a rule, "names-not-sorted"; docs/verifier.md lists them."""
    where: str
    """Table and record, block or offset; "": the whole bundle."""
    text: str


@dataclass(frozen=True)
class VerifiedBundle:
    """``is_good`` says whether there was no error."""

    findings: Sequence[Finding]
    errors: int
    warnings: int
    notes: int
    bundle: Id | None
    """None: the head could not be read."""
    name: str
    version: str
    assets: int
    names: int
    file_bytes: int
    raw_bytes: int
    signatures: int

    @property
    def is_good(self) -> bool:
        return self.errors == 0


def verify(
    bundle: str | os.PathLike[str] | Reader,
    *,
    policy: str | os.PathLike[str] | None = None,
    policy_text: str | None = None,
    now_s: int = 0,
    ignore_dates: bool = False,
    local_layout: bool = False,
    licenses: Iterable[bytes] = (),
    findings_max: int = 0,
    jobs: int = 0,
    progress: Progress | None = None,
) -> VerifiedBundle:
    """Reads every byte of a bundle and reports all defects. A bundle with defects raises nothing: ``is_good`` is False.
    Without a policy, no signature is required. ``findings_max``: per rule, 0: 100. ``progress`` gets a stage, what is
    done, and the total. Errors: MissingError, DeniedError, IoError (the file cannot be opened), those of the policy."""
    findings: list[Finding] = []
    raised = Raised()

    def on_found(_context: object, pointer: Any) -> None:
        found = pointer.contents
        text = text_of(found.text)
        findings.append(Finding(
            Severity(found.severity), error_of(found.code, text), text_of(found.rule), text_of(found.where), text))

    tokens = licenses_to(licenses)
    options = make(
        c.fardel_verify_options,
        policy_path=path_to(policy),
        policy_text=text_to(policy_text),
        licenses=tokens,
        license_count=len(tokens),
        now_s=now_s,
        found=c.fardel_found(on_found),
        progress=progress_to(progress, raised),
        jobs=jobs,
        findings_max=findings_max,
        flags=(c.FARDEL_VERIFY_IGNORE_DATES if ignore_dates else 0)
        | (c.FARDEL_VERIFY_LOCAL_LAYOUT if local_layout else 0),
    )
    verified = make(c.fardel_verified_bundle)
    with raised:
        if isinstance(bundle, Reader):
            call("fardel_verify_reader", ctypes.byref(bundle.take()), ctypes.byref(options), ctypes.byref(verified))
        else:
            call("fardel_verify_file", path_to(bundle), ctypes.byref(options), ctypes.byref(verified))
    identity = id_of(verified.bundle)
    return VerifiedBundle(
        findings,
        verified.errors,
        verified.warnings,
        verified.notes,
        identity if any(identity.bytes) else None,
        text_of(verified.name),
        text_of(verified.version),
        verified.assets,
        verified.names,
        verified.file_bytes,
        verified.raw_bytes,
        verified.signatures,
    )


def progress_to(progress: Progress | None, raised: Raised) -> Any:
    """The callback of the C API. What ``progress`` raises ends the call and is raised there."""
    if progress is None:
        return no_function(c.fardel_tool_progress)
    shown = progress  # for mypy: it is not None in the function below

    def on_progress(_context: object, stage: bytes, done: int, total: int) -> int:
        with raised.kept():
            shown(text_of(stage), done, total)
            return 0
        return 1

    return c.fardel_tool_progress(on_progress)
