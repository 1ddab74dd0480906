#include "checks.h"
#include "findings/run_check.h"

#include <fardel/base/ascii.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <string_view>

namespace fardel {
namespace {

// RFC 6838 §4.2: type "/" subtype. Each is at most 127 of the allowed characters and begins with a letter or digit.
// Must be in lower case, because types that differ only in case are the same type.
bool is_media_type(std::string_view text) {
    const auto is_name = [](std::string_view name) {
        const auto alphanumeric = [](char c) { return is_ascii_lower(c) || is_ascii_digit(c); };
        const auto allowed = [&](char c) {
            return alphanumeric(c) || std::string_view("!#$&-^_.+").find(c) != std::string_view::npos;
        };
        return !name.empty() && name.size() <= 127 && alphanumeric(name.front()) && std::ranges::all_of(name, allowed);
    };
    const auto slash = text.find('/');
    return slash != std::string_view::npos && is_name(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

}  // namespace

void check_assets(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings) {
    using enum TableKind;
    const AssetId nothing = id_from<AssetId>(blake3({}));
    RunCheck pieces_run(VerifierRule::piece_run, pieces, tables.count(pieces), findings);
    std::optional<AssetId> before;
    for (std::uint64_t i = 0; i < tables.count(assets); ++i) {
        const auto asset = tables.find<AssetRecord>(i);
        if (!asset) {
            before.reset();
            pieces_run.lose();
            continue;
        }
        if (before && asset->id <= *before)
            findings.add(VerifierRule::assets_not_sorted, record_location(assets, i),
                         asset->id == *before ? "asset " + asset->id.hex() + " appears twice"
                                              : "asset " + asset->id.hex() + " comes after " + before->hex() +
                                                    "; ids must strictly increase");
        before = asset->id;

        const auto type = texts.use(asset->content_type, assets, i, "content type", findings);
        if (type && !is_media_type(*type))
            findings.add(VerifierRule::content_type_malformed, record_location(assets, i),
                         quoted(*type) + " is not a media type in lower case, such as image/jpeg");
        if ((asset->raw_bytes == 0) != (asset->id == nothing))
            findings.add(
                VerifierRule::asset_id_of_nothing, record_location(assets, i),
                asset->raw_bytes == 0
                    ? "it has no bytes, but its id " + asset->id.hex() + " is not that of an empty asset"
                    : "its id is that of an empty asset, but it has " + std::to_string(asset->raw_bytes) + " bytes");
        if (asset->piece_count() > 1)
            pieces_run.take(assets, i, asset->piece_first, asset->piece_count());
    }
    pieces_run.finish();
}

}  // namespace fardel
