#include "plan_digest.h"

#include "text/record_bytes.h"

#include <fardel/format/hash.h>

#include <bit>
#include <cassert>
#include <span>

namespace fardel {
namespace {

void write(RecordWriter& writer, const std::vector<PlannedMetadata>& metadata) {
    writer.number(metadata.size());
    for (const PlannedMetadata& item : metadata) {
        writer.text(item.key);
        writer.number(item.value.index());
        if (const auto* text = std::get_if<std::string>(&item.value))
            writer.text(*text);
        else if (const auto* number = std::get_if<double>(&item.value))
            writer.number(std::bit_cast<std::uint64_t>(*number));
        else if (const auto* integer = std::get_if<std::int64_t>(&item.value))
            writer.number(static_cast<std::uint64_t>(*integer));
        else
            writer.number(std::get<bool>(item.value));
    }
}

void write(RecordWriter& writer, const PlannedReference& reference) {
    writer.text(reference.spelling);
    writer.number(reference.target.index() * 2 + reference.optional);
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
    writer.number(asset.references.size());
    for (const PlannedReference& reference : asset.references)
        write(writer, reference);
    write(writer, asset.metadata);
    write(writer, asset.creator_metadata);
}

void write(RecordWriter& writer, const PlannedName& name) {
    writer.text(name.name.view());
    writer.number((name.published ? 1u : 0u) + (name.extends ? 2u : 0u));
    writer.number(name.variants.size());
    for (const PlannedVariant& variant : name.variants) {
        writer.number(variant.asset);
        writer.number(variant.tags.size());
        for (const auto& tag : variant.tags) {
            writer.text(tag.first);
            writer.text(tag.second);
        }
    }
}

}  // namespace

Hash plan_digest(const BundlePlan& plan) {
    RecordWriter writer;
    writer.number(plan.assets.size());
    for (const PlannedAsset& asset : plan.assets)
        write(writer, asset);
    writer.number(plan.names.size());
    for (const PlannedName& name : plan.names)
        write(writer, name);
    writer.number(plan.consumes.size());
    for (const PlannedConsume& consume : plan.consumes) {
        writer.text(consume.text);
        writer.number((consume.pattern ? 1u : 0u) + (consume.optional ? 2u : 0u));
    }
    writer.number(plan.dependencies.size());
    for (const PlannedDependency& dependency : plan.dependencies) {
        writer.id(dependency.bundle);
        writer.text(dependency.name);
        writer.text(dependency.version);
        writer.number(dependency.is_static);
    }
    write(writer, plan.metadata);
    write(writer, plan.creator_metadata);
    return blake3(std::as_bytes(std::span(writer.bytes())));
}

}  // namespace fardel
