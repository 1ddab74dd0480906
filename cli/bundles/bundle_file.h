// A bundle file that a verb reads, and the asset that a PATH on the command line means inside it.
//
// Bundles are opened without a trust policy: signatures are not required, but every byte is checked against its hash.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/vfs/vfs_path.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Of a program, the bundle that is appended to it. Errors: those of open_file_source and open_appended_source;
// malformed (a folder: what makes a bundle of it is said).
Result<std::shared_ptr<const ByteSource>> open_bundle_file(const std::string& path);

// Errors: those of open_bundle_file and Bundle::open, naming the path.
Result<std::shared_ptr<const Bundle>> open_bundle(const std::string& path);

// The bundle's metadata text under a key such as "name" or "version"; empty if there is none.
Result<std::string> bundle_text(const Bundle& bundle, std::string_view key);

// The asset at a name, "/<published name>", "/assets/<asset id>" or "/bundles/<this bundle's id>/<name>"; of several
// variants the preferred one. A name that is not there is looked up with each of `extensions`, and without its own, as
// by a Vfs. Errors: malformed, limit (path), unresolved (no such asset), those of the bundle.
Result<AssetIndex> find_asset_at(const Bundle& bundle, std::string_view path, const VariantPreference& preference = {},
                                 const NameExtensions& extensions = {});

// The asset of a name that is no tombstone; of several variants the preferred one. Errors: those of the bundle.
Result<AssetIndex> preferred_asset(const Bundle& bundle, const NameRecord& name, const VariantPreference& preference);

// Reads an asset in pieces of at most 1 MiB, and calls `receive` with each. Errors: those of the bundle and of
// `receive`.
template <class Receive>
Status read_in_pieces(const Bundle& bundle, AssetIndex index, std::uint64_t raw_bytes, Receive receive) {
    std::vector<std::byte> buffer(static_cast<std::size_t>(std::min<std::uint64_t>(raw_bytes, 1 << 20)));
    for (std::uint64_t at = 0; at < raw_bytes; at += buffer.size()) {
        buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(raw_bytes - at, buffer.size())));
        FARDEL_TRY(bundle.read_at(index, at, buffer));
        FARDEL_TRY(receive(std::span<const std::byte>(buffer)));
    }
    return ok();
}

// "x.fardel: \"<path>\": <problem>". Code: unresolved.
Error unresolved_path(const Bundle& bundle, std::string_view path, std::string_view problem);

// Puts the label of the bundle in front: "x.fardel: <error>".
Error in_bundle(const Bundle& bundle, Error error);

}  // namespace fardel
