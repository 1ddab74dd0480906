"""Reads Fardel's C headers into plain values, from which the declarations of other languages are made.

The headers use a small part of C: enums with numbers, typedefs of integers, of structs and of pointers to functions,
and functions marked FARDEL_API. Anything else is an error, so that nothing is left out silently.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The library that has the functions of the headers of a folder; where a header differs from its folder, its own name.
LIBRARIES = {
    "format": "fardel",
    "vfs": "fardel",
    "cache": "fardel-c-cache",
    "fardel_archives.h": "fardel-c-archives",
    "delivery": "fardel-c-delivery",
    "tools": "fardel-c-tools",
}

# It is about a struct of SDL, for programs that link SDL.
FOR_C_ALONE = "vfs/include/fardel/vfs/fardel_rwops.h"


@dataclass(frozen=True)
class Type:
    """`base` with `pointers` stars. `constant`: what the first star points to is const."""

    base: str
    pointers: int = 0
    constant: bool = False


@dataclass(frozen=True)
class Member:
    """A field or parameter: a type, or, if `function` is set, a pointer to a function. `count` is that of an array."""

    name: str
    type: Type | None
    count: int | None = None
    function: "Function | None" = None


@dataclass(frozen=True)
class Function:
    name: str
    result: Type
    parameters: tuple[Member, ...]


@dataclass
class Header:
    path: Path
    library: str
    text: str  # C without comments, directives and FARDEL_API
    constants: dict[str, int] = field(default_factory=dict)
    integers: dict[str, str] = field(default_factory=dict)  # name → the integer type that it stands for
    handles: list[str] = field(default_factory=list)  # structs without a body
    structs: dict[str, tuple[Member, ...]] = field(default_factory=dict)
    callbacks: dict[str, Function] = field(default_factory=dict)
    types: list[str] = field(default_factory=list)  # structs and callbacks in their order
    functions: dict[str, Function] = field(default_factory=dict)


def c_header_paths() -> list[Path]:
    """All C headers, each after those that it includes."""
    found = sorted(set(ROOT.glob("*/include/fardel/*/fardel*.h")) - {ROOT / FOR_C_ALONE})
    names = {str(path).split("/include/", 1)[1]: path for path in found}
    ordered: list[Path] = []

    def add(path: Path) -> None:
        for included in re.findall(r"#include <(fardel/[^>]+)>", path.read_text()):
            add(names[included])
        if path not in ordered:
            ordered.append(path)

    for path in found:
        add(path)
    return ordered


def library_of(path: Path) -> str:
    return LIBRARIES.get(path.name) or LIBRARIES[path.parent.name]


def plain_c(text: str) -> str:
    """Removes comments, directives, what is for C++ only, and FARDEL_API."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
    text = text.replace("\\\n", " ")
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^\s*#[^\n]*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\bFARDEL_API\b", "", text)
    return re.sub(r"\s+", " ", text).strip()


def split_outside(text: str, separator: str) -> list[str]:
    """Splits at each separator that is in no bracket."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character in "({[") - (character in ")}]")
        if character == separator and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def parse_type(text: str) -> Type:
    words = re.findall(r"\w+|\*", text)
    constant = words[0] == "const"
    pointers = words.count("*")
    base = [word for word in words if word not in ("const", "struct", "*")]
    if len(base) != 1:
        raise ValueError(f"not a type: {text!r}")
    return Type(base[0], pointers, constant)


def parse_member(text: str, constants: dict[str, int]) -> Member:
    function = re.fullmatch(r"(.+?)\(\s*\*\s*(\w+)\s*\)\s*\((.*)\)", text)
    if function:
        result, name, parameters = function.groups()
        return Member(name, None, None, Function(name, parse_type(result), parse_parameters(parameters, constants)))
    plain = re.fullmatch(r"(.*[\s*])(\w+)\s*(?:\[\s*(\w+)\s*\])?", text)
    if not plain:
        raise ValueError(f"not a field or parameter: {text!r}")
    kind, name, count = plain.groups()
    return Member(name, parse_type(kind), None if count is None else number(count, constants))


def parse_parameters(text: str, constants: dict[str, int]) -> tuple[Member, ...]:
    if text.strip() in ("", "void"):
        return ()
    return tuple(parse_member(part, constants) for part in split_outside(text, ","))


def number(text: str, constants: dict[str, int]) -> int:
    """The value of an enumerator: numbers and names of earlier ones, joined with << | + -."""
    text = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b", r"\1", text)
    if not re.fullmatch(r"[\w\s<|+\-()]+", text):
        raise ValueError(f"not a number: {text!r}")
    return int(eval(text, {"__builtins__": {}}, dict(constants)))


def parse_header(path: Path, known: dict[str, int]) -> Header:
    text = path.read_text()
    header = Header(path, library_of(path), plain_c(text))
    for name, value in re.findall(r"^#define (\w+) U?INT(?:32|64)_C\((\w+)\)$", text, re.MULTILINE):
        header.constants[name] = int(value, 0)
    for text in split_outside(header.text, ";"):
        constants = {**known, **header.constants}
        if enum := re.fullmatch(r"(?:typedef )?enum(?: \w+)? \{(.*)\}(?: \w+)?", text):
            value = -1
            for part in split_outside(enum[1], ","):
                name, _, given = part.partition("=")
                value = number(given, {**constants, **header.constants}) if given else value + 1
                header.constants[name.strip()] = value
        elif struct := re.fullmatch(r"typedef struct (\w+) \{(.*)\} \1", text):
            header.types.append(struct[1])
            header.structs[struct[1]] = tuple(parse_member(part, constants) for part in split_outside(struct[2], ";"))
        elif handle := re.fullmatch(r"(?:typedef )?struct (\w+)(?: \1)?", text):
            header.handles.append(handle[1])
        elif callback := re.fullmatch(r"typedef (.*\(\s*\*.*)", text):
            function = parse_member(callback[1], constants).function
            assert function
            header.types.append(function.name)
            header.callbacks[function.name] = function
        elif integer := re.fullmatch(r"typedef (u?int(?:8|16|32|64)_t) (\w+)", text):
            header.integers[integer[2]] = integer[1]
        elif function := re.fullmatch(r"([\w\s*]*[\s*])(fardel_\w+)\s*\((.*)\)", text):
            result, name, parameters = function.groups()
            header.functions[name] = Function(name, parse_type(result), parse_parameters(parameters, constants))
        else:
            raise ValueError(f"{path.name}: not understood: {text!r}")
    header.handles = [name for name in header.handles if name not in header.structs]
    return header


def read_headers() -> list[Header]:
    headers: list[Header] = []
    constants: dict[str, int] = {}
    for path in c_header_paths():
        headers.append(parse_header(path, constants))
        constants.update(headers[-1].constants)
    return headers
