#include <fardel/packer/project.h>

namespace fardel {

// A name contains no quotes, backslashes or controls (docs/names.md), so it needs no escapes inside quotes.
std::string starter_project(std::string_view name) {
    return "# What 'fardel build' packs. docs/project-file.md documents every key.\n"
           "\n"
           "name = \"" +
           std::string(name) +
           "\"\n"
           "version = \"0.1\"\n"
           R"(
# Folders and archives, seen from this file; a later source wins if names are equal.
sources = ["assets"]

# Names to leave out, besides those of version control and desktops.
exclude = ["**/*.psd", "**/*.blend"]

# The bundle's file; default: the last part of the name, with .fardel.
# output = "build/game.fardel"

# Sign as the author with this key ('fardel keygen -o author.key' creates one).
# key = "author.key"

# Names of bundles below this one that this bundle hides.
# tombstones = ["old.cfg"]

[metadata]
# licence = "CC-BY-4.0"
# origin = "https://example.org/game"

# Rules apply to the files that match; a later rule wins over an earlier one.
# textures/wall@hd.png becomes the variant quality=hd of textures/wall.png:
# [[rule]]
# match = "**/*@hd.png"
# strip = "@hd"
# tags = { quality = "hd" }

# Only this bundle can reach these:
# [[rule]]
# match = "internal/**"
# publish = false

# Names that other bundles must publish.
# [[consume]]
# name = "textures/base/**"
# optional = true

# Bundles that this one needs.
# [[dependency]]
# file = "../base/base.fardel"
)";
}

}  // namespace fardel
