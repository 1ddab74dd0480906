// The paths of a Vfs's tree that ids give: "assets", "assets/<id>", "bundles", "bundles/<id>" and everything below an
// id.
//
// An id is 64 lower-case hexadecimal digits. Every other path, also below "assets" and "bundles", belongs to published
// names. This is the one place that knows the two words. Text is untrusted and has no '/' at its front.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace fardel {

struct IdPath {
    enum class Folder : std::uint8_t { assets, bundles };
    Folder folder{};
    std::optional<Hash> id;  // nothing: the folder itself
    std::string_view below;  // what follows the id and a '/'; a view of the path
};

// Nothing: the path is one of published names.
std::optional<IdPath> find_id_path(std::string_view path);

// Verifies that a name can be published: that it is no path which an id gives. Error: malformed.
Status verify_no_id_path(std::string_view name);

}  // namespace fardel
