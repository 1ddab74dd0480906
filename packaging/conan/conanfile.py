"""Conan 2: builds the tree that this recipe is in, `conan create packaging/conan`: the libraries that a game links."""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy
from conan.tools.gnu import PkgConfigDeps

TREE = Path(__file__).resolve().parents[2]


class FardelConan(ConanFile):
    name = "fardel"
    description = "Signed, content-addressed asset bundles and a virtual filesystem for games"
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"fPIC": [True, False]}
    default_options = {"fPIC": True}
    # What FardelComponents.cmake says that the runtime needs, in Conan's names.
    requires = "blake3/[>=1.3]", "libsodium/[>=1.0.18]", "lz4/[>=1.9]", "utf8proc/[>=2.8]", "zstd/[>=1.5]"
    tool_requires = "pkgconf/[>=2.0]"

    def set_version(self):
        text = (TREE / "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"^    VERSION (\S+)$", text, re.MULTILINE).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "NOTICES.md", "base/*", "bundle-format/*", "cmake/*", "docs/reference/*",
                        "packaging/*", "sources/*", "vfs/*"):
            copy(self, pattern, src=TREE, dst=self.export_sources_folder)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["FARDEL_PARTS"] = "runtime"
        toolchain.cache_variables["FARDEL_TESTS"] = False
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()  # FardelComponents.cmake asks pkg-config

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "NOTICES.md", src=self.source_folder, dst=Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_info(self):
        # The targets are those of fardelConfig.cmake, which is installed; CMakeDeps need make none.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/fardel"]
        self.cpp_info.set_property("pkg_config_name", "fardel")
        self.cpp_info.libs = ["fardel_vfs", "fardel_sources", "fardel_format", "fardel_base"]
