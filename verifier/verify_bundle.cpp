#include <fardel/verifier/verify_bundle.h>

#include "blocks/asset_labels.h"
#include "blocks/block_bytes.h"
#include "blocks/blocks.h"
#include "blocks/placements.h"
#include "checks/checks.h"
#include "tables/checked_heads.h"
#include "tables/checked_tables.h"
#include "tables/sections.h"
#include "tables/trailer.h"

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/statement.h>

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <utility>

namespace fardel {
namespace {

void check_manifest(const CheckedTables& tables, BundleStrings& texts, bool all_records_known,
                    std::optional<std::uint64_t> now_s, VerifyFindings& findings) {
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
    check_metadata(tables, TableKind::metadata, texts, now_s, findings);
    check_metadata(tables, TableKind::creator_metadata, texts, now_s, findings);
    if (all_records_known)
        texts.check_all_used(findings);
}

void count_tables(const CheckedHeads& heads, VerifyReport& report) {
    const auto count = [](const auto& head, TableKind kind) { return head ? head->count(kind) : 0; };
    using enum TableKind;
    report.bundle = heads.bundle;
    report.layout = heads.layout_id;
    report.manifest_bytes = heads.head ? heads.head->manifest_bytes : 0;
    report.layout_bytes = heads.layout ? heads.layout->layout_bytes : 0;
    report.assets = count(heads.head, assets);
    report.names = count(heads.head, names);
    report.variants = count(heads.head, variants);
    report.references = count(heads.head, references);
    report.consumes = count(heads.head, consumes);
    report.dependencies = count(heads.head, dependencies);
    report.blocks = count(heads.layout, blocks);
}

// What the bundle's own metadata say about it, as it is in the file.
struct OwnName {
    std::string_view name;
    std::string_view version;
    std::optional<std::int64_t> expires_s;
    std::optional<std::string_view> license;  // it requires a licence token; empty: without a text for people
};

OwnName find_own_name(const CheckedTables& tables, const BundleStrings& texts) {
    OwnName own;
    for (std::uint64_t i = tables.count(TableKind::metadata); i-- > 0;) {
        const auto record = tables.find<MetadataRecord>(i);
        if (!record || record->subject != kBundleSubject)
            break;  // the bundle's own metadata come last
        const auto key = texts.find(record->key);
        const auto value = record->kind == MetadataKind::text ? texts.find(record->value) : std::nullopt;
        if (key == "name" && value && own.name.empty())
            own.name = *value;
        if (key == "version" && value && own.version.empty())
            own.version = *value;
        if (key == "expires" && record->kind == MetadataKind::integer && !own.expires_s)
            own.expires_s = std::bit_cast<std::int64_t>(record->value);
        if (key == "license-token" && (record->kind != MetadataKind::boolean || record->value != 0))
            own.license = value.value_or("");
    }
    return own;
}

// Fills in the sums, and the name and version from the metadata.
void describe(const CheckedTables& tables, const OwnName& own, VerifyReport& report) {
    using enum TableKind;
    for (std::uint64_t i = 0; i < tables.count(assets); ++i)
        if (const auto asset = tables.find<AssetRecord>(i))
            report.raw_bytes += std::min(asset->raw_bytes, UINT64_MAX - report.raw_bytes);
    for (std::uint64_t i = 0; i < tables.count(blocks); ++i)
        if (const auto block = tables.find<BlockRecord>(i))
            report.stored_bytes += block->stored_bytes;
    for (std::uint64_t i = 0; i < tables.count(names); ++i)
        if (const auto name = tables.find<NameRecord>(i); name && name->is(NameRecord::published))
            ++report.published;
    report.name = printable(own.name);
    report.version = printable(own.version);
}

// Checks the published names against the rule of the policy that accepted the bundle.
void check_scope(const CheckedTables& tables, const BundleStrings& texts, const NameScope& scope,
                 VerifyFindings& findings) {
    for (std::uint64_t i = 0; i < tables.count(TableKind::names); ++i) {
        const auto name = tables.find<NameRecord>(i);
        const auto text = name && name->is(NameRecord::published) ? texts.find(name->text) : std::nullopt;
        if (text && !scope.may_publish(*text))
            findings.add(VerifierRule::name_not_allowed, record_location(TableKind::names, i),
                         quoted(*text) + " is published; " + scope.describe() +
                             ", so it is not visible. Add publish=PATTERN to the rule to allow it");
    }
}

// Adds a finding for each token that is about something else.
void check_other_licenses(std::span<const Envelope> tokens, const BundleIdentity& bundle, VerifyFindings& findings) {
    for (const Envelope& envelope : tokens)
        if (const auto token = license_token_of(envelope); token && !token->is_about(bundle.bundle, bundle.name))
            findings.add(VerifierRule::license_of_another_bundle, "metadata",
                         token->pattern.empty() ? "a license token is about bundle " + token->bundle.hex()
                                                : "a license token is about bundles named " + quoted(token->pattern));
}

// Checks what a mount checks: whether one of the tokens permits the use of the bundle.
void check_license(const OwnName& own, const BundleIdentity& bundle, const VerifyOptions& options,
                   VerifyFindings& findings) {
    if (!own.license || (options.policy != nullptr && options.policy->rules().unlicensed_allowed))
        return;
    const std::string shown = own.license->empty() ? "" : "; the bundle says: " + printable(*own.license);
    if (options.policy == nullptr || options.licenses == nullptr) {
        findings.add(VerifierRule::license_required, "metadata",
                     "it is mounted only with a license token that a trust policy accepts" + shown);
        return;
    }
    const Status permitted = options.policy->verify_license(*options.licenses, bundle, options.time.now_s());
    if (permitted)
        return;
    const ErrorCode code = permitted.error().code();
    const VerifierRule rule = code == ErrorCode::missing   ? VerifierRule::license_missing
                              : code == ErrorCode::expired ? VerifierRule::license_ended
                                                           : VerifierRule::license_refused;
    findings.add(rule, "metadata", Error(code, permitted.error().message() + shown));
    check_other_licenses(*options.licenses, bundle, findings);
}

std::optional<BundleFacts> bundle_facts(const CheckedHeads& heads, const CheckedTables& tables, const OwnName& own,
                                        const VerifyReport& report) {
    if (!heads.bundle || !heads.layout_id)
        return std::nullopt;
    BundleFacts facts;
    facts.identity = {.bundle = *heads.bundle,
                      .layout = *heads.layout_id,
                      .name = std::string(own.name),
                      .version = std::string(own.version)};
    facts.is_named = tables[TableKind::metadata].whole() && tables[TableKind::strings].whole();
    facts.manifest_bytes = heads.head->manifest_bytes;
    if (tables[TableKind::assets].whole())
        facts.raw_bytes = report.raw_bytes;
    if (tables[TableKind::blocks].whole())
        facts.stored_bytes = report.stored_bytes;
    return facts;
}

// Checks everything that is found by means of the layout head. Returns false if stopped.
bool check_behind_heads(const ByteSource& source, const CheckedHeads& heads, const VerifyOptions& options,
                        VerifyReport& report, VerifyFindings& findings) {
    const std::optional<std::uint64_t> now_s = options.time.now_s();
    const LayoutHead& layout = *heads.layout;
    const BundleHead* head = heads.head ? &*heads.head : nullptr;
    check_sections(head, layout, source.size_bytes(), findings);
    if (head)
        check_section_gaps(source, *head, layout, findings);

    const CheckedTables tables = CheckedTables::read(source, head, layout, options.table_bytes_max, findings);
    if (findings.has(VerifierRule::tables_too_large))
        return true;
    const bool all_records_known = tables.check_records(findings);
    BundleStrings texts(tables, findings);
    if (head) {
        check_name_placements(tables, texts, options.placements, findings);
        check_manifest(tables, texts, all_records_known, now_s, findings);
    }
    const OwnName own = find_own_name(tables, texts);
    describe(tables, own, report);

    const auto placed_assets = head ? check_placements(tables, findings) : std::vector<PlacedAsset>();
    const auto readable = check_blocks(tables, layout, placed_assets, head != nullptr, findings);
    const AssetLabels labels(tables, texts);
    std::optional<AssetClasses> classes;
    if (options.policy != nullptr && head)
        classes.emplace(tables, texts);
    const BlockBytesTotals contents = check_block_bytes(
        {{source, layout, tables, placed_assets}, readable, labels, classes ? &*classes : nullptr}, options, findings);
    report.raw_bytes_proved = contents.raw_bytes_proved;

    TrailerSummary trailer =
        check_trailer(source, layout.trailer_offset, bundle_facts(heads, tables, own, report), options, findings);
    report.envelopes = trailer.envelopes;
    report.signatures = trailer.signatures;
    report.verdict = std::move(trailer.verdict);
    if (report.verdict && report.verdict->rule)
        if (const auto scope = find_name_scope(*report.verdict->rule))
            check_scope(tables, texts, *scope, findings);
    if (report.verdict && classes)
        // Bytes decide about classes of content, and not only names (tests/ATTACKS.md, A137).
        classes->check(report.verdict->brings, labels, findings);
    if (options.policy != nullptr && !options.policy->rules().expired_content_allowed && own.expires_s && now_s &&
        std::cmp_less_equal(*own.expires_s, *now_s))
        findings.add(VerifierRule::trust_refused, "metadata",
                     Error(ErrorCode::expired,
                           "its content has expired, and the policy has no line \"expired-content "
                           "allow\": it cannot be mounted"));
    if (const auto facts = bundle_facts(heads, tables, own, report))
        check_license(own, facts->identity, options, findings);
    return !contents.stopped;
}

}  // namespace

Result<VerifyReport> verify_bundle(std::shared_ptr<const ByteSource> source, const VerifyOptions& options) {
    VerifyReport report;
    report.file_bytes = source->size_bytes();
    VerifyFindings findings(options.findings_max);

    const CheckedHeads heads = read_heads(*source, findings);
    check_heads(heads, findings);
    count_tables(heads, report);
    const bool done = !heads.layout || check_behind_heads(*source, heads, options, report, findings);
    if (!done || options.stop.stop_requested())
        return Error(ErrorCode::cancelled, "the verification was stopped");

    findings.take_into(report);
    return report;
}

}  // namespace fardel
