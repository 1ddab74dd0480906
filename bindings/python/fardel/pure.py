"""Pure mode over the wire: a server makes an offer for each connection, a client answers it for what it has mounted,
and the server's verdict says welcome, or why not. The messages are bytes for any netcode.

>>> offer = server.offer("203.0.113.7", "connection 1")                 # server
>>> answer = pure.answer(vfs, offer, "connection 1")                    # client, after vfs.enter_pure(policy_text)
>>> verdict = server.check(answer.message, "connection 1", answer.report)
>>> pure.read_verdict(verdict.message).is_welcome
"""

from __future__ import annotations

import ctypes
import enum
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from . import c
from .ids import Id, id_of
from .library import Handle, call, collector, make, path_to, text_of, text_to, texts_to
from .reader import Reader
from .vfs import Vfs


class Fault(enum.IntEnum):
    """What is wrong with a mount in pure mode."""

    MISSING = c.FARDEL_PURE_MISSING
    WRONG = c.FARDEL_PURE_WRONG
    UNSIGNED = c.FARDEL_PURE_UNSIGNED
    REVOKED = c.FARDEL_PURE_REVOKED
    NOT_ALLOWED = c.FARDEL_PURE_NOT_ALLOWED
    EXTRA = c.FARDEL_PURE_EXTRA


@dataclass(frozen=True)
class Problem:
    fault: Fault
    bundle: Id | None
    name: str
    text: str


@dataclass(frozen=True)
class PolicyBundle:
    """A bundle of a policy's content set."""

    bundle: Id
    mount_point: str
    name: str
    fold_case: bool


@dataclass(frozen=True)
class Policy:
    digest: Id
    """What offers identify the policy by."""
    bundles: Sequence[PolicyBundle]
    """What a client needs, in order."""
    channels: Sequence[tuple[str, Id]]
    """The names and ids of the channels that they come from."""


@dataclass(frozen=True)
class Offer:
    policy_digest: Id
    sources: tuple[str, ...]
    """URLs that a stranger has named: for ``ServerList`` only with ``public_only``."""


@dataclass(frozen=True)
class Answer:
    message: bytes
    report: str
    """Goes to the server beside the message."""


@dataclass(frozen=True)
class Verdict:
    message: bytes
    is_welcome: bool
    refusals: Sequence[tuple[str, str]]
    """A word and a sentence each."""


def read_policy(policy_text: str) -> Policy:
    """Errors: MalformedError, LimitError, ConflictError, UnsupportedError."""
    listed, bundles = collector(c.fardel_pure_bundle_listed, _policy_bundle_of)
    digest = c.fardel_id()
    call("fardel_pure_read_policy", text_to(policy_text), listed, None, ctypes.byref(digest), None)
    named, channels = collector(
        c.fardel_pure_channel_listed, lambda name, channel: (text_of(name), id_of(channel.contents)))
    call("fardel_pure_read_channels", text_to(policy_text), named, None, None)
    return Policy(id_of(digest), bundles, channels)


def problems(vfs: Vfs) -> Sequence[Problem]:
    """What is wrong with the mounts of a VFS in pure mode. Error: DeniedError (it is not in pure mode)."""
    found, faults = collector(c.fardel_pure_problem_found, _problem_of)
    with vfs.handle as tree:
        call("fardel_pure_problems", tree, found, None, None)
    return faults


def read_report(report: str) -> Sequence[Problem]:
    """The problems that a client reports. Errors: MalformedError, LimitError, UnsupportedError."""
    found, faults = collector(c.fardel_pure_problem_found, _problem_of)
    call("fardel_pure_read_report", text_to(report), found, None, None)
    return faults


def read_offer(offer: bytes) -> Offer:
    """Errors: MalformedError, UnsupportedError."""
    digest, sources = c.fardel_id(), c.fardel_foreign_urls()
    call("fardel_pure_read_offer", offer, len(offer), ctypes.byref(digest), ctypes.byref(sources))
    return Offer(id_of(digest), tuple(text_of(sources.lines).splitlines()))


def answer(vfs: Vfs, offer: bytes, connection: str, variants: str | None = None) -> Answer:
    """Answers an offer for what is visible. ``connection``: the name that client and server both give it. Errors:
    DeniedError (not in pure mode), MalformedError, UnsupportedError, CorruptError, LimitError."""
    message = ctypes.create_string_buffer(c.FARDEL_PURE_ANSWER_BYTES)
    made, reports = collector(c.fardel_pure_report_made, lambda text, _size: text_of(text))
    with vfs.handle as tree:
        call("fardel_pure_answer", tree, offer, len(offer), text_to(connection), text_to(variants), message, made, None)
    return Answer(message.raw, reports[0])


def read_verdict(verdict: bytes) -> Verdict:
    """Errors: MalformedError, UnsupportedError."""
    refused, refusals = collector(c.fardel_pure_refused, lambda word, sentence: (text_of(word), text_of(sentence)))
    welcome = ctypes.c_int32()
    call("fardel_pure_read_verdict", verdict, len(verdict), refused, None, ctypes.byref(welcome))
    return Verdict(verdict, bool(welcome.value), refusals)


class Server:
    """The server's side. Any thread may call any method at any time."""

    def __init__(
        self,
        policy_text: str,
        *,
        bundles: Iterable[str | os.PathLike[str] | Reader] = (),
        sources: Sequence[str] = (),
        valid_s: int = 0,
        offers_per_minute: int = 0,
        offers_at_once: int = 0,
    ) -> None:
        """``bundles``: the server's own copies of the content set, files and readers. ``sources``: URLs of missing
        bundles, for clients. The numbers may be 0 for those of the library. Errors: those of ``read_policy``, of files
        and of bundles; MissingError."""
        readers, paths = [], []
        for bundle in bundles:
            if isinstance(bundle, Reader):
                readers.append(bundle.take())
            else:
                paths.append(path_to(bundle))
        source_texts = texts_to(sources)
        options = make(
            c.fardel_pure_server_options,
            policy_text=text_to(policy_text),
            bundle_paths=(ctypes.c_char_p * len(paths))(*paths),
            bundle_path_count=len(paths),
            readers=(c.fardel_reader * len(readers))(*readers),
            reader_count=len(readers),
            sources=source_texts,
            source_count=len(source_texts),
            valid_s=valid_s,
            offers_per_minute=offers_per_minute,
            offers_at_once=offers_at_once,
        )
        pointer = ctypes.POINTER(c.fardel_pure_server)()
        call("fardel_pure_server_create", ctypes.byref(options), ctypes.byref(pointer))
        self._handle = Handle(pointer, "fardel_pure_server_destroy")

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._handle.close()

    def begin_epoch(self) -> None:
        """To be called about every half minute. Errors: those of reading; the epoch before it stays."""
        with self._handle as server:
            call("fardel_pure_server_begin_epoch", server)

    def offer(self, address: str, connection: str, now_s: int = 0) -> bytes:
        """``address``: whose offers are counted together. Error: BusyError (too many of them)."""
        message = ctypes.create_string_buffer(c.FARDEL_PURE_OFFER_BYTES)
        with self._handle as server:
            call("fardel_pure_server_offer", server, text_to(address), text_to(connection), now_s, message)
        return message.raw

    def check(self, answer: bytes, connection: str, report: str | None = None, now_s: int = 0) -> Verdict:
        """Judges an answer. The message of the verdict is for the client. Errors, which leave the offer open:
        MalformedError, UnsupportedError, LimitError (bytes that are no answer or no report)."""
        message = ctypes.create_string_buffer(c.FARDEL_PURE_VERDICT_BYTES)
        with self._handle as server:
            call("fardel_pure_server_check", server, answer, len(answer), text_to(connection), text_to(report), now_s,
                 message, None)
        return read_verdict(message.raw)


def _policy_bundle_of(pointer: Any) -> PolicyBundle:
    bundle = pointer.contents
    return PolicyBundle(
        id_of(bundle.bundle), text_of(bundle.mount_point), text_of(bundle.name), bool(bundle.fold_case))


def _problem_of(pointer: Any) -> Problem:
    problem = pointer.contents
    return Problem(
        Fault(problem.fault),
        id_of(problem.bundle) if problem.has_bundle else None,
        text_of(problem.name),
        text_of(problem.text),
    )
