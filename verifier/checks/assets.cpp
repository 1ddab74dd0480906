#include "checks.h"
#include "findings/run_check.h"

#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <string_view>

namespace fardel {
namespace {

// RFC 6838 §4.2: type "/" subtype, each of at most 127 of these characters and beginning with a letter or digit; in
// lower case, since types that differ only in case are one type.
bool is_media_type(std::string_view text) {
    const auto is_name = [](std::string_view name) {
        const auto alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
        const auto allowed = [&](char c) {
            return alphanumeric(c) || std::string_view("!#$&-^_.+").find(c) != std::string_view::npos;
        };
        return !name.empty() && name.size() <= 127 && alphanumeric(name.front()) && std::ranges::all_of(name, allowed);
    };
    const auto slash = text.find('/');
    return slash != std::string_view::npos && is_name(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

}  // namespace

void check_assets(const Tables& tables, Strings& texts, Findings& findings) {
    using enum TableKind;
    const AssetId nothing = id_from<AssetId>(blake3({}));
    RunCheck pieces_run(Rule::piece_run, pieces, tables.count(pieces), findings);
    std::optional<AssetId> before;
    for (std::uint64_t i = 0; i < tables.count(assets); ++i) {
        const auto asset = tables.find<AssetRecord>(i);
        if (!asset) {
            before.reset();
            pieces_run.lose();
            continue;
        }
        if (before && asset->id <= *before)
            findings.add(Rule::assets_not_sorted, record_place(assets, i),
                         asset->id == *before ? "asset " + asset->id.hex() + " stands twice"
                                              : "asset " + asset->id.hex() + " stands after " + before->hex() +
                                                    "; ids strictly increase");
        before = asset->id;

        const auto type = texts.use(asset->content_type, assets, i, "content type", findings);
        if (type && !is_media_type(*type))
            findings.add(Rule::content_type_malformed, record_place(assets, i),
                         quoted(*type) + " is not a media type in lower case, such as image/jpeg");
        if ((asset->raw_bytes == 0) != (asset->id == nothing))
            findings.add(Rule::asset_id_of_nothing, record_place(assets, i),
                         asset->raw_bytes == 0
                             ? "it has no bytes, but its id " + asset->id.hex() + " is not that of no bytes"
                             : "its id is that of no bytes, but it has " + std::to_string(asset->raw_bytes));
        if (asset->piece_count() > 1)
            pieces_run.take(assets, i, asset->piece_first, asset->piece_count());
    }
    pieces_run.finish();
}

}  // namespace fardel
