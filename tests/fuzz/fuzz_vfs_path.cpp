// A path that parses does so with its leading '/', too, to the same, and has only the parts that its kind allows. A
// preference for variants that parses is the same when it is written and read again.
#include "require.h"

#include <fardel/format/id_path.h>
#include <fardel/format/name.h>
#include <fardel/vfs/vfs_path.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using namespace fardel;

int fuzz_vfs_path(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    if (const auto preference = parse_variant_preference(input)) {
        const auto again = parse_variant_preference(format_variant_preference(*preference));
        require(again && *again == *preference);
    }
    const auto path = parse_path_parts(input);
    if (!path)
        return 0;
    const PathParts& parts = *path;
    const std::string text = (input.starts_with('/') ? "" : "/") + std::string(input);
    require(text == "/" || !text.ends_with('/'));
    const bool is_own_folder = parts.kind == PathKind::assets || parts.kind == PathKind::bundles;
    const bool named = parts.kind == PathKind::bundle_name || parts.kind == PathKind::published || is_own_folder;
    require(named == !parts.name.empty());
    if (named) {
        require(static_cast<bool>(verify_name(parts.name)) && text.ends_with(parts.name) &&
                parts.hash == name_hash(parts.name));
    }
    if (parts.kind == PathKind::published)
        require(static_cast<bool>(verify_no_id_path(parts.name)));
    if (parts.kind == PathKind::asset)
        require(text == "/assets/" + parts.id.hex());
    if (parts.kind == PathKind::bundle || parts.kind == PathKind::bundle_name)
        require(text.substr(0, 73) == "/bundles/" + parts.id.hex());
    const auto again = parse_path_parts(text);
    require(again && again->kind == parts.kind && again->id == parts.id && again->name == parts.name);
    return 0;
}
