#include "report_page.h"

#include "report_template.h"

#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kReportFixesMax = 20;  // each may have thousands of names

std::string on_page(std::string_view text) { return printable(text, 1024); }
std::string shown_type(std::string_view type) { return type.empty() ? "(no type)" : printable(type, 100); }

// The first `list_max` values.
template <class Values, class Make>
Json first_of(const Values& values, Make make, std::size_t list_max = kReportListMax) {
    Json list = Json::array();
    for (const auto& value : values) {
        if (list.size() == list_max)
            break;
        list.push_back(make(value));
    }
    return list;
}

// The same, and the number of all.
template <class Values, class Make>
Json bounded(const Values& values, Make make) {
    return Json{{"total", values.size()}, {"list", first_of(values, make)}};
}

// Numbers the content types; the page refers to them by number.
class TypeList {
public:
    std::size_t number_of(const std::string& type) {
        const auto [entry, is_new] = numbers_.emplace(shown_type(type), list_.size());
        if (is_new)
            list_.push_back(entry->first);
        return entry->second;
    }
    const std::vector<std::string>& list() const { return list_; }

private:
    std::map<std::string, std::size_t> numbers_;
    std::vector<std::string> list_;
};

class PageFactsWriter {
public:
    PageFactsWriter(const ReportFacts& facts, const ReportSelection& selection, const std::optional<ReportAudit>& audit,
                    const std::optional<ReportSince>& since)
        : facts_(facts), selection_(selection), audit_(audit), since_(since), names_(node_names(facts)) {}

    Json make() {
        Json names = make_names();
        Json page{
            {"bundles", make_bundles()},
            {"assets", std::move(assets_)},
            {"names", std::move(names)},
            {"names_left_out", selection_.names_left_out},
            {"rest", make_rest()},
            {"totals", make_totals()},
            {"references", make_references()},
            {"conflicts", make_conflicts()},
            {"gaps", bounded(facts_.needs.names,
                             [&](const UnresolvedName& gap) {
                                 return Json::array({facts_.bundle_numbers.at(gap.mount), on_page(gap.name),
                                                     gap.pattern, gap.optional});
                             })},
            {"absent_bundles", bounded(facts_.needs.bundles,
                                       [&](const UnresolvedBundle& absent) {
                                           return Json::array({facts_.bundle_numbers.at(absent.mount),
                                                               absent.bundle.hex(), on_page(absent.name),
                                                               on_page(absent.version), absent.is_static});
                                       })},
            {"requirements",
             bounded(facts_.needs.requirements,
                     [&](const MissingDependency& missing) {
                         return Json::array({facts_.bundle_numbers.at(missing.mount), on_page(missing.reason)});
                     })},
            {"unlinked", bounded(facts_.unlinked, on_page)},
            {"left_out", make_left_out()},
            {"unresolved", make_unresolved()},
            {"roots", make_roots()},
            {"duplicates", make_duplicates()},
            {"shared", make_shared()},
            {"audit", audit_ ? make_audit(*audit_) : Json()},
            {"since", since_ ? json_of(*since_, kReportListMax, on_page) : Json()},
        };
        page.set("types", types_.list());
        return page;
    }

private:
    Json make_bundles() const {
        Json bundles = Json::array();
        for (const ReportBundle& bundle : facts_.bundles) {
            Json dependencies = first_of(bundle.contents.dependencies, [](const ContentDependency& dependency) {
                return Json{{"id", dependency.bundle.hex()},
                            {"name", on_page(dependency.name)},
                            {"version", on_page(dependency.version)},
                            {"static", dependency.is_static}};
            });
            Json metadata = json_list(bundle.contents.metadata, [](const ContentMetadata& entry) {
                return Json::array({on_page(entry.key), on_page(format_value(entry.value))});
            });
            bundles.push_back(Json{{"file", on_page(bundle.file)},
                                   {"id", bundle.id.hex()},
                                   {"layout", bundle.layout.hex()},
                                   {"name", on_page(bundle.name)},
                                   {"version", on_page(bundle.version)},
                                   {"file_bytes", bundle.file_bytes},
                                   {"raw", bundle.contents.raw_bytes},
                                   {"stored", bundle.contents.stored_bytes},
                                   {"assets", bundle.contents.assets.size()},
                                   {"names", bundle.contents.names.size()},
                                   {"signatures", bundle.signatures},
                                   {"dependencies", std::move(dependencies)},
                                   {"metadata", std::move(metadata)}});
        }
        return bundles;
    }

    // The number of an asset on the page; adds it to the page if necessary.
    std::size_t number_of(std::uint32_t node) {
        const auto [entry, is_new] = numbers_.emplace(node, assets_.size());
        if (is_new) {
            const ContentAsset& asset = facts_.asset(node);
            assets_.push_back(Json::array({facts_.bundle_of(node), types_.number_of(asset.content_type),
                                           asset.raw_bytes, asset.stored_bytes, asset.id.hex()}));
        }
        return entry->second;
    }

    Json make_names() {
        Json names = Json::array();
        for (const SelectedName& selected : selection_.names) {
            const ReportBundle& bundle = facts_.bundles[selected.bundle];
            const ContentName& name = bundle.contents.names[selected.name];
            Json variants = json_list(name.variants, [&](const ContentVariant& variant) {
                return Json::array({number_of(bundle.first_node + variant.asset), on_page(format_tags(variant))});
            });
            const int flags = (name.published ? 1 : 0) | (name.extends ? 2 : 0);
            names.push_back(Json::array(
                {selected.bundle, name.text, flags, selected.raw_bytes, selected.stored_bytes, std::move(variants)}));
        }
        return names;
    }

    Json make_rest() {
        return json_list(selection_.rest, [&](const SelectionRest& sum) {
            return Json::array({sum.bundle, sum.folder, types_.number_of(sum.content_type), sum.names, sum.raw_bytes,
                                sum.stored_bytes});
        });
    }

    // The sums per bundle and type, over all assets, whether listed one by one or not.
    Json make_totals() {
        std::map<std::pair<std::uint32_t, std::string>, std::array<std::uint64_t, 3>> sums;
        for (std::uint32_t bundle = 0; bundle < facts_.bundles.size(); ++bundle)
            for (const ContentAsset& asset : facts_.bundles[bundle].contents.assets) {
                auto& sum = sums[{bundle, asset.content_type}];
                ++sum[0];
                sum[1] += asset.raw_bytes;
                sum[2] += asset.stored_bytes;
            }
        struct Total {
            std::uint32_t bundle;
            std::size_t type;
            std::uint64_t assets, raw_bytes, stored_bytes;
        };
        std::vector<Total> totals;
        for (const auto& [key, sum] : sums)
            totals.push_back({key.first, types_.number_of(key.second), sum[0], sum[1], sum[2]});
        std::ranges::stable_sort(totals, std::ranges::greater{}, &Total::raw_bytes);
        return bounded(totals, [](const Total& total) {
            return Json::array({total.bundle, total.type, total.assets, total.raw_bytes, total.stored_bytes});
        });
    }

    // The references of assets on the page. A target that is not on the page is given by its name.
    Json make_references() {
        Json list = Json::array();
        for (const ReportReference& reference : facts_.references) {
            Json from = shown_number(reference.from);
            if (from.is_null() || list.size() == kReportReferencesMax)
                continue;
            Json to = reference.to ? shown_number(*reference.to) : Json();
            const int flags = (reference.optional ? 1 : 0) | (reference.dynamic ? 2 : 0) | (reference.to ? 4 : 0);
            std::string wanted = to.is_null() ? on_page(reference.wanted) : "";
            list.push_back(
                Json::array({std::move(from), std::move(to), on_page(reference.spelling), flags, std::move(wanted)}));
        }
        return Json{{"total", facts_.references.size()}, {"list", std::move(list)}};
    }

    // The harmful ones first.
    Json make_conflicts() const {
        std::vector<const PathConflict*> conflicts;
        for (const PathConflict& conflict : facts_.conflicts)
            conflicts.push_back(&conflict);
        const auto is_harmless = [](const PathConflict* conflict) { return conflict->harmless(); };
        std::ranges::stable_sort(conflicts, {}, is_harmless);
        const auto side = [&](const ConflictSide& one) {
            return Json::array({facts_.bundle_numbers.at(one.mount), json_id(one.asset)});
        };
        Json list = bounded(conflicts, [&](const PathConflict* conflict) {
            return Json::array({on_page(conflict->path.substr(1)), conflict->harmless(), side(conflict->winner),
                                json_list(conflict->hidden, side)});
        });
        list.set("harmful", std::ranges::find_if(conflicts, is_harmless) - conflicts.begin());
        return list;
    }

    // The number of an asset on the page, or null.
    Json shown_number(std::uint32_t node) const {
        const auto shown = numbers_.find(node);
        return shown == numbers_.end() ? Json() : Json(shown->second);
    }

    Json make_left_out() const {
        Json left_out = bounded(facts_.left_out, [](const LeftOutFile& file) {
            return Json::array({on_page(file.origin), file.kind, on_page(file.reason), file.is_lost});
        });
        left_out.set("lost", std::ranges::count(facts_.left_out, true, &LeftOutFile::is_lost));
        return left_out;
    }

    Json make_unresolved() const {
        std::vector<const ReportReference*> unresolved;
        for (const ReportReference& reference : facts_.references)
            if (!reference.to)
                unresolved.push_back(&reference);
        std::ranges::stable_sort(unresolved, {}, &ReportReference::optional);
        return bounded(unresolved, [&](const ReportReference* reference) {
            return Json::array({shown_number(reference->from), name_of(reference->from), on_page(reference->spelling),
                                on_page(reference->wanted), reference->optional});
        });
    }

    // The first of the names of an asset, or its id if it has none.
    std::string name_of(std::uint32_t node) const {
        return names_[node] == nullptr ? facts_.asset(node).id.hex() : *names_[node];
    }

    Json make_roots() const {
        Json roots = bounded(facts_.roots, [&](const ReportRoot& root) {
            return Json::array({shown_number(root.node), name_of(root.node), root.assets, root.raw_bytes,
                                root.stored_bytes, root.missing});
        });
        roots.set("total", facts_.roots.size() + facts_.roots_left_out);
        return roots;
    }

    Json make_duplicates() const {
        Json list = bounded(facts_.duplicates, [](const ReportDuplicate& duplicate) {
            const auto name = [](const auto& one) { return Json::array({one.first, one.second}); };
            return Json::array({duplicate.asset.hex(), duplicate.raw_bytes, duplicate.copies, duplicate.names.size(),
                                first_of(duplicate.names, name, 40)});
        });
        std::uint64_t saved = 0;
        for (const ReportDuplicate& duplicate : facts_.duplicates)
            saved += duplicate.raw_bytes *
                     (duplicate.names.size() - std::min<std::uint64_t>(duplicate.copies, duplicate.names.size()));
        list.set("saved", saved);
        return list;
    }

    Json make_shared() const {
        const auto copy = [](const StoredCopy& one) {
            return Json::array({one.bundle, first_of(one.names, on_page, 40), one.is_home, on_page(one.obstacle)});
        };
        Json list = bounded(facts_.sharing.assets, [&](const SharedAsset& shared) {
            return Json::array({shared.asset.hex(), shared.raw_bytes, shared.extra_raw_bytes, shared.extra_stored_bytes,
                                first_of(shared.copies, copy, 40)});
        });
        list.set("extra_raw", facts_.sharing.extra_raw_bytes);
        list.set("extra_stored", facts_.sharing.extra_stored_bytes);
        Json fixes = first_of(
            facts_.sharing.fixes,
            [&](const SharingFix& fix) {
                return Json::array({fix.bundle, fix.home, fix.assets, fix.raw_bytes, fix.stored_bytes, fix.depends,
                                    fix.names.size(), format_fix(fix, facts_.bundles[fix.home])});
            },
            kReportFixesMax);
        list.set("fixes", std::move(fixes));
        return list;
    }

    static Json make_audit(const ReportAudit& audit) {
        const auto missing = [](const ReportAudit::Missing& entry) {
            return Json::array({on_page(entry.from), on_page(entry.spelling), on_page(entry.use), entry.line,
                                first_of(entry.tried, on_page, 20),
                                entry.hard ? Json(true) : Json(on_page(entry.why))});
        };
        std::vector<ReportAudit::Unused> unused = audit.unused;
        std::ranges::stable_sort(unused, std::ranges::greater{}, &ReportAudit::Unused::bytes);
        std::vector<ReportAudit::Root> roots = audit.roots;
        std::ranges::stable_sort(roots, std::ranges::greater{}, &ReportAudit::Root::bytes);
        return Json{
            {"missing", bounded(audit.missing, missing)},
            {"hard", std::ranges::count(audit.missing, true, &ReportAudit::Missing::hard)},
            {"unused", bounded(unused,
                               [](const ReportAudit::Unused& entry) {
                                   return Json::array({on_page(entry.name), entry.bytes});
                               })},
            {"broken", bounded(audit.broken,
                               [](const ReportAudit::Broken& entry) {
                                   return Json::array({on_page(entry.name), on_page(entry.reason)});
                               })},
            {"roots", bounded(roots,
                              [](const ReportAudit::Root& root) {
                                  return Json::array({on_page(root.root), root.names, root.bytes, root.missing});
                              })},
        };
    }

    const ReportFacts& facts_;
    const ReportSelection& selection_;
    const std::optional<ReportAudit>& audit_;
    const std::optional<ReportSince>& since_;
    TypeList types_;
    Json assets_ = Json::array();
    std::unordered_map<std::uint32_t, std::size_t> numbers_;
    std::vector<const std::string*> names_;  // by node
};

// Replaces each `mark` with `text`, which contains none.
void fill(std::string& page, std::string_view mark, std::string_view text) {
    for (auto at = page.find(mark); at != std::string::npos; at = page.find(mark, at + text.size()))
        page.replace(at, mark.size(), text);
}

}  // namespace

Json page_facts(const ReportFacts& facts, const ReportSelection& selection, const std::optional<ReportAudit>& audit,
                const std::optional<ReportSince>& since) {
    return PageFactsWriter(facts, selection, audit, since).make();
}

std::string format_embedded(const Json& facts) {
    const std::string json = format_json(facts, -1);
    std::string text;
    text.reserve(json.size());
    for (const char c : json) {  // all three stand in strings alone
        if (c == '<')
            text += "\\u003c";
        else if (c == '>')
            text += "\\u003e";
        else if (c == '&')
            text += "\\u0026";
        else
            text += c;
    }
    return text;
}

std::string format_page(const Json& facts) {
    const std::string embedded = format_embedded(facts);
    const std::string nonce = blake3(std::as_bytes(std::span(embedded))).hex().substr(0, 32);
    std::string script;
    for (const std::string_view part : report_scripts())
        script += part;
    std::string page(report_html());
    fill(page, "@nonce@", nonce);
    fill(page, "@style@", report_style());
    fill(page, "@script@", script);
    fill(page, "@facts@", embedded);  // last, so that marks inside the facts are not replaced
    return page;
}

}  // namespace fardel
