"""Bringing bundles from servers into a store."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import c
from .errors import Error, error_of
from .ids import Id, id_of
from .library import Handle, Raised, call, field_kind, text_of


@dataclass(frozen=True)
class PlannedFetch:
    """What would be fetched of one bundle. Texts are from its metadata, and "" if it has none."""

    bundle: Id
    name: str
    version: str
    licence: str
    signers: tuple[str, ...]
    file_bytes: int
    tables_bytes: int
    fetch_bytes: int
    left_bytes: int
    requests: int


@dataclass(frozen=True)
class FetchPlan:
    """Bundles that are not in the store, each after those that it needs."""

    bundles: tuple[PlannedFetch, ...]
    fetch_bytes: int
    requests: int


@dataclass(frozen=True)
class FetchProgress:
    received_bytes: int
    total_bytes: int
    bytes_per_second: int
    seconds_left: int | None


@dataclass(frozen=True)
class FetchOutcome:
    """How a fetch ended. ``error`` None: what was wanted is in the store."""

    received_bytes: int
    requests: int
    error: Error | None


Planned = Callable[[FetchPlan], "bool | None"]
Progressed = Callable[[FetchProgress], None]


class Fetch:
    """A fetch in the background; ``Store.start_fetch`` starts it. A game calls ``poll`` once per frame; callbacks run
    in it, on the thread that calls it, and must not close the fetch. One thread at a time, except for ``cancel``."""

    def __init__(
        self, store: Handle, options: Any, planned: Planned | None, progress: Progressed | None
    ) -> None:
        self._outcome: FetchOutcome | None = None
        self._raised = Raised()
        self._handle: Handle | None = None

        def on_planned(_context: object, _fetch: object, plan: Any) -> None:
            answer: bool | None = False
            with self._raised.kept():
                assert planned
                answer = planned(_plan_of(plan.contents))
            if answer:
                self.accept()
            elif answer is False:
                self.refuse()

        def on_progress(_context: object, _fetch: object, value: Any) -> None:
            with self._raised.kept():
                assert progress
                progress(_progress_of(value.contents))
                return
            self.cancel()

        def on_ended(_context: object, _fetch: object, value: Any) -> None:
            self._outcome = _outcome_of(value.contents)

        # ctypes keeps no callback for a struct that the library copies.
        self._callbacks = [field_kind(options, "ended")(on_ended)]
        options.ended = self._callbacks[0]
        for name, wanted, callback in (("planned", planned, on_planned), ("progress", progress, on_progress)):
            if wanted:
                self._callbacks.append(field_kind(options, name)(callback))
                setattr(options, name, self._callbacks[-1])
        pointer = ctypes.POINTER(c.fardel_fetch)()
        with store as opened:
            call("fardel_fetch_start", opened, ctypes.byref(options), ctypes.byref(pointer))
        self._handle = Handle(pointer, "fardel_fetch_close")

    def __enter__(self) -> Fetch:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @property
    def outcome(self) -> FetchOutcome | None:
        """None: it has not ended."""
        return self._outcome

    def poll(self, wait_s: float = 0) -> bool:
        """Calls the callbacks for what has happened, and returns whether the fetch has ended. Waits until something
        happens, at most so many seconds. What a callback raises is raised here, and the fetch ends."""
        has_ended = ctypes.c_int32()
        with self._open() as fetch:
            call("fardel_fetch_poll", fetch, int(wait_s * 1000), ctypes.byref(has_ended))
        self._raised.raise_kept()
        return bool(has_ended.value)

    def wait(self) -> FetchOutcome:
        """Polls until it has ended; raises the error that it ended with."""
        while not self.poll(0.1):  # short, so that Ctrl+C is noticed
            pass
        assert self._outcome
        if self._outcome.error:
            raise self._outcome.error
        return self._outcome

    def accept(self) -> None:
        """An answer to ``planned``."""
        with self._open() as fetch:
            call("fardel_fetch_accept", fetch)

    def refuse(self, reason: str | None = None) -> None:
        """An answer to ``planned``: the fetch ends with a DeniedError."""
        with self._open() as fetch:
            call("fardel_fetch_refuse", fetch, reason.encode() if reason else None)

    def cancel(self) -> None:
        """The fetch ends soon, with a CancelledError. Any thread. What was received stays for the next fetch."""
        with self._open() as fetch:
            call("fardel_fetch_cancel", fetch)

    def close(self) -> None:
        """Cancels it, and waits until it has ended."""
        self._open().close()

    def _open(self) -> Handle:
        assert self._handle
        return self._handle


def _plan_of(plan: Any) -> FetchPlan:
    bundles = []
    for number in range(plan.bundle_count):
        one = plan.bundles[number].contents
        bundles.append(PlannedFetch(
            id_of(one.bundle),
            text_of(one.name),
            text_of(one.version),
            text_of(one.licence),
            tuple(text_of(one.signers[signer]) for signer in range(one.signer_count)),
            one.file_bytes,
            one.tables_bytes,
            one.fetch_bytes,
            one.left_bytes,
            one.requests,
        ))
    return FetchPlan(tuple(bundles), plan.fetch_bytes, plan.requests)


def _progress_of(progress: Any) -> FetchProgress:
    seconds_left = progress.seconds_left if progress.seconds_left >= 0 else None
    return FetchProgress(progress.received_bytes, progress.total_bytes, progress.bytes_per_second, seconds_left)


def _outcome_of(outcome: Any) -> FetchOutcome:
    error = None if outcome.code == c.FARDEL_OK else error_of(outcome.code, text_of(outcome.text))
    return FetchOutcome(outcome.received_bytes, outcome.requests, error)
