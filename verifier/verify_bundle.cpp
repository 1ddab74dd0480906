#include <fardel/verifier/verify_bundle.h>

#include "blocks/asset_labels.h"
#include "blocks/block_bytes.h"
#include "blocks/blocks.h"
#include "blocks/placements.h"
#include "checks/checks.h"
#include "checks/mount_conditions.h"
#include "tables/checked_heads.h"
#include "tables/checked_tables.h"
#include "tables/sections.h"
#include "tables/trailer.h"

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <string>

namespace fardel {
namespace {

// ---- Facts ----------------------------------------------------------------------------------------------------------

VerifiedCounts counts_of(const CheckedHeads& heads) {
    const auto count = [](const auto& head, TableKind kind) { return head ? head->count(kind) : 0; };
    using enum TableKind;
    return {.assets = count(heads.head, assets),
            .names = count(heads.head, names),
            .published = 0,  // is counted when the names are known
            .variants = count(heads.head, variants),
            .references = count(heads.head, references),
            .consumes = count(heads.head, consumes),
            .dependencies = count(heads.head, dependencies),
            .blocks = count(heads.layout, blocks)};
}

std::uint64_t count_published(const CheckedTables& tables) {
    std::uint64_t published = 0;
    for (std::uint64_t i = 0; i < tables.count(TableKind::names); ++i)
        if (const auto name = tables.find<NameRecord>(i); name && name->is(NameRecord::published))
            ++published;
    return published;
}

// Saturates, because hostile records may state any sizes.
template <class Record, class Bytes>
std::uint64_t sum_of(const CheckedTables& tables, Bytes Record::*bytes) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < tables.count(Record::kTable); ++i)
        if (const auto record = tables.find<Record>(i))
            sum += std::min<std::uint64_t>((*record).*bytes, UINT64_MAX - sum);
    return sum;
}

// What statements and tokens about the bundle must claim; nothing if a head is unreadable.
std::optional<BundleFacts> find_facts(const CheckedHeads& heads, const CheckedTables& tables, const OwnMetadata& own,
                                      const VerifiedSizes& sizes) {
    if (!heads.bundle || !heads.layout_id)
        return std::nullopt;
    BundleFacts facts;
    facts.identity = {.bundle = *heads.bundle,
                      .layout = *heads.layout_id,
                      .name = std::string(own.name),
                      .version = std::string(own.version)};
    facts.is_named = tables[TableKind::metadata].is_complete() && tables[TableKind::strings].is_complete();
    facts.manifest_bytes = sizes.manifest_bytes;
    if (tables[TableKind::assets].is_complete())
        facts.raw_bytes = sizes.raw_bytes;
    if (tables[TableKind::blocks].is_complete())
        facts.stored_bytes = sizes.stored_bytes;
    return facts;
}

// ---- Stages ---------------------------------------------------------------------------------------------------------

// Reads all tables; nothing if the layout head is unknown or the tables are too large.
std::optional<CheckedTables> read_tables(const ByteSource& source, const CheckedHeads& heads,
                                         const VerifyOptions& options, VerifyFindings& findings) {
    if (!heads.layout)
        return std::nullopt;
    const BundleHead* head = heads.head ? &*heads.head : nullptr;
    check_sections(head, *heads.layout, source.size_bytes(), findings);
    if (head)
        check_section_gaps(source, *head, *heads.layout, findings);
    CheckedTables tables = CheckedTables::read(source, head, *heads.layout, options.table_bytes_max, findings);
    if (findings.has(VerifierRule::tables_too_large))
        return std::nullopt;
    return tables;
}

void check_manifest(const CheckedTables& tables, BundleStrings& texts, bool all_records_known,
                    std::optional<UnixTime> now, VerifyFindings& findings) {
    check_assets(tables, texts, findings);
    check_asset_buckets(tables, findings);
    check_names(tables, texts, findings);
    const std::vector<HashedName> hashed = hash_names(tables, texts);
    check_name_collisions(tables, texts, hashed, findings);
    check_name_look_up(tables, hashed, findings);
    check_variants(tables, texts, findings);
    check_references(tables, texts, findings);
    check_consumes(tables, texts, findings);
    check_dependencies(tables, texts, findings);
    check_metadata(tables, TableKind::metadata, texts, now, findings);
    check_metadata(tables, TableKind::creator_metadata, texts, now, findings);
    if (all_records_known)
        texts.check_all_used(findings);
}

// Checks everything that the tables describe, and adds to `report` what is known only from them.
void check_behind_heads(const ByteSource& source, const CheckedHeads& heads, const CheckedTables& tables,
                        const VerifyOptions& options, VerifyReport& report, VerifyFindings& findings) {
    const std::optional<UnixTime> now = options.time.now();
    const bool has_manifest = heads.head.has_value();
    const bool all_records_known = tables.check_records(findings);
    BundleStrings texts(tables, findings);
    if (has_manifest) {
        check_name_placements(tables, texts, options.placements, findings);
        check_manifest(tables, texts, all_records_known, now, findings);
    }
    const OwnMetadata own = find_own_metadata(tables, texts);
    report.bundle.name = printable(own.name);
    report.bundle.version = printable(own.version);
    report.counts.published = count_published(tables);
    report.sizes.raw_bytes = sum_of(tables, &AssetRecord::raw_bytes);
    report.sizes.stored_bytes = sum_of(tables, &BlockRecord::stored_bytes);

    const auto placed_assets = has_manifest ? check_placements(tables, findings) : std::vector<PlacedAsset>();
    const auto readable = check_blocks(tables, *heads.layout, placed_assets, has_manifest, findings);
    const AssetLabels labels(tables, texts);
    std::optional<AssetClasses> classes;
    if (options.policy != nullptr && has_manifest)
        classes.emplace(tables, texts);
    report.sizes.raw_bytes_proved = check_block_bytes(
        {{source, *heads.layout, tables, placed_assets}, readable, labels, classes ? &*classes : nullptr}, options,
        findings);

    const std::optional<BundleFacts> facts = find_facts(heads, tables, own, report.sizes);
    report.trailer = check_trailer(source, heads.layout->trailer_offset, facts, options, findings);
    const std::optional<TrustVerdict>& verdict = report.trailer.verdict;
    if (const auto scope = verdict && verdict->rule ? find_name_scope(*verdict->rule) : std::nullopt)
        check_scope(tables, texts, *scope, findings);
    if (verdict && classes)
        // Bytes decide about classes of content, and not only names (tests/ATTACKS.md, A137).
        classes->check(verdict->brings, labels, findings);
    check_expiry(own, options.policy, now, findings);
    if (facts)
        check_license(own, facts->identity, options, now, findings);
}

}  // namespace

Result<VerifyReport> verify_bundle(std::shared_ptr<const ByteSource> source, const VerifyOptions& options) {
    VerifyFindings findings(options.findings_max);
    const CheckedHeads heads = read_heads(*source, findings);
    check_heads(heads, findings);
    VerifyReport report;
    report.bundle.id = heads.bundle;
    report.bundle.layout = heads.layout_id;
    report.counts = counts_of(heads);
    report.sizes.file_bytes = source->size_bytes();
    report.sizes.manifest_bytes = heads.head ? heads.head->manifest_bytes : 0;
    report.sizes.layout_bytes = heads.layout ? heads.layout->layout_bytes : 0;
    if (const auto tables = read_tables(*source, heads, options, findings))
        check_behind_heads(*source, heads, *tables, options, report, findings);
    if (options.stop.stop_requested())
        return Error(ErrorCode::cancelled, "the verification was stopped");
    report.found = findings.counts();
    report.findings = findings.take();
    return report;
}

}  // namespace fardel
