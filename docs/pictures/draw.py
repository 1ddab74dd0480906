#!/usr/bin/env python3
"""Writes the pictures of the five first pages, as SVG: draw.py FOLDER.

A picture is a list of boxes (column, row, lines of text) and of arrows (from box, to box, label). The same script gives
the same bytes; a test compares them with the files beside it.
"""
import sys
from pathlib import Path

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 190, 64, 110, 34, 12

PICTURES = {
    "first-game": (
        "A folder becomes a bundle, and a game reads it through a VFS.",
        [
            (0, 0, "mygame/assets", "files as you edit them"),
            (1, 0, "mygame.fardel", "one file, signed"),
            (2, 0, "Vfs", "/texts/greeting.txt"),
            (2, 1, "game.cpp", "every byte verified"),
            (1, 1, "game.trust", "whose content counts"),
        ],
        [(0, 1, "fardel build"), (1, 2, "mount"), (2, 3, ""), (4, 2, "policy")],
    ),
    "first-mod": (
        "Two bundles are one tree; the one that is mounted later wins, name by name.",
        [
            (0, 0, "castle.fardel", "maps/castle.txt", "texts/greeting.txt"),
            (0, 1, "base.fardel", "texts/greeting.txt", "texts/rules.txt"),
            (1, 0, "the tree of the game", "maps/castle.txt", "texts/greeting.txt"),
            (1, 1, "the tree of the game", "texts/rules.txt", ""),
        ],
        [(0, 2, "both names"), (1, 3, "what is left")],
    ),
    "pure-server": (
        "A server offers a policy; a client proves that it has that content and nothing else.",
        [
            (0, 0, "server", "server.pure"),
            (1, 0, "client", "base, castle"),
            (0, 1, "server", "checks the answer"),
            (1, 1, "client", "may play, or is told why not"),
        ],
        [(0, 1, "offer"), (1, 2, "answer"), (2, 3, "verdict")],
    ),
    "install-and-update": (
        "A channel names the bundles that are current; a lock file names those that are installed.",
        [
            (0, 0, "channel", "root, release, head"),
            (1, 0, "fardel install", "asks once, fetches"),
            (2, 0, "fardel.lock", "ids of what is installed"),
            (1, 1, "store", "bundles, blocks once"),
            (2, 1, "fardel mount", "a folder for the game"),
        ],
        [(0, 1, "signed"), (1, 2, ""), (1, 3, ""), (2, 4, "which"), (3, 4, "bytes")],
    ),
    "build-with-caches": (
        "A build asks its own cache, then the caches of others; only what none of them has is made.",
        [
            (0, 0, "fardel build", "a key per job"),
            (1, 0, ".fardel/cache", "of this project"),
            (2, 0, "a shared cache", "of the build farm"),
            (1, 1, "the program", "runs, confined"),
        ],
        [(0, 1, "1. has it?"), (1, 2, "2. has it?"), (0, 3, "3. make it")],
    ),
}


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def origin(box):
    return MARGIN + box[0] * (WIDTH + GAP_X), MARGIN + box[1] * (HEIGHT + GAP_Y)


def arrow(boxes, start, end, label):
    (x1, y1), (x2, y2) = origin(boxes[start]), origin(boxes[end])
    if x1 == x2:
        x1, x2 = x1 + WIDTH // 2, x2 + WIDTH // 2
        y1, y2 = (y1 + HEIGHT, y2) if y1 < y2 else (y1, y2 + HEIGHT)
    else:
        y1, y2 = y1 + HEIGHT // 2, y2 + HEIGHT // 2
        x1, x2 = (x1 + WIDTH, x2) if x1 < x2 else (x1, x2 + WIDTH)
    yield f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" marker-end="url(#tip)"/>'
    if label:
        x, y = (x1 + x2) // 2, (y1 + y2) // 2 - 5
        anchor = "start" if x1 == x2 else "middle"
        x += 8 if x1 == x2 else 0
        yield f'<text class="label" x="{x}" y="{y}" style="text-anchor:{anchor}">{escape(label)}</text>'


def picture(title, boxes, arrows):
    width = 2 * MARGIN + (max(box[0] for box in boxes) + 1) * (WIDTH + GAP_X) - GAP_X
    height = 2 * MARGIN + (max(box[1] for box in boxes) + 1) * (HEIGHT + GAP_Y) - GAP_Y
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">'
    yield f"<title>{escape(title)}</title>"
    yield "<style>rect.page{fill:#fff}rect.box{fill:#eef3f8}.box,line{stroke:#345;stroke-width:1.5}"
    yield "text{font:13px sans-serif;fill:#123;text-anchor:middle}.head{font-weight:bold}"
    yield ".label{fill:#456;paint-order:stroke;stroke:#fff;stroke-width:5px}</style>"
    yield '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    yield '<path d="M0,0 L8,4 L0,8 z" fill="#345"/></marker></defs>'
    yield f'<rect class="page" width="{width}" height="{height}"/>'
    for box in boxes:
        x, y = origin(box)
        yield f'<rect class="box" x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
        lines = box[2:]
        for number, line in enumerate(lines):
            kind = ' class="head"' if number == 0 else ""
            baseline = y + HEIGHT // 2 + 5 + 18 * number - 9 * (len(lines) - 1)
            yield f'<text{kind} x="{x + WIDTH // 2}" y="{baseline}">{escape(line)}</text>'
    for start, end, label in arrows:
        yield from arrow(boxes, start, end, label)
    yield "</svg>"


if __name__ == "__main__":
    for name, (title, boxes, arrows) in PICTURES.items():
        Path(sys.argv[1], name + ".svg").write_text("\n".join(picture(title, boxes, arrows)) + "\n", encoding="utf-8")
