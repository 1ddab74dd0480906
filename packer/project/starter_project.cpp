#include <fardel/packer/project.h>

namespace fardel {

// A name may hold anything but quotes, backslashes and controls (docs/names.md), so it stands in quotes as it is.
std::string starter_project(std::string_view name) {
    return "# What 'fardel build' packs. docs/project-file.md tells every key.\n"
           "\n"
           "name = \"" +
           std::string(name) +
           "\"\n"
           "version = \"0.1\"\n"
           R"(
# Folders and archives, seen from this file; of equal names the later source's wins.
sources = ["assets"]

# Names to leave out, besides those of version control and desktops.
exclude = ["**/*.psd", "**/*.blend"]

# Where the bundle goes; the name's last part with .fardel when left out.
# output = "build/game.fardel"

# Sign as the author with this key ('fardel keygen -o author.key' makes one).
# key = "author.key"

# Names that bundles below this one have, and that are to be gone.
# tombstones = ["old.cfg"]

[metadata]
# licence = "CC-BY-4.0"
# origin = "https://example.org/game"

# Rules say something about the files that match; of two that contradict each other the later wins.
# textures/wall@hd.png becomes the variant quality=hd of textures/wall.png:
# [[rule]]
# match = "**/*@hd.png"
# strip = "@hd"
# tags = { quality = "hd" }

# Only this bundle itself can reach these:
# [[rule]]
# match = "internal/**"
# publish = false

# Names that other bundles must bring.
# [[consume]]
# name = "textures/base/**"
# optional = true

# Bundles that this one needs.
# [[dependency]]
# file = "../base/base.fardel"
)";
}

}  // namespace fardel
