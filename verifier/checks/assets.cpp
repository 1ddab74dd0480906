#include "checks.h"
#include "findings/run_check.h"

#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/format/printable.h>

namespace fardel {

void check_assets(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings) {
    using enum TableKind;
    const AssetId nothing = id_from<AssetId>(blake3({}));
    RunCheck pieces_run(VerifierRule::piece_run, pieces, tables.count(pieces), findings);
    std::optional<AssetId> before;
    for (std::uint64_t i = 0; i < tables.count(assets); ++i) {
        const auto asset = tables.find<AssetRecord>(i);
        if (!asset) {
            // After a record that cannot be read, neither the order nor the runs of pieces can be judged; it was
            // reported itself.
            before.reset();
            pieces_run.lose();
            continue;
        }
        if (before && asset->id <= *before)
            findings.add(VerifierRule::assets_not_sorted, assets, i,
                         asset->id == *before ? "asset " + asset->id.hex() + " appears twice"
                                              : "asset " + asset->id.hex() + " comes after " + before->hex() +
                                                    "; ids must strictly increase");
        before = asset->id;

        const auto type = texts.use(asset->content_type, assets, i, "content type", findings);
        if (type && !is_media_type(*type))
            findings.add(VerifierRule::content_type_malformed, assets, i,
                         quoted(*type) + " is not a media type in lower case, such as image/jpeg");
        if ((asset->raw_bytes == 0) != (asset->id == nothing))
            findings.add(
                VerifierRule::asset_id_of_nothing, assets, i,
                asset->raw_bytes == 0
                    ? "it has no bytes, but its id " + asset->id.hex() + " is not that of an empty asset"
                    : "its id is that of an empty asset, but it has " + std::to_string(asset->raw_bytes) + " bytes");
        if (asset->piece_count() > 1)
            pieces_run.add(assets, i, asset->piece_first, asset->piece_count());
    }
    pieces_run.finish();
}

}  // namespace fardel
