#include "checks.h"

#include <fardel/base/fits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/short_alias.h>

#include <algorithm>
#include <span>
#include <string>

namespace fardel {
namespace {

// The names of a bundle as a case-insensitive file system sees them.
struct FoldedNames {
    const BundleStrings& texts;
    std::span<const HashedName> all;

    // Returns a name that has the same fold as `text`.
    std::optional<std::uint32_t> find(std::string_view text) const {
        const std::uint64_t hash = name_hash(text);
        auto at = std::ranges::lower_bound(all, hash, {}, &HashedName::hash);
        for (std::uint32_t seen = 0; at != all.end() && at->hash == hash && seen < limits::kNameHashCollisionsMax;
             ++at, ++seen)
            if (const auto other = texts.find_name(at->name); other && names_fold_equal(text, *other))
                return at->name;
        return std::nullopt;
    }
};

void check_equal_folds(const FoldedNames& names, VerifyFindings& findings) {
    const auto all = names.all;
    std::vector<std::pair<std::string, std::uint32_t>> folds;
    for (std::size_t from = 0; from < all.size();) {
        std::size_t to = from + 1;
        while (to < all.size() && all[to].hash == all[from].hash)
            ++to;
        if (to - from > limits::kNameHashCollisionsMax)
            findings.add(VerifierRule::name_hash_crowded, TableKind::names, all[from].name,
                         std::to_string(to - from) + " names share its hash; at most " +
                             std::to_string(limits::kNameHashCollisionsMax) + " are allowed");
        folds.clear();
        for (std::size_t i = from; to - from > 1 && i < to; ++i)
            folds.emplace_back(fold_name(*names.texts.find_name(all[i].name)), all[i].name);
        std::ranges::sort(folds);
        for (std::size_t i = 1; i < folds.size(); ++i)
            if (folds[i].first == folds[i - 1].first)
                findings.add(VerifierRule::names_fold_equal, TableKind::names, folds[i].second,
                             quoted(*names.texts.find_name(folds[i].second)) + " and " +
                                 quoted(*names.texts.find_name(folds[i - 1].second)) +
                                 " are the same name if case is ignored; rename one");
        from = to;
    }
}

// Names with a part that is the second name of another part on a file system with 8.3 aliases.
void check_short_aliases(const CheckedTables& tables, const BundleStrings& texts, VerifyFindings& findings) {
    const auto text_of = [&](std::size_t name) { return texts.find_name(static_cast<std::uint32_t>(name)); };
    for (const ShortAlias& found : find_short_aliases(in_memory(tables.count(TableKind::names)), text_of))
        findings.add(VerifierRule::name_is_alias, TableKind::names, static_cast<std::uint32_t>(found.alias),
                     quoted(*text_of(found.alias)) + " has the form of an 8.3 alias of " + quoted(*text_of(found.of)) +
                         "; rename one");
}

}  // namespace

void check_name_collisions(const CheckedTables& tables, const BundleStrings& texts, std::span<const HashedName> names,
                           VerifyFindings& findings) {
    const FoldedNames folded{texts, names};
    check_equal_folds(folded, findings);
    check_short_aliases(tables, texts, findings);

    // Checks each folder of each name. Folders that a name shares with the one before it have been checked.
    std::string_view before;
    for (std::uint32_t i = 0; i < tables.count(TableKind::names); ++i) {
        const auto text = texts.find_name(i);
        if (!text)
            continue;
        const auto shared = static_cast<std::size_t>(std::ranges::mismatch(*text, before).in1 - text->begin());
        for (std::size_t slash = text->find('/', shared); slash != std::string_view::npos;
             slash = text->find('/', slash + 1))
            if (const auto file = folded.find(text->substr(0, slash)); file && *file != i)
                findings.add(VerifierRule::name_is_folder, TableKind::names, *file,
                             quoted(*texts.find_name(*file)) + " is a file, but also a folder of " + quoted(*text) +
                                 "; rename one");
        before = *text;
    }
}

}  // namespace fardel
