#include "plan_digest.h"

#include "text/record_fields.h"

#include <cassert>
#include <span>

namespace fardel {
namespace {

void write(RecordWriter& writer, std::span<const PlannedMetadata> metadata) {
    writer.list(metadata, [&](const PlannedMetadata& item) {
        writer.text(item.key);
        writer.variant(item.value);
    });
}

void write(RecordWriter& writer, const PlannedReference& reference) {
    writer.text(reference.spelling);
    writer.number(reference.target.index() * 2 + reference.optional);
    writer.text(reference.name);
    if (const auto* internal = std::get_if<PlannedReference::Internal>(&reference.target)) {
        writer.number(internal->asset);
    } else if (const auto* foreign = std::get_if<PlannedReference::Foreign>(&reference.target)) {
        writer.id(foreign->asset);
        writer.number(foreign->dependency);
    } else {
        writer.text(std::get<PlannedReference::Dynamic>(reference.target).name);
    }
}

void write(RecordWriter& writer, const PlannedAsset& asset) {
    assert(asset.known);
    writer.id(asset.known->asset);
    writer.text(asset.key);
    writer.text(asset.content_type);
    writer.number(asset.streamed);
    writer.number(asset.rank ? std::uint64_t{*asset.rank} + 1 : 0);
    writer.number(asset.purpose ? static_cast<std::uint64_t>(*asset.purpose) + 1 : 0);
    writer.list(asset.references, [&](const PlannedReference& reference) { write(writer, reference); });
    write(writer, asset.metadata);
    write(writer, asset.creator_metadata);
}

void write(RecordWriter& writer, const PlannedName& name) {
    writer.text(name.name.view());
    writer.number((name.published ? 1u : 0u) + (name.extends ? 2u : 0u));
    writer.list(name.variants, [&](const PlannedVariant& variant) {
        writer.number(variant.asset);
        writer.list(variant.tags, [&](const Tag& tag) {
            writer.text(tag.axis);
            writer.text(tag.value);
        });
    });
}

}  // namespace

Hash plan_digest(const BundlePlan& plan) {
    RecordWriter writer;
    writer.list(plan.assets, [&](const PlannedAsset& asset) { write(writer, asset); });
    writer.list(plan.names, [&](const PlannedName& name) { write(writer, name); });
    writer.list(plan.consumes, [&](const PlannedConsume& consume) {
        writer.text(consume.text);
        writer.number((consume.pattern ? 1u : 0u) + (consume.optional ? 2u : 0u));
    });
    writer.list(plan.dependencies, [&](const PlannedDependency& dependency) {
        writer.id(dependency.bundle);
        writer.text(dependency.name);
        writer.text(dependency.version);
        writer.number(dependency.is_static);
    });
    write(writer, plan.metadata);
    write(writer, plan.creator_metadata);
    return writer.digest();
}

}  // namespace fardel
