"""Servers of bundles, whom to trust, and bundles that are read from servers while they are used."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from . import c
from .ids import Id, id_of, id_to, ids_to
from .library import Handle, call, collector, make, path_to, text_to, texts_to
from .reader import Reader


@dataclass(frozen=True)
class ServerList:
    """Static trees with the same bundles, "https://example.org/mygame"; a failure is tried at the next one.

    ``public_only``: as for URLs that a stranger has named; ``allowed_hosts``, "host" or "host:port", are exempt.
    ``bytes_per_second_max`` and ``connections`` 0: no limit, and the library's own number."""

    urls: Sequence[str]
    allowed_hosts: Sequence[str] = ()
    public_only: bool = False
    bytes_per_second_max: int = 0
    connections: int = 0


def server_options(servers: ServerList | Sequence[str]) -> c.fardel_server_options:
    """``servers``: a list of URLs means those and nothing else."""
    if isinstance(servers, str):
        raise TypeError("a list of URLs, not one text")
    chosen = servers if isinstance(servers, ServerList) else ServerList(servers)
    urls, hosts = texts_to(chosen.urls), texts_to(chosen.allowed_hosts)
    return make(
        c.fardel_server_options,
        urls=urls,
        url_count=len(urls),
        allowed_hosts=hosts,
        allowed_host_count=len(hosts),
        bytes_per_second_max=chosen.bytes_per_second_max,
        connections=chosen.connections,
        flags=c.FARDEL_SERVERS_PUBLIC_ONLY if chosen.public_only else 0,
    )


def trust_options(
    policy: str | os.PathLike[str] | None, policy_text: str | None, now_s: int, ignore_dates: bool
) -> Any:
    """None: anything is accepted."""
    if policy is None and policy_text is None:
        return None
    return ctypes.pointer(make(
        c.fardel_trust_options,
        policy_path=path_to(policy),
        policy_text=text_to(policy_text),
        now_s=now_s,
        flags=c.FARDEL_TRUST_IGNORE_DATES if ignore_dates else 0,
    ))


class Servers:
    """The connection to servers, for any number of bundles that are read by range. Connects when it is first used."""

    def __init__(self, servers: ServerList | Sequence[str]) -> None:
        """Errors: MalformedError (a URL, a host), MissingError (libcurl is not installed)."""
        pointer = ctypes.POINTER(c.fardel_servers)()
        call("fardel_servers_open", ctypes.byref(server_options(servers)), ctypes.byref(pointer))
        self.handle = Handle(pointer, "fardel_servers_close")

    def __enter__(self) -> Servers:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def stop(self) -> None:
        """Ends all requests: reads that wait, and later ones of what is not here, are a CancelledError."""
        with self.handle as servers:
            call("fardel_servers_stop", servers)

    def close(self) -> None:
        """Stops, too."""
        if not self.handle.is_closed:
            self.stop()
        self.handle.close()


class Remote:
    """A bundle that comes from servers when it is read; ``Store.open_remote`` opens it."""

    def __init__(self, pointer: Any) -> None:
        self._handle = Handle(pointer, "fardel_remote_close")

    def __enter__(self) -> Remote:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def reader(self) -> Reader:
        """For ``Vfs.mount``. Reading what is not here waits for a server."""
        reader = Reader()
        with self._handle as remote:
            call("fardel_remote_reader", remote, ctypes.byref(reader.struct))
        return reader

    def dependencies(self) -> Sequence[Id]:
        """The bundles that its static references lead into. They are mounted first."""
        named, ids = collector(c.fardel_bundle_named, lambda pointer: id_of(pointer.contents))
        with self._handle as remote:
            call("fardel_remote_dependencies", remote, named, None)
        return ids

    def want(self, assets: Iterable[Id | str], priority: int = 0) -> None:
        """Requests the content of assets that is not here, behind everything that somebody waits for."""
        ids = ids_to(assets)
        with self._handle as remote:
            call("fardel_remote_want", remote, ids, len(ids), priority)

    def is_here(self, asset: Id | str) -> bool:
        """Whether all content of the asset is here."""
        answer = ctypes.c_int32()
        with self._handle as remote:
            call("fardel_remote_is_here", remote, ctypes.byref(id_to(asset)), ctypes.byref(answer))
        return bool(answer.value)

    def close(self) -> None:
        """Readers stay usable."""
        self._handle.close()
