#include "build_summary_record.h"

#include <array>

namespace fardel {
namespace {

// The numbers of a BundleWriteSummary, in the order of the record.
constexpr std::array kFigures = {&BundleWriteSummary::assets,         &BundleWriteSummary::names,
                                 &BundleWriteSummary::duplicates,     &BundleWriteSummary::duplicate_bytes,
                                 &BundleWriteSummary::raw_bytes,      &BundleWriteSummary::stored_bytes,
                                 &BundleWriteSummary::manifest_bytes, &BundleWriteSummary::blocks,
                                 &BundleWriteSummary::copied_blocks,  &BundleWriteSummary::file_bytes};

void bundle_fields(auto& record, auto& bundle) {
    for (auto* const text : {&bundle.path, &bundle.name, &bundle.version})
        record.text(*text);
    record.id(bundle.written.bundle);
    record.id(bundle.written.layout);
    for (const auto figure : kFigures)
        record.number(bundle.written.*figure);
    record.list(
        bundle.written.block_purposes, [&](auto& purpose) { record.compact(purpose); }, 1);
    record.optional(bundle.signed_by, [&](auto& key) { record.id(key); });
    record.number(bundle.seconds);
}

// ---- The scan's report ----------------------------------------------------------------------------------------------

void name_field(RecordWriter& record, const AssetName& name) { record.text(name.view()); }

void name_field(RecordReader& record, AssetName& name) {
    if (auto parsed = AssetName::parse(record.text()))
        name = *std::move(parsed);
    else
        record.fail();
}

void error_fields(RecordWriter& record, const Error& error) {
    record.number(error.code());
    record.text(error.message());
}

void error_fields(RecordReader& record, Error& error) {
    ErrorCode code{};
    record.number(code, ErrorCode::cancelled);
    error = Error(code, record.text());
}

void scan_report_fields(auto& record, auto& scan) {
    const RefusedName refused_initially{.printable_name = {}, .origin = {}, .reason = Error(ErrorCode::malformed, "")};
    const auto refused_fields = [&](auto& refused) {
        record.text(refused.printable_name);
        record.text(refused.origin);
        error_fields(record, refused.reason);
    };
    record.list(scan.refused, refused_fields, 32, refused_initially);

    const AssetName any = *AssetName::parse("any");
    const auto overridden_fields = [&](auto& hidden) {
        name_field(record, hidden.name);
        record.text(hidden.origin);
        name_field(record, hidden.by_name);
        record.text(hidden.by_origin);
        record.number(hidden.same_source, true);
    };
    record.list(scan.overridden, overridden_fields, 32,
                OverriddenName{.name = any, .origin = {}, .by_name = any, .by_origin = {}});

    record.list(scan.excluded, [&](auto& excluded) {
        record.text(excluded.name);
        record.text(excluded.origin);
        record.text(excluded.pattern);
    });

    const auto renamed_fields = [&](auto& renamed) {
        record.text(renamed.printable_name);
        record.text(renamed.origin);
        name_field(record, renamed.name);
    };
    record.texts(scan.remarks);
    record.list(scan.renamed, renamed_fields, 32, RenamedFile{.printable_name = {}, .origin = {}, .name = any});
}

// ---- References -----------------------------------------------------------------------------------------------------

void reference_report_fields(auto& record, auto& references) {
    record.number(references.references);
    record.number(references.resolved);
    record.number(references.rewritten);
    const auto missing_fields = [&](auto& missing) {
        record.text(missing.from);
        record.text(missing.reference.spelling);
        record.number(missing.reference.use, kReferenceUseLast);
        record.number(missing.reference.line);
        record.texts(missing.tried);
        record.text(missing.why_not_tried);
        record.text(missing.why_soft);
    };
    record.list(references.missing, missing_fields);
    record.list(references.soft, missing_fields);
    record.list(references.broken, [&](auto& broken) {
        record.text(broken.name);
        record.text(broken.reason);
        record.number(broken.kind, kBrokenKindLast);
        record.text(broken.why_soft);
    });
    record.list(references.respelled, [&](auto& respelled) {
        record.text(respelled.from);
        record.text(respelled.reference.spelling);
        record.number(respelled.reference.use, kReferenceUseLast);
        record.number(respelled.reference.line);
        record.text(respelled.name);
    });
    record.texts(references.idle_patterns);
}

void fields(auto& record, auto& summary) {
    record.list(summary.bundles, [&](auto& bundle) { bundle_fields(record, bundle); });
    scan_report_fields(record, summary.scan);
    record.texts(summary.idle_rules);
    record.texts(summary.names_not_chosen);
    record.optional(summary.references, [&](auto& references) { reference_report_fields(record, references); });
}

}  // namespace

void summary_fields(RecordWriter& record, const BuildSummary& summary) { fields(record, summary); }

void summary_fields(RecordReader& record, BuildSummary& summary) { fields(record, summary); }

}  // namespace fardel
