#!/usr/bin/env python3
"""A processor for Fardel that speaks its protocol (docs/processors.md): turns the text of a scene into a sprite list.

A scene has one sprite per line, "name count"; '#' begins a comment. The list has the sprites in order, each once. With
parameters = { aliases = "…/aliases.txt" }, an absolute path or one relative to the folder in which the program starts,
names are looked up in that file first, if it exists. The sprites of a list are reported as references, so that Fardel
knows what the list needs.

    [processor.scenes]
    command = ["python3", "${code:tools/scene_list.py}"]
    code = ["tools/scene_list.py"]
    protocol = true
    depfile = true                       # the aliases are in the project, and the program finds them
    outputs = ["{folder}{stem}.list"]
    parameters = { aliases = "…" }
"""
import json
import os
import sys


def read_aliases(path, answer):
    """Returns a table from aliases to names; the answer says that the file was read, or that it is missing."""
    if not path:
        return {}
    try:
        with open(path, encoding="utf-8") as lines:
            answer["inputs"].append(path)
            return dict(line.split() for line in lines if line.strip())
    except FileNotFoundError:
        answer["missing"].append(path)
        return {}


def read_sprites(path):
    with open(path, encoding="utf-8") as lines:
        words = [line.split("#")[0].split() for line in lines]
    return [entry[0] for entry in words if entry]


def main():
    job = json.load(sys.stdin)
    answer = {"outputs": [], "inputs": [], "missing": [], "references": [], "messages": []}
    aliases = read_aliases(job["parameters"].get("aliases"), answer)
    source = next(item for item in job["inputs"] if item["source"])
    name = job["outputs"][0] if job["outputs"] else os.path.splitext(source["name"])[0] + ".list"
    sprites = sorted({aliases.get(sprite, sprite) for sprite in read_sprites(source["path"])})
    with open(os.path.join(job["out"], "list"), "w", encoding="utf-8") as made:
        made.writelines(sprite + "\n" for sprite in sprites)
    answer["outputs"].append({"name": name, "path": "list"})
    for sprite in sprites:
        answer["references"].append({"output": name, "spelling": sprite, "use": "texture", "form": "from_root"})
    if not sprites:
        answer["messages"].append(source["name"] + " has no sprites")
    json.dump(answer, sys.stdout)


main()
