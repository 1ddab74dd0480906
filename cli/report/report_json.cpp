#include "report_json.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

std::string unchanged(std::string_view text) { return std::string(text); }

Json bundles_json(const ReportFacts& facts) {
    return json_list(facts.bundles, [](const ReportBundle& bundle) {
        return Json{{"file", bundle.file},
                    {"name", bundle.name},
                    {"version", bundle.version},
                    {"bundle", bundle.id.hex()},
                    {"layout", bundle.layout.hex()},
                    {"signatures", bundle.signatures},
                    {"names", bundle.contents.names.size()},
                    {"assets", bundle.contents.assets.size()},
                    {"raw_bytes", bundle.contents.raw_bytes},
                    {"stored_bytes", bundle.contents.stored_bytes},
                    {"file_bytes", bundle.file_bytes}};
    });
}

Json groups_json(const std::vector<SizedAsset>& assets, SizeGroup group, std::string_view key) {
    Json list = Json::array();
    for (const auto& [text, sum] : sum_sizes(assets, group)) {
        Json entry{{key, text}};
        entry.set("assets", sum.assets);
        entry.set("raw_bytes", sum.raw_bytes);
        entry.set("stored_bytes", sum.stored_bytes);
        list.push_back(std::move(entry));
    }
    return list;
}

Json duplicates_json(const ReportFacts& facts) {
    const auto copy = [](const StoredCopy& one) {
        return Json{{"bundle", one.bundle},
                    {"names", one.names},
                    {"keeps", one.is_home},
                    {"obstacle", one.obstacle.empty() ? Json() : Json(one.obstacle)}};
    };
    Json assets = json_list(facts.sharing.assets, [&](const SharedAsset& shared) {
        return Json{{"asset", shared.asset.hex()},
                    {"raw_bytes", shared.raw_bytes},
                    {"extra_raw_bytes", shared.extra_raw_bytes},
                    {"extra_stored_bytes", shared.extra_stored_bytes},
                    {"copies", json_list(shared.copies, copy)}};
    });
    Json fixes = json_list(facts.sharing.fixes, [&](const SharingFix& fix) {
        return Json{{"bundle", fix.bundle},
                    {"keeps", fix.home},
                    {"assets", fix.assets},
                    {"raw_bytes", fix.raw_bytes},
                    {"stored_bytes", fix.stored_bytes},
                    {"exclude", fix.names},
                    {"depends", fix.depends},
                    {"project", format_fix(fix, facts.bundles[fix.home])}};
    });
    Json names = json_list(facts.duplicates, [&](const ReportDuplicate& duplicate) {
        return Json{{"asset", duplicate.asset.hex()},
                    {"raw_bytes", duplicate.raw_bytes},
                    {"names", json_list(duplicate.names, [](const auto& name) {
                         return Json{{"bundle", name.first}, {"name", name.second}};
                     })}};
    });
    return Json{{"extra_raw_bytes", facts.sharing.extra_raw_bytes},
                {"extra_stored_bytes", facts.sharing.extra_stored_bytes},
                {"assets", std::move(assets)},
                {"fixes", std::move(fixes)},
                {"names", std::move(names)}};
}

Json conflicts_json(const ReportFacts& facts) {
    const auto side = [&](const ConflictSide& one) {
        return Json{{"bundle", facts.bundle_numbers.at(one.mount)}, {"asset", json_id(one.asset)}};
    };
    return json_list(facts.conflicts, [&](const PathConflict& conflict) {
        return Json{{"name", conflict.path.substr(1)},
                    {"harmless", conflict.harmless()},
                    {"winner", side(conflict.winner)},
                    {"hidden", json_list(conflict.hidden, side)}};
    });
}

Json missing_json(const ReportFacts& facts, const std::optional<ReportAudit>& audit) {
    const auto number = [&](MountId mount) { return facts.bundle_numbers.at(mount); };
    const std::vector<const std::string*> names = node_names(facts);
    const auto name_of = [&](std::uint32_t node) {
        return names[node] == nullptr ? "/assets/" + facts.asset(node).id.hex() : *names[node];
    };
    Json references = Json::array();
    for (const ReportReference& reference : facts.references)
        if (!reference.to)
            references.push_back(Json{{"bundle", facts.bundle_of(reference.from)},
                                      {"from", name_of(reference.from)},
                                      {"spelling", reference.spelling},
                                      {"wanted", reference.wanted},
                                      {"optional", reference.optional}});
    Json sources;
    if (audit)
        sources = json_list(audit->missing, [](const ReportAudit::Missing& missing) {
            return Json{{"from", missing.from}, {"line", missing.line}, {"spelling", missing.spelling},
                        {"use", missing.use},   {"hard", missing.hard}, {"tried", missing.tried}};
        });
    return Json{
        {"names", json_list(facts.needs.names,
                            [&](const UnresolvedName& name) {
                                return Json{{"bundle", number(name.mount)},
                                            {"name", name.name},
                                            {"pattern", name.pattern},
                                            {"optional", name.optional}};
                            })},
        {"bundles", json_list(facts.needs.bundles,
                              [&](const UnresolvedBundle& absent) {
                                  return Json{{"bundle", number(absent.mount)},
                                              {"wanted", absent.bundle.hex()},
                                              {"name", absent.name},
                                              {"version", absent.version},
                                              {"static", absent.is_static}};
                              })},
        {"requirements", json_list(facts.needs.requirements,
                                   [&](const MissingDependency& missing) {
                                       return Json{{"bundle", number(missing.mount)}, {"reason", missing.reason}};
                                   })},
        {"references", std::move(references)},
        {"sources", std::move(sources)}};
}

}  // namespace

Json report_json(const ReportFacts& facts, const std::vector<SizedAsset>& assets,
                 const std::optional<ReportAudit>& audit, const std::optional<ReportSince>& since) {
    return Json{{"format", kReportFormat},
                {"version", kReportVersion},
                {"bundles", bundles_json(facts)},
                {"totals", json_of(total_of(assets))},
                {"folders", groups_json(assets, SizeGroup::folder, "folder")},
                {"types", groups_json(assets, SizeGroup::type, "type")},
                {"owners", groups_json(assets, SizeGroup::owner, "owner")},
                {"duplicates", duplicates_json(facts)},
                {"conflicts", conflicts_json(facts)},
                {"missing", missing_json(facts, audit)},
                {"left_out", json_list(facts.left_out,
                                       [](const LeftOutFile& file) {
                                           return Json{{"file", file.origin},
                                                       {"kind", file.kind},
                                                       {"reason", file.reason},
                                                       {"lost", file.is_lost}};
                                       })},
                {"unlinked", facts.unlinked},
                {"since", since ? json_of(*since, std::numeric_limits<std::size_t>::max(), unchanged) : Json()},
                {"assets", json_list(assets, [](const SizedAsset& asset) { return json_of(asset); })}};
}

}  // namespace fardel
