#include "class_limit.h"

#include <fardel/base/fits.h>
#include <fardel/format/bundle.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/printable.h>
#include <fardel/format/signing_rule.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace fardel {

ClassLimit::ClassLimit(ContentClass brings, std::uint32_t asset_count)
    : brings_(brings),
      asset_count_(asset_count),
      passed_(std::make_unique<std::atomic<std::uint64_t>[]>(asset_count / 64 + 1)) {}

Error ClassLimit::refuse(const Bundle& bundle, const std::string& subject, const ContentFinding& found) const {
    return Error(ErrorCode::denied,
                 bundle.label() + (bundle.label().empty() ? "" : ": ") + subject + " is " + std::string(found.what) +
                     " (" + std::string(content_class_name(found.content)) + "); " + describe_limit(brings_));
}

Status ClassLimit::add_claim(const Bundle& bundle, const NameRecord& record, ContentClaim claimed) {
    const auto add = [&](std::uint32_t asset) {
        if (asset < claims_.size())
            claims_[asset] = claims_[asset] | claimed;
    };
    if (!record.is(NameRecord::has_variants)) {
        add(record.target);
        return ok();
    }
    if (record.count > limits::kVariantsPerNameMax)
        return Error(ErrorCode::malformed, bundle.label() + ": a name has more variants than a name may have");
    for (std::uint32_t i = 0; i < record.count; ++i) {
        FARDEL_TRY_ASSIGN(const VariantRecord variant, bundle.variant(record.target + i));
        add(variant.asset);
    }
    return ok();
}

Status ClassLimit::read_names(const Bundle& bundle) {
    claims_.assign(asset_count_, ContentClaim::nothing);
    for (std::uint32_t i = 0; i < bundle.name_count(); ++i) {
        FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(NameIndex{i}));
        if (record.is(NameRecord::tombstone))
            continue;
        FARDEL_TRY_ASSIGN(const std::string_view text, bundle.string(record.text));
        const ContentFinding found = classify_name(text);
        if (found.content > brings_) {
            names_refused_ = refuse(bundle, in_quotes(text), found);
            break;
        }
        FARDEL_TRY(add_claim(bundle, record, claim_of(text)));
    }
    names_read_.store(true, std::memory_order_release);
    return ok();
}

Status ClassLimit::verify_names(const Bundle& bundle) {
    if (!names_read_.load(std::memory_order_acquire)) {
        const std::scoped_lock lock(reading_);
        if (!names_read_.load(std::memory_order_relaxed))
            FARDEL_TRY(read_names(bundle));
    }
    return names_refused_ ? Status(*names_refused_) : ok();
}

Status ClassLimit::verify_asset(const Bundle& bundle, AssetIndex index) {
    const auto number = static_cast<std::uint32_t>(index);
    if (number >= asset_count_)
        return Error(ErrorCode::malformed, bundle.label() + ": it has no asset " + std::to_string(number));
    std::atomic<std::uint64_t>& word = passed_[number / 64];
    const std::uint64_t bit = std::uint64_t{1} << number % 64;
    if ((word.load(std::memory_order_relaxed) & bit) != 0)
        return ok();
    FARDEL_TRY(verify_names(bundle));
    FARDEL_TRY_ASSIGN(const AssetRecord record, bundle.asset(index));
    std::array<std::byte, kContentClassBytes> head;
    const auto first = std::span(head).first(in_memory(std::min<std::uint64_t>(record.raw_bytes, head.size())));
    FARDEL_TRY(bundle.read_at(index, 0, first));
    const ContentFinding found = classify_bytes(first, claims_[number]);
    if (found.content > brings_)
        return refuse(bundle, "asset " + record.id.hex(), found);
    // Once per asset: the bytes are compared with their hashes at each read, so the verdict stays true. The bit stands
    // for nothing else in memory, so no order is needed.
    word.fetch_or(bit, std::memory_order_relaxed);
    return ok();
}

Status verify_classes(const Bundle& bundle, ContentClass brings) {
    ClassLimit limit(brings, bundle.asset_count());
    FARDEL_TRY(limit.verify_names(bundle));
    for (std::uint32_t i = 0; i < bundle.asset_count() && brings < ContentClass::code; ++i)
        FARDEL_TRY(limit.verify_asset(bundle, AssetIndex{i}));
    return ok();
}

}  // namespace fardel
