#include "report_selection.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

// The first `depth` parts of the folder of a name.
std::string folder_of(std::string_view name, std::size_t depth) {
    std::size_t end = 0;
    for (std::size_t part = 0; part < depth; ++part) {
        const auto slash = name.find('/', end == 0 ? 0 : end + 1);
        if (slash == std::string_view::npos)
            break;
        end = slash;
    }
    return std::string(name.substr(0, end));
}

// ---- What is listed -------------------------------------------------------------------------------------------------

struct WeighedName {
    SelectedName name;
    std::uint64_t references = 0;
};

// All names with their bytes, and which assets have a name.
struct Weighing {
    std::vector<WeighedName> names;
    std::vector<bool> counted;  // by node
};

Weighing weigh(const ReportFacts& facts) {
    Weighing weighing{{}, std::vector<bool>(facts.node_count())};
    std::vector<std::uint32_t> references(facts.node_count());
    for (const ReportReference& reference : facts.references) {
        ++references[reference.from];
        if (reference.to)
            ++references[*reference.to];
    }
    for (std::uint32_t bundle = 0; bundle < facts.bundles.size(); ++bundle) {
        const ReportBundle& of = facts.bundles[bundle];
        for (std::uint32_t i = 0; i < of.contents.names.size(); ++i) {
            WeighedName weighed{{.bundle = bundle, .name = i}};
            for (const ContentVariant& variant : of.contents.names[i].variants) {
                const std::uint32_t node = of.first_node + variant.asset;
                weighed.references += references[node];
                if (weighing.counted[node])
                    continue;
                weighing.counted[node] = true;
                weighed.name.raw_bytes += of.contents.assets[variant.asset].raw_bytes;
                weighed.name.stored_bytes += of.contents.assets[variant.asset].stored_bytes;
            }
            weighing.names.push_back(weighed);
        }
    }
    return weighing;
}

const ContentName& name_at(const ReportFacts& facts, const SelectedName& name) {
    return facts.bundles[name.bundle].contents.names[name.name];
}

// Moves the names to list to the front, and returns their number.
std::size_t choose(const ReportFacts& facts, std::vector<WeighedName>& names, std::size_t names_max) {
    std::size_t free = names_max, shown = 0;
    const auto fill = [&](std::size_t reserved) {
        while (shown < names.size()) {
            const std::size_t cost = std::max<std::size_t>(1, name_at(facts, names[shown].name).variants.size());
            if (free < cost + reserved)
                return;
            free -= cost;
            ++shown;
        }
    };
    std::ranges::stable_sort(names, std::ranges::greater{},
                             [](const WeighedName& weighed) { return weighed.name.raw_bytes; });
    // A quarter stays free for names that are small but much referred to.
    fill(names_max / 4);
    std::ranges::stable_sort(names.begin() + static_cast<std::ptrdiff_t>(shown), names.end(), std::ranges::greater{},
                             &WeighedName::references);
    fill(0);
    return shown;
}

// ---- What is summed up ----------------------------------------------------------------------------------------------

using RestKey = std::tuple<std::uint32_t, std::string, std::string>;
using Rest = std::map<RestKey, SelectionRest>;

void add(Rest& rest, RestKey key, std::uint64_t names, std::uint64_t raw_bytes, std::uint64_t stored_bytes) {
    SelectionRest& sum = rest[std::move(key)];
    sum.names += names;
    sum.raw_bytes += raw_bytes;
    sum.stored_bytes += stored_bytes;
}

std::string type_of(const ReportFacts& facts, const SelectedName& name) {
    const ContentName& of = name_at(facts, name);
    return of.variants.empty() ? ""
                               : facts.bundles[name.bundle].contents.assets[of.variants.front().asset].content_type;
}

void add_nameless(const ReportFacts& facts, const std::vector<bool>& counted, bool typed, Rest& rest) {
    for (std::uint32_t bundle = 0; bundle < facts.bundles.size(); ++bundle) {
        const ReportBundle& of = facts.bundles[bundle];
        for (std::uint32_t i = 0; i < of.contents.assets.size(); ++i) {
            const ContentAsset& asset = of.contents.assets[i];
            if (!counted[of.first_node + i])
                add(rest, {bundle, "", typed ? asset.content_type : ""}, 0, asset.raw_bytes, asset.stored_bytes);
        }
    }
}

Rest sum_up(const ReportFacts& facts, const Weighing& weighing, std::size_t shown, std::size_t depth, bool typed) {
    Rest rest;
    for (std::size_t i = shown; i < weighing.names.size(); ++i) {
        const SelectedName& name = weighing.names[i].name;
        add(rest, {name.bundle, folder_of(name_at(facts, name).text, depth), typed ? type_of(facts, name) : ""}, 1,
            name.raw_bytes, name.stored_bytes);
    }
    add_nameless(facts, weighing.counted, typed, rest);
    return rest;
}

Rest sum_up(const ReportFacts& facts, const Weighing& weighing, std::size_t shown, std::size_t rest_max) {
    for (const std::size_t depth : {64u, 8u, 5u, 3u, 2u, 1u, 0u})
        if (Rest rest = sum_up(facts, weighing, shown, depth, true); rest.size() <= rest_max)
            return rest;
    return sum_up(facts, weighing, shown, 0, false);  // too many types to distinguish them
}

}  // namespace

ReportSelection select_names(const ReportFacts& facts, const SelectionLimits& limits) {
    Weighing weighing = weigh(facts);
    const std::size_t shown = choose(facts, weighing.names, limits.names_max);
    ReportSelection selection;
    selection.names_left_out = weighing.names.size() - shown;
    for (auto& [key, sum] : sum_up(facts, weighing, shown, limits.rest_max)) {
        sum.bundle = std::get<0>(key);
        sum.folder = std::get<1>(key);
        sum.content_type = std::get<2>(key);
        selection.rest.push_back(sum);
    }
    for (std::size_t i = 0; i < shown; ++i)
        selection.names.push_back(weighing.names[i].name);
    std::ranges::sort(selection.names, {}, [](const SelectedName& name) { return std::pair(name.bundle, name.name); });
    return selection;
}

}  // namespace fardel
