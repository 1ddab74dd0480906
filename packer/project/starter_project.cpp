#include <fardel/packer/project.h>

namespace fardel {
namespace {

std::string list_of(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts)
        list += (list.empty() ? "" : ", ") + toml_text(text);
    return "[" + list + "]";
}

}  // namespace

std::string toml_text(std::string_view text) {
    std::string escaped = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            escaped += '\\';
        escaped += c;
    }
    return escaped + '"';
}

// A name contains no quotes, backslashes or controls (docs/names.md), so it needs no escapes inside quotes.
std::string starter_project(std::string_view name, const StarterContent& content) {
    return "# What 'fardel build' packs. docs/project-file.md documents every key.\n"
           "\n"
           "name = \"" +
           std::string(name) +
           "\"\n"
           "version = \"0.1\"\n"
           R"(
# Folders and archives, seen from this file; a later source wins if names are equal.
sources = )" +
           list_of(content.sources) +
           R"(

# Names to leave out, besides those of version control and desktops.
exclude = )" +
           list_of(content.excludes) +
           R"(

# The bundle's file; default: the last part of the name, with .fardel.
)" + (content.output.empty() ? "# output = \"build/game.fardel\"" : "output = " + toml_text(content.output)) +
           R"(

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
)" +
           (content.profile.empty() ? ""
                                    : "\n# References between files are resolved by the conventions of this game: " +
                                          content.why + ".\n[link]\nprofile = " + toml_text(content.profile) + "\n");
}

}  // namespace fardel
