"""Runs the Conan recipe with a stand-in for Conan, and CMake itself with what the recipe exports and sets.

    conan_recipe.py SOURCE SCRATCH
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

source, scratch = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
exported, package = scratch / "exported", scratch / "package"
shutil.rmtree(scratch, ignore_errors=True)
exported.mkdir(parents=True)
calls: list[str] = []


class ConanFile:
    """What the recipe uses of Conan's class of this name."""

    export_sources_folder, source_folder, package_folder = str(exported), str(exported), str(package)

    def __init__(self):
        self.cpp_info = types.SimpleNamespace(properties={})
        self.cpp_info.set_property = self.cpp_info.properties.__setitem__


def copy(_recipe, pattern, src, dst):
    """conan.tools.files.copy: the files of src that match, with their folders; * matches / as well."""
    src, found = Path(src), 0
    folder = src / pattern.split("*")[0].rpartition("/")[0]  # not all of src: other tests write in its build folders
    for path in folder.rglob("*") if "*" in pattern else [src / pattern]:
        name = path.relative_to(src).as_posix()
        if path.is_file() and re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), name):
            target = Path(dst) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
            found += 1
    assert found, f"nothing matches {pattern}"


class CMakeToolchain:
    def __init__(self, _recipe):
        self.cache_variables = {}

    def generate(self):
        (scratch / "variables.json").write_text(json.dumps(self.cache_variables))


class Generator:
    def __init__(self, _recipe):
        pass

    def generate(self):
        calls.append("generate")


class CMake:
    def __init__(self, _recipe):
        pass

    def configure(self):
        variables = json.loads((scratch / "variables.json").read_text())
        words = [f"-D{name}={'ON' if value is True else 'OFF' if value is False else value}"
                 for name, value in variables.items()]
        done = subprocess.run(
            ["cmake", "-S", exported, "-B", scratch / "build", "-G", "Ninja", f"-DCMAKE_INSTALL_PREFIX={package}",
             "-DCMAKE_BUILD_TYPE=Release", *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        assert done.returncode == 0, done.stdout
        assert "not used by the project" not in done.stdout, done.stdout

    def build(self):
        calls.append("build")

    def install(self):
        calls.append("install")


def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)


module("conan", ConanFile=ConanFile)
module("conan.tools")
module("conan.tools.cmake", CMake=CMake, CMakeDeps=Generator, CMakeToolchain=CMakeToolchain)
module("conan.tools.files", copy=copy)
module("conan.tools.gnu", PkgConfigDeps=Generator)

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("conanfile", source / "packaging/conan/conanfile.py")
conanfile = importlib.util.module_from_spec(spec)
spec.loader.exec_module(conanfile)

recipe = conanfile.FardelConan()
for step in ("set_version", "export_sources", "generate", "build", "package", "package_info"):
    getattr(recipe, step)()
assert calls == ["generate", "generate", "build", "install"], calls

project = (source / "CMakeLists.txt").read_text(encoding="utf-8")
assert f"\n    VERSION {recipe.version}\n" in project, recipe.version
assert (package / "licenses/NOTICES.md").is_file()

# What FardelComponents.cmake asks for, in the versions that it asks for.
names = {re.sub(r"^lib(?=lz4|zstd|utf8proc|blake3)", "", requirement.split("/")[0]) for requirement in recipe.requires}
components = (source / "cmake/FardelComponents.cmake").read_text(encoding="utf-8")
needs = re.search(r"^set\(FARDEL_format_NEEDS ([A-Z0-9 ]+)\)$", components, re.MULTILINE).group(1).split()
assert names == {"blake3"} | {{"SODIUM": "libsodium"}.get(need, need.lower()) for need in needs}, (names, needs)

# The libraries are those of fardel.pc, which CMake made, in the same order; the folder is where the package is.
pc = (scratch / "build/fardel.pc").read_text(encoding="utf-8")
libraries = [word[2:] for word in re.search(r"^Libs: (.*)$", pc, re.MULTILINE).group(1).split() if word[:2] == "-l"]
assert recipe.cpp_info.libs == libraries, (recipe.cpp_info.libs, libraries)
scripts = "".join(path.read_text(encoding="utf-8") for path in (scratch / "build").rglob("cmake_install.cmake"))
for folder in recipe.cpp_info.builddirs:
    assert f'"${{CMAKE_INSTALL_PREFIX}}/{folder}' in scripts or f"/{folder}\" TYPE FILE" in scripts, folder
assert os.listdir(package), "the package is empty"
