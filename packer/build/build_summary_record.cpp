#include "build_summary_record.h"

#include <array>
#include <bit>
#include <optional>
#include <utility>

namespace fardel {
namespace {

// ---- Lists ----------------------------------------------------------------------------------------------------------

template <class Item, class Write>
void write_list(RecordWriter& writer, const std::vector<Item>& items, Write write) {
    writer.number(items.size());
    for (const Item& item : items)
        write(item);
}

// Each item takes at least eight bytes, the size of one length.
template <class Item, class Read>
std::vector<Item> read_list(RecordReader& reader, Read read) {
    std::vector<Item> items;
    for (std::uint64_t left = reader.count(8); left > 0; --left)
        if (std::optional<Item> item = read())
            items.push_back(*std::move(item));
    return items;
}

void write_texts(RecordWriter& writer, const std::vector<std::string>& texts) {
    write_list(writer, texts, [&](const std::string& text) { writer.text(text); });
}

std::vector<std::string> read_texts(RecordReader& reader) {
    return read_list<std::string>(reader, [&] { return std::optional(reader.text()); });
}

bool read_flag(RecordReader& reader, bool& good) {
    const std::uint64_t flag = reader.number();
    good = good && flag <= 1;
    return flag == 1;
}

// ---- Bundles --------------------------------------------------------------------------------------------------------

// The numbers of a WriteSummary, in the order of the record.
constexpr std::array kFigures = {&WriteSummary::assets,          &WriteSummary::names,     &WriteSummary::duplicates,
                                 &WriteSummary::duplicate_bytes, &WriteSummary::raw_bytes, &WriteSummary::stored_bytes,
                                 &WriteSummary::manifest_bytes,  &WriteSummary::blocks,    &WriteSummary::copied_blocks,
                                 &WriteSummary::file_bytes};

void write_bundle_of(RecordWriter& writer, const BuiltBundle& bundle) {
    for (const std::string* const text : {&bundle.path, &bundle.name, &bundle.version})
        writer.text(*text);
    writer.id(bundle.written.bundle);
    writer.id(bundle.written.layout);
    for (const auto figure : kFigures)
        writer.number(bundle.written.*figure);
    writer.number(bundle.signed_by ? 1 : 0);
    if (bundle.signed_by)
        writer.id(*bundle.signed_by);
    writer.number(std::bit_cast<std::uint64_t>(bundle.seconds));
}

BuiltBundle read_bundle_of(RecordReader& reader, bool& good) {
    BuiltBundle bundle;
    for (std::string* const text : {&bundle.path, &bundle.name, &bundle.version})
        *text = reader.text();
    bundle.written.bundle = reader.id<BundleId>();
    bundle.written.layout = reader.id<LayoutId>();
    for (const auto figure : kFigures)
        bundle.written.*figure = reader.number();
    if (read_flag(reader, good))
        bundle.signed_by = reader.id<PublicKey>();
    bundle.seconds = std::bit_cast<double>(reader.number());
    return bundle;
}

// ---- The scan's report ----------------------------------------------------------------------------------------------

void write_scan(RecordWriter& writer, const ScanReport& scan) {
    write_list(writer, scan.refused, [&](const RefusedName& refused) {
        writer.text(refused.printable_name);
        writer.text(refused.origin);
        writer.number(static_cast<std::uint64_t>(refused.reason.code()));
        writer.text(refused.reason.message());
    });
    write_list(writer, scan.overridden, [&](const OverriddenName& hidden) {
        writer.text(hidden.name.view());
        writer.text(hidden.origin);
        writer.text(hidden.by_name.view());
        writer.text(hidden.by_origin);
    });
    write_list(writer, scan.excluded, [&](const ExcludedName& excluded) {
        writer.text(excluded.name);
        writer.text(excluded.origin);
        writer.text(excluded.pattern);
    });
}

ScanReport read_scan(RecordReader& reader, bool& good) {
    ScanReport scan;
    scan.refused = read_list<RefusedName>(reader, [&]() -> std::optional<RefusedName> {
        std::string name = reader.text();
        std::string origin = reader.text();
        const std::uint64_t code = reader.number();
        std::string message = reader.text();
        good = good && code <= static_cast<std::uint64_t>(ErrorCode::cancelled);
        return RefusedName{.printable_name = std::move(name),
                           .origin = std::move(origin),
                           .reason = Error(good ? static_cast<ErrorCode>(code) : ErrorCode::malformed, message)};
    });
    scan.overridden = read_list<OverriddenName>(reader, [&]() -> std::optional<OverriddenName> {
        auto name = AssetName::parse(reader.text());
        std::string origin = reader.text();
        auto by_name = AssetName::parse(reader.text());
        std::string by_origin = reader.text();
        good = good && name && by_name;
        if (!good)
            return std::nullopt;
        return OverriddenName{.name = *std::move(name),
                              .origin = std::move(origin),
                              .by_name = *std::move(by_name),
                              .by_origin = std::move(by_origin)};
    });
    scan.excluded = read_list<ExcludedName>(reader, [&] {
        std::string name = reader.text();
        std::string origin = reader.text();
        return std::optional(
            ExcludedName{.name = std::move(name), .origin = std::move(origin), .pattern = reader.text()});
    });
    return scan;
}

// ---- References -----------------------------------------------------------------------------------------------------

void write_references(RecordWriter& writer, const ReferenceSummary& references) {
    writer.number(references.references);
    writer.number(references.resolved);
    writer.number(references.rewritten);
    write_list(writer, references.missing, [&](const MissingReference& missing) {
        writer.text(missing.from);
        writer.text(missing.reference.spelling);
        writer.number(static_cast<std::uint64_t>(missing.reference.use));
        writer.number(missing.reference.line);
        write_texts(writer, missing.tried);
    });
    write_list(writer, references.broken, [&](const BrokenAsset& broken) {
        writer.text(broken.name);
        writer.text(broken.reason);
    });
    write_texts(writer, references.idle_patterns);
}

ReferenceSummary read_references(RecordReader& reader, bool& good) {
    ReferenceSummary references;
    references.references = reader.number();
    references.resolved = reader.number();
    references.rewritten = reader.number();
    references.missing = read_list<MissingReference>(reader, [&] {
        MissingReference missing{.from = reader.text()};
        missing.reference.spelling = reader.text();
        const std::uint64_t use = reader.number();
        good = good && use <= static_cast<std::uint64_t>(kReferenceUseLast);
        missing.reference.use = good ? static_cast<ReferenceUse>(use) : ReferenceUse::file;
        const std::uint64_t line = reader.number();
        good = good && line <= UINT32_MAX;
        missing.reference.line = static_cast<std::uint32_t>(line);
        missing.tried = read_texts(reader);
        return std::optional(std::move(missing));
    });
    references.broken = read_list<BrokenAsset>(reader, [&] {
        std::string name = reader.text();
        return std::optional(BrokenAsset{.name = std::move(name), .reason = reader.text()});
    });
    references.idle_patterns = read_texts(reader);
    return references;
}

}  // namespace

void write_summary(RecordWriter& writer, const BuildSummary& summary) {
    write_list(writer, summary.bundles, [&](const BuiltBundle& bundle) { write_bundle_of(writer, bundle); });
    write_scan(writer, summary.scan);
    write_texts(writer, summary.idle_rules);
    writer.number(summary.references ? 1 : 0);
    if (summary.references)
        write_references(writer, *summary.references);
}

BuildSummary read_summary(RecordReader& reader, bool& good) {
    good = true;
    BuildSummary summary;
    summary.bundles = read_list<BuiltBundle>(reader, [&] { return std::optional(read_bundle_of(reader, good)); });
    summary.scan = read_scan(reader, good);
    summary.idle_rules = read_texts(reader);
    if (read_flag(reader, good))
        summary.references = read_references(reader, good);
    return summary;
}

}  // namespace fardel
