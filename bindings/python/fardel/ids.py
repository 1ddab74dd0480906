"""Ids of assets and bundles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from . import c


@dataclass(frozen=True, order=True)
class Id:
    """BLAKE3-256: of an asset's bytes, or of the head of a bundle's file. ``str(id)`` has 64 hexadecimal digits."""

    bytes: bytes

    def __post_init__(self) -> None:
        if len(self.bytes) != 32:
            raise ValueError(f"an id has 32 bytes, not {len(self.bytes)}")

    @classmethod
    def parse(cls, text: str) -> Id:
        """Reads 64 lower-case hexadecimal digits; error: ValueError."""
        if len(text) != 64 or not set(text) <= set("0123456789abcdef"):
            raise ValueError(f"an id has 64 lower-case hexadecimal digits: {text!r}")
        return cls(bytes.fromhex(text))

    def __str__(self) -> str:
        return self.bytes.hex()

    def __repr__(self) -> str:
        return f"Id.parse({str(self)!r})"


def id_of(value: c.fardel_id) -> Id:
    return Id(bytes(value.bytes))


def id_to(value: Id | str) -> c.fardel_id:
    identity = Id.parse(value) if isinstance(value, str) else value
    return c.fardel_id.from_buffer_copy(identity.bytes)


def ids_to(values: Iterable[Id | str]) -> Any:
    structs = [id_to(value) for value in values]
    return (c.fardel_id * len(structs))(*structs)


def ids_of(pointer: Any, count: int) -> tuple[Id, ...]:
    return tuple(id_of(pointer[number]) for number in range(count))

