#include "checks.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <span>
#include <string>

namespace fardel {
namespace {

// Where names stand on a case-insensitive file system: by the hash of the folded text first.
class Places {
public:
    Places(const Tables& tables, const Strings& texts, std::span<const HashedName> names)
        : tables_(tables), texts_(texts), places_(names) {}

    std::optional<std::string_view> text_of(std::uint32_t name) const {
        const auto record = tables_.find<NameRecord>(name);
        return record ? texts_.find(record->text) : std::nullopt;
    }

    std::span<const HashedName> all() const noexcept { return places_; }

    // A name that folds to what `text` does.
    std::optional<std::uint32_t> find(std::string_view text) const {
        const std::uint64_t hash = name_hash(text);
        auto at = std::ranges::lower_bound(places_, hash, {}, &HashedName::hash);
        for (std::uint32_t seen = 0; at != places_.end() && at->hash == hash && seen < limits::kNameHashCollisionsMax;
             ++at, ++seen)
            if (const auto other = text_of(at->name); other && names_fold_equal(text, *other))
                return at->name;
        return std::nullopt;
    }

private:
    const Tables& tables_;
    const Strings& texts_;
    std::span<const HashedName> places_;
};

void check_equal_folds(const Places& places, Findings& findings) {
    const auto all = places.all();
    std::vector<std::pair<std::string, std::uint32_t>> folds;
    for (std::size_t from = 0; from < all.size();) {
        std::size_t to = from + 1;
        while (to < all.size() && all[to].hash == all[from].hash)
            ++to;
        if (to - from > limits::kNameHashCollisionsMax)
            findings.add(Rule::name_hash_crowded, record_place(TableKind::names, all[from].name),
                         std::to_string(to - from) + " names share its hash, at most " +
                             std::to_string(limits::kNameHashCollisionsMax) + " may");
        folds.clear();
        for (std::size_t i = from; to - from > 1 && i < to; ++i)
            folds.emplace_back(fold_name(*places.text_of(all[i].name)), all[i].name);
        std::ranges::sort(folds);
        for (std::size_t i = 1; i < folds.size(); ++i)
            if (folds[i].first == folds[i - 1].first)
                findings.add(Rule::names_fold_equal, record_place(TableKind::names, folds[i].second),
                             quoted(*places.text_of(folds[i].second)) + " and " +
                                 quoted(*places.text_of(folds[i - 1].second)) +
                                 " are one name where case does not count; rename one");
        from = to;
    }
}

}  // namespace

void check_name_places(const Tables& tables, const Strings& texts, std::span<const HashedName> names,
                       Findings& findings) {
    const Places places(tables, texts, names);
    check_equal_folds(places, findings);

    // Each folder of each name, once where names are sorted: those it shares with the name before are done.
    std::string_view before;
    for (std::uint32_t i = 0; i < tables.count(TableKind::names); ++i) {
        const auto text = places.text_of(i);
        if (!text)
            continue;
        const auto shared = static_cast<std::size_t>(std::ranges::mismatch(*text, before).in1 - text->begin());
        for (std::size_t slash = text->find('/', shared); slash != std::string_view::npos;
             slash = text->find('/', slash + 1))
            if (const auto file = places.find(text->substr(0, slash)); file && *file != i)
                findings.add(Rule::name_is_folder, record_place(TableKind::names, *file),
                             quoted(*places.text_of(*file)) + " is a file, and a folder of " + quoted(*text) +
                                 " too; rename one");
        before = *text;
    }
}

}  // namespace fardel
