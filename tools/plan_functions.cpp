// The functions of fardel_tools.h that write a bundle from memory.

#include "signers.h"
#include "written_bundle.h"

#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/limits.h>
#include <fardel/format/tag.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

struct fardel_plan {
    fardel::BundlePlan plan;
    std::unordered_map<std::string, std::size_t> names;  // their indexes in `plan.names`
};

namespace fardel::c {
namespace {

constexpr std::size_t kPlannedAssetBytesLeast = offsetof(fardel_planned_asset, flags) + sizeof(std::uint32_t);
constexpr std::size_t kPlannedReferenceBytesLeast = offsetof(fardel_planned_reference, flags) + sizeof(std::uint32_t);
constexpr std::size_t kWriteOptionsBytesLeast = offsetof(fardel_write_options, jobs) + sizeof(std::uint32_t);

fardel_code unknown_flag(const Report& report) {
    return report.fail(FARDEL_ERROR_UNSUPPORTED, "a flag that this version of the library does not know");
}

fardel_code no_such_asset(const Report& report) {
    return report.fail(FARDEL_ERROR_LIMIT, "the plan has no asset of this number");
}

// "lang=fr quality=hd"
Result<Tags> parse_tags(std::string_view text) {
    Tags tags;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end != 0) {
            FARDEL_TRY_ASSIGN(Tag tag, parse_tag(text.substr(0, end)));
            tags.push_back(std::move(tag));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return tags;
}

fardel_code add_name(fardel_plan& plan, const char* name, std::uint32_t asset, const char* tags, std::uint32_t flags,
                     const Report& report) {
    auto parsed = AssetName::parse(name);
    if (!parsed)
        return report.fail(parsed.error());
    auto variant_tags = parse_tags(tags != nullptr ? tags : "");
    if (!variant_tags)
        return report.fail(variant_tags.error());
    const bool is_published = (flags & FARDEL_NAME_PRIVATE) == 0;
    const bool extends = (flags & FARDEL_NAME_EXTENDS) != 0;
    const auto [known, is_new] = plan.names.try_emplace(name, plan.plan.names.size());
    if (is_new)
        plan.plan.names.push_back(
            {.name = *std::move(parsed), .variants = {}, .published = is_published, .extends = extends});
    PlannedName& planned = plan.plan.names[known->second];
    if (!is_new && (asset == FARDEL_NO_ASSET || planned.variants.empty()))
        return report.fail(FARDEL_ERROR_MALFORMED, "a tombstone has no variants: " + printable(name));
    if (planned.published != is_published || planned.extends != extends)
        return report.fail(FARDEL_ERROR_MALFORMED, "the variants of a name have the same flags: " + printable(name));
    if (asset != FARDEL_NO_ASSET)
        planned.variants.push_back({.tags = *std::move(variant_tags), .asset = asset});
    return FARDEL_OK;
}

fardel_code add_reference(fardel_plan& plan, std::uint32_t from, const fardel_planned_reference& given,
                          const Report& report) {
    const int targets = (given.asset != FARDEL_NO_ASSET) + (given.bundle != nullptr) + (given.name != nullptr);
    if (targets != 1)
        return report.fail(FARDEL_ERROR_MALFORMED, "a reference has one target: an asset, a bundle's asset, or a name");
    PlannedReference reference{.spelling = given.spelling,
                               .target = PlannedReference::Dynamic{},
                               .optional = (given.flags & FARDEL_REFERENCE_OPTIONAL) != 0};
    if (given.asset != FARDEL_NO_ASSET) {
        if (given.asset >= plan.plan.assets.size())
            return no_such_asset(report);
        reference.target = PlannedReference::Internal{given.asset};
    } else if (given.bundle != nullptr) {
        const auto& dependencies = plan.plan.dependencies;
        const auto found = std::ranges::find(dependencies, id_of<BundleId>(*given.bundle), &PlannedDependency::bundle);
        if (found == dependencies.end() || !found->is_static)
            return report.fail(FARDEL_ERROR_MISSING, "the bundle of the reference is no static dependency of the plan");
        reference.target = PlannedReference::Foreign{id_of<AssetId>(given.foreign),
                                                     static_cast<std::uint32_t>(found - dependencies.begin())};
    } else {
        reference.target = PlannedReference::Dynamic{given.name};
    }
    plan.plan.assets[from].references.push_back(std::move(reference));
    return FARDEL_OK;
}

fardel_code set_metadata(fardel_plan* plan, std::uint32_t asset, const char* key, MetadataValue value,
                         const Report& report) {
    if (asset != FARDEL_NO_ASSET && asset >= plan->plan.assets.size())
        return no_such_asset(report);
    auto& all = asset == FARDEL_NO_ASSET ? plan->plan.metadata : plan->plan.assets[asset].metadata.edit();
    const auto known = std::ranges::find(all, std::string_view(key), &PlannedMetadata::key);
    if (known != all.end())
        known->value = std::move(value);
    else
        all.push_back({.key = key, .value = std::move(value)});
    return FARDEL_OK;
}

struct Writing {
    std::string path;
    BundlePurpose purpose;
    int level;
    unsigned jobs;
    fardel_signer* signer;
    Statement stated;
};

Result<BundleWriteSummary> write_plan(const BundlePlan& plan, const Writing& writing, ToolProgress& progress) {
    BundleWriteOptions options{.purpose = writing.purpose,
                               .level = writing.level,
                               .jobs = writing.jobs,
                               .progress = {},
                               .stop = progress.token(),
                               .donor = {}};
    options.progress = [&](const BundleWriteProgress& now) {
        progress.show("packing", now.assets_done, now.assets_total);
    };
    FARDEL_TRY_ASSIGN(StagedBundle staged, write_bundle(plan, writing.path, options));
    if (writing.signer != nullptr) {
        if (staged.summary().name.empty())
            return Error(ErrorCode::unresolved, "a bundle without a name cannot be signed; set its metadata \"name\"");
        Statement statement = statement_about(staged.summary());
        statement.channel = writing.stated.channel;
        statement.comment = writing.stated.comment;
        statement.epoch = writing.stated.epoch;
        statement.created = writing.stated.created;
        statement.expires = writing.stated.expires;
        FARDEL_TRY_ASSIGN(const Envelope envelope, sign_statement(statement, *writing.signer->signer));
        FARDEL_TRY(staged.append(envelope));
    }
    // The writer looks at it while there is something to write; the caller may have answered the last call.
    if (progress.token().stop_requested())
        return Error(ErrorCode::cancelled, "the caller stopped the writing");
    const BundleWriteSummary summary = staged.summary();
    FARDEL_TRY(staged.commit());
    return summary;
}

}  // namespace
}  // namespace fardel::c

using namespace fardel;
using namespace fardel::c;

void fardel_planned_asset_init(fardel_planned_asset* asset, size_t struct_size) {
    init(fardel_planned_asset FARDEL_PLANNED_ASSET_INIT, asset, struct_size);
}

void fardel_planned_reference_init(fardel_planned_reference* reference, size_t struct_size) {
    init(fardel_planned_reference FARDEL_PLANNED_REFERENCE_INIT, reference, struct_size);
}

void fardel_write_options_init(fardel_write_options* options, size_t struct_size) {
    init(fardel_write_options FARDEL_WRITE_OPTIONS_INIT, options, struct_size);
}

fardel_code fardel_plan_create(fardel_plan** plan, fardel_error* error) {
    if (plan != nullptr)
        *plan = nullptr;
    return call(error, plan != nullptr, [&](const Report&) {
        *plan = new fardel_plan;
        return fardel_code{FARDEL_OK};
    });
}

void fardel_plan_destroy(fardel_plan* plan) { delete plan; }

fardel_code fardel_plan_add_asset(fardel_plan* plan, const fardel_planned_asset* asset, uint32_t* number,
                                  fardel_error* error) {
    return call(error, plan != nullptr && asset != nullptr, [&](const Report& report) {
        fardel_planned_asset given = FARDEL_PLANNED_ASSET_INIT;
        if (const fardel_code bad = read_options(asset, kPlannedAssetBytesLeast, given, report); bad != FARDEL_OK)
            return bad;
        if ((given.flags & ~std::uint32_t{FARDEL_ASSET_STREAMED}) != 0)
            return unknown_flag(report);
        if (given.path != nullptr ? given.bytes != nullptr || given.size_bytes != 0
                                  : given.bytes == nullptr && given.size_bytes != 0)
            return report.argument("an asset has either bytes or a path");
        if (plan->plan.assets.size() >= limits::kAssetsMax)
            return report.fail(FARDEL_ERROR_LIMIT, "more assets than a bundle may have");
        const auto index = static_cast<std::uint32_t>(plan->plan.assets.size());
        PlannedAsset planned;
        if (given.path != nullptr) {
            planned.source = make_file_blob(given.path);
        } else {
            const auto* const bytes = static_cast<const std::byte*>(given.bytes);
            planned.source = make_memory_blob({bytes, bytes + given.size_bytes});
        }
        planned.key = given.key != nullptr ? SharedText(given.key) : SharedText(std::to_string(index));
        planned.content_type = given.content_type != nullptr ? given.content_type : "";
        planned.streamed = (given.flags & FARDEL_ASSET_STREAMED) != 0;
        plan->plan.assets.push_back(std::move(planned));
        if (number != nullptr)
            *number = index;
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_plan_add_name(fardel_plan* plan, const char* name, uint32_t asset, const char* tags, uint32_t flags,
                                 fardel_error* error) {
    return call(error, plan != nullptr && name != nullptr, [&](const Report& report) {
        if ((flags & ~std::uint32_t{FARDEL_NAME_PRIVATE | FARDEL_NAME_EXTENDS}) != 0)
            return unknown_flag(report);
        if (asset != FARDEL_NO_ASSET && asset >= plan->plan.assets.size())
            return no_such_asset(report);
        return add_name(*plan, name, asset, tags, flags, report);
    });
}

fardel_code fardel_plan_add_reference(fardel_plan* plan, uint32_t from, const fardel_planned_reference* reference,
                                      fardel_error* error) {
    return call(error, plan != nullptr && reference != nullptr, [&](const Report& report) {
        fardel_planned_reference given = FARDEL_PLANNED_REFERENCE_INIT;
        if (const fardel_code bad = read_options(reference, kPlannedReferenceBytesLeast, given, report);
            bad != FARDEL_OK)
            return bad;
        if ((given.flags & ~std::uint32_t{FARDEL_REFERENCE_OPTIONAL}) != 0)
            return unknown_flag(report);
        if (given.spelling == nullptr)
            return report.argument("a null pointer instead of a spelling");
        if (from >= plan->plan.assets.size())
            return no_such_asset(report);
        return add_reference(*plan, from, given, report);
    });
}

fardel_code fardel_plan_add_consume(fardel_plan* plan, const char* name, uint32_t flags, fardel_error* error) {
    return call(error, plan != nullptr && name != nullptr, [&](const Report& report) {
        if ((flags & ~std::uint32_t{FARDEL_CONSUME_PATTERN | FARDEL_CONSUME_OPTIONAL}) != 0)
            return unknown_flag(report);
        plan->plan.consumes.push_back({.text = name,
                                       .pattern = (flags & FARDEL_CONSUME_PATTERN) != 0,
                                       .optional = (flags & FARDEL_CONSUME_OPTIONAL) != 0});
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_plan_add_dependency(fardel_plan* plan, const fardel_id* bundle, const char* name,
                                       const char* version, int32_t is_static, fardel_error* error) {
    return call(error, plan != nullptr && bundle != nullptr, [&](const Report&) {
        plan->plan.dependencies.push_back({.bundle = id_of<BundleId>(*bundle),
                                           .name = name != nullptr ? name : "",
                                           .version = version != nullptr ? version : "",
                                           .is_static = is_static != 0});
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_plan_set_text(fardel_plan* plan, uint32_t asset, const char* key, const char* text,
                                 fardel_error* error) {
    return call(error, plan != nullptr && key != nullptr && text != nullptr,
                [&](const Report& report) { return set_metadata(plan, asset, key, std::string(text), report); });
}

fardel_code fardel_plan_set_number(fardel_plan* plan, uint32_t asset, const char* key, double number,
                                   fardel_error* error) {
    return call(error, plan != nullptr && key != nullptr,
                [&](const Report& report) { return set_metadata(plan, asset, key, number, report); });
}

fardel_code fardel_plan_set_integer(fardel_plan* plan, uint32_t asset, const char* key, int64_t integer,
                                    fardel_error* error) {
    return call(error, plan != nullptr && key != nullptr,
                [&](const Report& report) { return set_metadata(plan, asset, key, integer, report); });
}

fardel_code fardel_plan_set_flag(fardel_plan* plan, uint32_t asset, const char* key, int32_t flag,
                                 fardel_error* error) {
    return call(error, plan != nullptr && key != nullptr,
                [&](const Report& report) { return set_metadata(plan, asset, key, flag != 0, report); });
}

fardel_code fardel_plan_write(const fardel_plan* plan, const char* path, const fardel_write_options* options,
                              fardel_error* error) {
    return call(error, plan != nullptr && path != nullptr, [&](const Report& report) {
        fardel_write_options given = FARDEL_WRITE_OPTIONS_INIT;
        if (const fardel_code bad = read_options(options, kWriteOptionsBytesLeast, given, report); bad != FARDEL_OK)
            return bad;
        std::optional<BundlePurpose> purpose;
        if (!find_purpose(given.purpose, given.level, purpose))
            return report.fail(FARDEL_ERROR_UNSUPPORTED, kUnknownPurpose);
        Writing writing{.path = path,
                        .purpose = purpose.value_or(BundlePurpose::balanced),
                        .level = given.level != 0 ? given.level : kLevelDefault,
                        .jobs = given.jobs,
                        .signer = given.signer,
                        .stated = {}};
        if (const fardel_code bad = read_sign_options(given.sign, writing.stated, report); bad != FARDEL_OK)
            return bad;
        ToolProgress progress(given.progress, given.context);
        return report.end(write_plan(plan->plan, writing, progress), [&](const BundleWriteSummary& summary) {
            report_written(summary, path, given.signer != nullptr, given.written, given.context);
        });
    });
}
