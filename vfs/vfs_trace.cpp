// Vfs::trace(): what the recorder noted, with names.
#include "vfs_state.h"

#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/trace.h>

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fardel {
namespace {

using TracedById = std::unordered_map<AssetId, TracedAsset*>;

void add_name(const Bundle& bundle, std::uint32_t asset, std::string_view name, const TracedById& traced) {
    const auto record = bundle.asset(AssetIndex{asset});
    if (!record)
        return;
    const auto found = traced.find(record->id);
    if (found != traced.end() && found->second->name.empty() && verify_name(name))
        found->second->name = name;
}

// Gives each asset its first name in byte order.
void add_names(const Bundle& bundle, const TracedById& traced) {
    std::uint64_t variants_left = bundle.table_count(TableKind::variants);  // a wrong table may name them repeatedly
    for (std::uint32_t i = 0; i < bundle.name_count(); ++i) {
        const auto record = bundle.name(NameIndex{i});
        const auto text = bundle.name_text(NameIndex{i});
        if (!record || !text)
            continue;
        if (!record->is(NameRecord::has_variants)) {
            if (!record->is(NameRecord::tombstone))
                add_name(bundle, record->target, *text, traced);
            continue;
        }
        for (std::uint32_t k = 0; k < record->count && variants_left > 0; ++k, --variants_left)
            if (const auto variant = bundle.variant(record->target + k))
                add_name(bundle, variant->asset, *text, traced);
    }
}

}  // namespace

Result<std::string> Vfs::trace() const {
    if (!impl_->recorder)
        return Error(ErrorCode::unsupported, "no trace is recorded; create the Vfs with records_trace");
    Trace trace = impl_->recorder->trace();
    std::map<BundleId, TracedById> of_bundles;
    for (TracedAsset& traced : trace)
        of_bundles[traced.bundle].emplace(traced.asset, &traced);
    const auto set = impl_->set.share();
    for (const auto& [id, traced] : of_bundles)
        if (const Mount* mount = set->find_bundle(id))
            add_names(mount->bundle(), traced);
    return format_trace(trace);
}

}  // namespace fardel
