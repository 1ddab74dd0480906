// A bundle file that a verb looks into, and what a PATH of the command line means inside it.
//
// Opened without a trust policy: every byte is still checked against its hash, and nobody's signature is asked for.
#pragma once

#include <fardel/format/bundle.h>

#include <memory>
#include <string>
#include <string_view>

namespace fardel {

// Errors: those of open_file_source and Bundle::open, naming the path.
Result<std::shared_ptr<const Bundle>> open_bundle(const std::string& path);

// The asset at a name, "/<published name>", "/assets/<asset id>" or "/bundles/<this bundle's id>/<name>"; of several
// variants the first. Errors: malformed, limit (path), unresolved (nothing is there), those of the bundle.
Result<AssetIndex> find_asset_at(const Bundle& bundle, std::string_view path);

// "x.fardel: <error>"
Error in_bundle(const Bundle& bundle, Error error);

}  // namespace fardel
