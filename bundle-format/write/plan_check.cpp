#include "plan_check.h"

#include <fardel/base/ascii.h>
#include <fardel/format/glob_set.h>
#include <fardel/format/id_path.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/plan_consumes.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kContentTypeDefault = "application/octet-stream";
constexpr std::size_t kMediaTypePartBytesMax = 127;  // RFC 6838 §4.2
constexpr std::uint64_t kRecordsMax = kNoIndex - 1;  // of any table

Error bad_plan(std::string reason) { return Error(ErrorCode::malformed, std::move(reason)); }

std::string quoted(std::string_view text) { return "\"" + printable(text) + "\""; }

Status verify_count(std::uint64_t count, std::uint64_t max, std::string_view what) {
    if (count <= max)
        return ok();
    return Error(ErrorCode::limit,
                 std::to_string(count) + " " + std::string(what) + "; at most " + std::to_string(max));
}

Status verify_text(std::string_view what, std::string_view text) {
    if (text.size() > limits::kStringBytesMax)
        return Error(ErrorCode::limit, std::string(what) + " has " + std::to_string(text.size()) + " bytes; at most " +
                                           std::to_string(limits::kStringBytesMax));
    // Strings reach the C API, where a text ends at its first NUL.
    if (text.find('\0') != std::string_view::npos)
        return bad_plan(std::string(what) + " " + quoted(text) + " has a NUL character in it");
    if (!is_utf8_text(text))
        return bad_plan(std::string(what) + " " + quoted(text) + " is not UTF-8");
    return ok();
}

Status verify_reference(const BundlePlan& plan, const PlannedReference& reference) {
    if (reference.spelling.empty())
        return bad_plan("a reference has no spelling");
    FARDEL_TRY(verify_text("reference", reference.spelling));
    const auto refused = [&](std::string reason) {
        return bad_plan("reference " + quoted(reference.spelling) + ": " + std::move(reason));
    };
    if (const auto* internal = std::get_if<PlannedReference::Internal>(&reference.target)) {
        if (internal->asset >= plan.assets.size())
            return refused("no planned asset " + std::to_string(internal->asset));
    } else if (const auto* foreign = std::get_if<PlannedReference::Foreign>(&reference.target)) {
        if (foreign->dependency >= plan.dependencies.size())
            return refused("no dependency " + std::to_string(foreign->dependency));
        if (!plan.dependencies[foreign->dependency].is_static)
            return refused("dependency " + std::to_string(foreign->dependency) +
                           " is not a static one, so it cannot hold the target");
    }
    const auto* dynamic = std::get_if<PlannedReference::Dynamic>(&reference.target);
    if (dynamic && !reference.name.empty())
        return refused("a dynamic target has no name in a bundle");
    if (!dynamic && reference.name.empty())
        return ok();
    if (Status status = verify_name(dynamic ? dynamic->name : reference.name); !status)
        return std::move(status).error().with_context("target of reference " + quoted(reference.spelling));
    return ok();
}

// Checks that keys which docs/bundle-format.md §4 defines have the kind of value that it states.
Status verify_kind(const PlannedMetadata& item) {
    const bool metric = item.key.starts_with("metric.");
    if (metric && !std::holds_alternative<double>(item.value))
        return bad_plan("metadata " + quoted(item.key) + ": a metric is a number");
    if (item.key == "expires" && !std::holds_alternative<std::int64_t>(item.value))
        return bad_plan("metadata \"expires\": expected an integer, the Unix time in seconds");
    if ((item.key == "name" || item.key == "version") && !std::holds_alternative<std::string>(item.value))
        return bad_plan("metadata " + quoted(item.key) + ": expected text");
    return ok();
}

Status verify_metadata(std::span<const PlannedMetadata> items) {
    FARDEL_TRY(verify_count(items.size(), limits::kMetadataPerSubjectMax, "metadata entries"));
    for (const PlannedMetadata& item : items) {
        if (item.key.empty())
            return bad_plan("a metadata entry has no key");
        FARDEL_TRY(verify_text("metadata key", item.key));
        if (const auto* text = std::get_if<std::string>(&item.value))
            FARDEL_TRY(verify_text("metadata " + quoted(item.key), *text));
        if (const auto* number = std::get_if<double>(&item.value); number && !std::isfinite(*number))
            return bad_plan("metadata " + quoted(item.key) + ": not a finite number");
        FARDEL_TRY(verify_kind(item));
    }
    return ok();
}

Status verify_asset(const BundlePlan& plan, const PlannedAsset& asset) {
    if (!asset.source)
        return bad_plan("has no source");
    if (!is_media_type(content_type_of(asset)))
        return bad_plan("content type " + quoted(asset.content_type) +
                        " is not of the form type/subtype, in lower case");
    FARDEL_TRY(verify_count(asset.references.size(), limits::kReferencesPerAssetMax, "references"));
    for (const PlannedReference& reference : asset.references)
        FARDEL_TRY(verify_reference(plan, reference));
    FARDEL_TRY(verify_metadata(asset.metadata));
    return verify_metadata(asset.creator_metadata);
}

// Sorted by axis.
Result<Tags> sorted_tags(const PlannedVariant& variant) {
    if (variant.tags.size() > limits::kTagsPerVariantMax)
        return Error(ErrorCode::limit, "a variant with " + std::to_string(variant.tags.size()) + " tags; at most " +
                                           std::to_string(limits::kTagsPerVariantMax));
    for (const auto& [axis, value] : variant.tags)
        if (!is_word(axis) || !is_word(value))
            return bad_plan("tag " + quoted(axis + "=" + value) + ": axis and value consist of " +
                            std::string(kTagWordCharacters));
    Tags tags(variant.tags.begin(), variant.tags.end());
    std::ranges::sort(tags);
    const auto twice = std::ranges::adjacent_find(tags, {}, &Tag::axis);
    if (twice != tags.end())
        return bad_plan("a variant with two tags for " + quoted(twice->axis));
    return tags;
}

Status verify_planned_name(const BundlePlan& plan, const PlannedName& name) {
    if (name.variants.empty()) {
        if (name.extends)
            return bad_plan("extends another bundle's name, but has no variants to add");
        if (!name.published)
            return bad_plan("has no variants, which makes it a tombstone, and a tombstone is published");
    }
    if (name.published)
        FARDEL_TRY(verify_no_id_path(name.name.view()));
    FARDEL_TRY(verify_count(name.variants.size(), limits::kVariantsPerNameMax, "variants"));
    std::vector<Tags> tag_sets;
    for (const PlannedVariant& variant : name.variants) {
        if (variant.asset >= plan.assets.size())
            return bad_plan("no planned asset " + std::to_string(variant.asset));
        if (name.variants.size() == 1 && variant.tags.empty())
            continue;
        FARDEL_TRY_ASSIGN(Tags tags, sorted_tags(variant));
        tag_sets.push_back(std::move(tags));
    }
    std::ranges::sort(tag_sets);
    if (std::ranges::adjacent_find(tag_sets) != tag_sets.end())
        return bad_plan("two variants have the same tags, so nothing could choose the second");
    return ok();
}

Status verify_dependencies(std::span<const PlannedDependency> dependencies) {
    std::vector<BundleId> ids;
    for (const PlannedDependency& dependency : dependencies) {
        FARDEL_TRY(verify_text("name of a dependency", dependency.name));
        FARDEL_TRY(verify_text("version of a dependency", dependency.version));
        ids.push_back(dependency.bundle);
    }
    std::ranges::sort(ids);
    // A foreign asset is found by its dependency, which must therefore have one number.
    const auto twice = std::ranges::adjacent_find(ids);
    if (twice != ids.end())
        return bad_plan("dependency " + twice->hex() + " is declared twice");
    return ok();
}

// Those who resolve the bundle run its patterns over all names (glob_set.h).
Status verify_pattern_bytes(const BundlePlan& plan) {
    std::size_t pattern_bytes = 0;
    for (const PlannedConsume& consume : plan.consumes)
        pattern_bytes += consume.pattern ? consume.text.size() : 0;
    if (pattern_bytes <= kGlobSetBytesMax)
        return ok();
    return Error(ErrorCode::limit, "the consumed patterns have " + std::to_string(pattern_bytes) +
                                       " bytes together, more than " + std::to_string(kGlobSetBytesMax));
}

}  // namespace

Status verify_consumes(const BundlePlan& plan) {
    std::unordered_map<std::string, const PlannedConsume*> consumed;
    for (const PlannedConsume& consume : plan.consumes) {
        if (Status status = consume.pattern ? verify_glob(consume.text) : verify_name(consume.text); !status)
            return std::move(status).error().with_context("consumed name " + quoted(consume.text));
        if (!consume.pattern)
            consumed.emplace(fold_name(consume.text), &consume);
    }
    if (consumed.empty())
        return ok();
    for (const PlannedName& name : plan.names) {
        // A tombstone hides the name, and an extension adds to another bundle's: neither provides what is consumed.
        if (name.variants.empty() || name.extends)
            continue;
        if (const auto own = consumed.find(fold_name(name.name.view())); own != consumed.end())
            return bad_plan("the bundle consumes " + quoted(own->second->text) +
                            ", which is in it; take the consume out");
    }
    return ok();
}

namespace {

// Must pass before anything is counted with 32 bits.
Status verify_counts(const BundlePlan& plan) {
    std::uint64_t variants = 0, tags = 0, references = 0, metadata = plan.metadata.size(),
                  creator_metadata = plan.creator_metadata.size();
    for (const PlannedName& name : plan.names) {
        variants += name.variants.size();
        for (const PlannedVariant& variant : name.variants)
            tags += variant.tags.size();
    }
    for (const PlannedAsset& asset : plan.assets) {
        references += asset.references.size();
        metadata += asset.metadata.size();
        creator_metadata += asset.creator_metadata.size();
    }
    FARDEL_TRY(verify_count(plan.assets.size(), limits::kAssetsMax, "assets"));
    FARDEL_TRY(verify_count(plan.names.size(), limits::kNamesMax, "names"));
    FARDEL_TRY(verify_count(plan.dependencies.size(), limits::kDependenciesMax, "dependencies"));
    FARDEL_TRY(verify_count(variants, kRecordsMax, "variants"));
    FARDEL_TRY(verify_count(tags, kRecordsMax, "tags"));
    FARDEL_TRY(verify_count(references, kRecordsMax, "references"));
    FARDEL_TRY(verify_count(metadata, kRecordsMax, "metadata entries"));
    FARDEL_TRY(verify_count(creator_metadata, kRecordsMax, "creators' metadata entries"));
    FARDEL_TRY(verify_count(plan.consumes.size(), kRecordsMax, "consumed names"));
    return ok();
}

}  // namespace

bool is_media_type(std::string_view text) {
    const auto is_part = [](std::string_view part) {
        return !part.empty() && part.size() <= kMediaTypePartBytesMax && is_ascii_letter_or_digit(part.front()) &&
               std::ranges::all_of(part, [](char c) {
                   return is_ascii_lower(c) || is_ascii_digit(c) ||
                          std::string_view("!#$&-^_.+").find(c) != std::string_view::npos;
               });
    };
    const auto slash = text.find('/');
    return slash != std::string_view::npos && is_part(text.substr(0, slash)) && is_part(text.substr(slash + 1));
}

std::string_view content_type_of(const PlannedAsset& asset) noexcept {
    return asset.content_type.empty() ? kContentTypeDefault : std::string_view(asset.content_type);
}

std::uint8_t piece_log2_of(const PlannedAsset& asset) noexcept {
    return static_cast<std::uint8_t>(asset.streamed ? limits::kStreamBlockLog2 : limits::kBlockLog2);
}

std::string label_of(const PlannedAsset& asset) { return "asset " + quoted(asset.key); }

Status verify_plan(const BundlePlan& plan) {
    FARDEL_TRY(verify_counts(plan));
    FARDEL_TRY(verify_dependencies(plan.dependencies));
    for (const PlannedAsset& asset : plan.assets)
        if (Status status = verify_asset(plan, asset); !status)
            return std::move(status).error().with_context(label_of(asset));
    for (const PlannedName& name : plan.names)
        if (Status status = verify_planned_name(plan, name); !status)
            return std::move(status).error().with_context("name " + quoted(name.name.view()));
    FARDEL_TRY(verify_consumes(plan));
    FARDEL_TRY(verify_pattern_bytes(plan));
    FARDEL_TRY(verify_metadata(plan.metadata));
    return verify_metadata(plan.creator_metadata);
}

}  // namespace fardel
