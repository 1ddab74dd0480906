#include "plan_digest.h"

#include <fardel/base/byte_writer.h>
#include <fardel/format/hash.h>

#include <bit>
#include <cassert>
#include <span>

namespace fardel {
namespace {

void write(ByteWriter& writer, const std::vector<PlannedMetadata>& metadata) {
    writer.u64(metadata.size());
    for (const PlannedMetadata& item : metadata) {
        writer.sized_text<std::uint64_t>(item.key);
        writer.u64(item.value.index());
        if (const auto* text = std::get_if<std::string>(&item.value))
            writer.sized_text<std::uint64_t>(*text);
        else if (const auto* number = std::get_if<double>(&item.value))
            writer.u64(std::bit_cast<std::uint64_t>(*number));
        else if (const auto* integer = std::get_if<std::int64_t>(&item.value))
            writer.u64(static_cast<std::uint64_t>(*integer));
        else
            writer.u64(std::get<bool>(item.value));
    }
}

void write(ByteWriter& writer, const PlannedReference& reference) {
    writer.sized_text<std::uint64_t>(reference.spelling);
    writer.u64(reference.target.index() * 2 + reference.optional);
    if (const auto* internal = std::get_if<PlannedReference::Internal>(&reference.target)) {
        writer.u64(internal->asset);
    } else if (const auto* foreign = std::get_if<PlannedReference::Foreign>(&reference.target)) {
        writer.fixed(foreign->asset);
        writer.u64(foreign->dependency);
    } else {
        writer.sized_text<std::uint64_t>(std::get<PlannedReference::Dynamic>(reference.target).name);
    }
}

void write(ByteWriter& writer, const PlannedAsset& asset) {
    assert(asset.known);
    writer.fixed(asset.known->asset);
    writer.sized_text<std::uint64_t>(asset.key);
    writer.sized_text<std::uint64_t>(asset.content_type);
    writer.u64(asset.streamed);
    writer.u64(asset.references.size());
    for (const PlannedReference& reference : asset.references)
        write(writer, reference);
    write(writer, asset.metadata);
    write(writer, asset.creator_metadata);
}

void write(ByteWriter& writer, const PlannedName& name) {
    writer.sized_text<std::uint64_t>(name.name.view());
    writer.u64((name.published ? 1u : 0u) + (name.extends ? 2u : 0u));
    writer.u64(name.variants.size());
    for (const PlannedVariant& variant : name.variants) {
        writer.u64(variant.asset);
        writer.u64(variant.tags.size());
        for (const auto& tag : variant.tags) {
            writer.sized_text<std::uint64_t>(tag.axis);
            writer.sized_text<std::uint64_t>(tag.value);
        }
    }
}

}  // namespace

Hash plan_digest(const BundlePlan& plan) {
    ByteWriter writer;
    writer.u64(plan.assets.size());
    for (const PlannedAsset& asset : plan.assets)
        write(writer, asset);
    writer.u64(plan.names.size());
    for (const PlannedName& name : plan.names)
        write(writer, name);
    writer.u64(plan.consumes.size());
    for (const PlannedConsume& consume : plan.consumes) {
        writer.sized_text<std::uint64_t>(consume.text);
        writer.u64((consume.pattern ? 1u : 0u) + (consume.optional ? 2u : 0u));
    }
    writer.u64(plan.dependencies.size());
    for (const PlannedDependency& dependency : plan.dependencies) {
        writer.fixed(dependency.bundle);
        writer.sized_text<std::uint64_t>(dependency.name);
        writer.sized_text<std::uint64_t>(dependency.version);
        writer.u64(dependency.is_static);
    }
    write(writer, plan.metadata);
    write(writer, plan.creator_metadata);
    return blake3(writer.bytes());
}

}  // namespace fardel
