#include "set_names.h"

#include "set_order.h"
#include "tables/bundle_strings.h"

#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// A published name of a member.
struct SetName {
    std::uint64_t hash = 0;  // name_hash of the text
    std::uint32_t member = 0;
    std::uint32_t name = 0;  // record of the names table
    friend auto operator<=>(const SetName&, const SetName&) = default;
};

// Two names that hide each other. The finding is about the first.
struct Clash {
    std::uint32_t member = 0;
    std::uint32_t name = 0;
    VerifierRule rule{};
    std::uint32_t other_member = 0;
    std::uint32_t other_name = 0;
    friend auto operator<=>(const Clash&, const Clash&) = default;
};

// Whether the record gives an asset or variants of its own, instead of removing or extending those of other bundles.
bool has_content(const NameRecord& record) {
    return !record.is(NameRecord::tombstone) && !record.is(NameRecord::extends);
}

// ---- Whether two names lead to different content; false if a record is unknown --------------------------------------

bool assets_differ(const Bundle& a, std::uint32_t index_a, const Bundle& b, std::uint32_t index_b) {
    const auto asset_a = a.asset(AssetIndex{index_a});
    const auto asset_b = b.asset(AssetIndex{index_b});
    return asset_a && asset_b && asset_a->id != asset_b->id;
}

bool texts_differ(const Bundle& a, StringRef ref_a, const Bundle& b, StringRef ref_b) {
    const auto text_a = a.string(ref_a);
    const auto text_b = b.string(ref_b);
    return text_a && text_b && *text_a != *text_b;
}

bool variants_differ(const Bundle& a, const VariantRecord& variant_a, const Bundle& b, const VariantRecord& variant_b) {
    if (variant_a.tag_count != variant_b.tag_count || assets_differ(a, variant_a.asset, b, variant_b.asset))
        return true;
    for (std::uint32_t i = 0; i < variant_a.tag_count; ++i) {
        const auto tag_a = a.tag(variant_a.tag_first + i);
        const auto tag_b = b.tag(variant_b.tag_first + i);
        if (!tag_a || !tag_b)
            return false;
        if (texts_differ(a, tag_a->axis, b, tag_b->axis) || texts_differ(a, tag_a->value, b, tag_b->value))
            return true;
    }
    return false;
}

bool contents_differ(const Bundle& a, const NameRecord& name_a, const Bundle& b, const NameRecord& name_b) {
    if (name_a.count != name_b.count)
        return true;
    if (!name_a.is(NameRecord::has_variants))
        return assets_differ(a, name_a.target, b, name_b.target);
    for (std::uint32_t i = 0; i < name_a.count; ++i) {
        const auto variant_a = a.variant(name_a.target + i);
        const auto variant_b = b.variant(name_b.target + i);
        if (!variant_a || !variant_b)
            return false;
        if (variants_differ(a, *variant_a, b, *variant_b))
            return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------------------------

class SetNames {
public:
    SetNames(std::span<const SetMember> members, const std::stop_token& stop)
        : members_(members), order_(members), stop_(stop) {}

    std::vector<Clash> find_clashes() {
        for (std::uint32_t member = 0; member < members_.size(); ++member)
            visit_published(member, [&](std::uint32_t name, const NameRecord&, std::string_view text) {
                names_.push_back({name_hash(text), member, name});
            });
        std::ranges::sort(names_);
        compare_equal_folds();
        for (std::uint32_t member = 0; member < members_.size(); ++member)
            compare_folders(member);
        std::ranges::sort(clashes_);
        return std::move(clashes_);
    }

private:
    // Calls visit(index, record, text) for the well-formed names that a member may publish, in byte order.
    template <class Visit>
    void visit_published(std::uint32_t member, const Visit& visit) const {
        const Bundle& bundle = *members_[member].bundle;
        const auto& scope = members_[member].scope;
        std::string_view before;
        for (std::uint32_t i = 0; i < bundle.name_count() && !stop_.stop_requested(); ++i) {
            const auto record = bundle.name(NameIndex{i});
            if (!record || !record->is(NameRecord::published))
                continue;
            const auto text = bundle.string(record->text);
            if (!text || *text <= before || !verify_name(*text) || (scope && !scope->may_publish(*text)))
                continue;
            before = *text;
            visit(i, *record, *text);
        }
    }

    // visit_published() has read the record; if it cannot be read again, it is as good as a tombstone.
    NameRecord record_of(const SetName& name) const {
        const auto record = members_[name.member].bundle->name(NameIndex{name.name});
        return record ? *record : NameRecord{.flags = NameRecord::published | NameRecord::tombstone};
    }
    std::string_view text_of(const SetName& name) const {
        const auto text = members_[name.member].bundle->name_text(NameIndex{name.name});
        return text ? *text : std::string_view();
    }

    void compare_equal_folds() {
        std::vector<std::pair<std::string, SetName>> folds;
        for (auto first = names_.begin(); first != names_.end() && !stop_.stop_requested();) {
            const auto last =
                std::find_if(first, names_.end(), [&](const auto& one) { return one.hash != first->hash; });
            folds.clear();
            // More names of one hash than allowed are a finding about their bundle, and the rest is left out.
            const bool alone = last - first == 1;
            for (std::uint32_t of_member = 0; !alone && first != last; ++first) {
                of_member = !folds.empty() && folds.back().second.member == first->member ? of_member + 1 : 0;
                if (of_member < limits::kNameHashCollisionsMax)
                    folds.emplace_back(fold_name(text_of(*first)), *first);
            }
            first = last;
            std::ranges::sort(folds);
            for (auto at = folds.begin(); at != folds.end();) {
                const auto end = std::find_if(at, folds.end(), [&](const auto& one) { return one.first != at->first; });
                compare({at, end});
                at = end;
            }
        }
    }

    // Compares names of equal folds, in the order of members. Of each name, at most one clash per rule.
    void compare(std::span<const std::pair<std::string, SetName>> names) {
        for (std::size_t i = 1; i < names.size(); ++i) {
            bool folds_equal = false;
            bool is_twice = false;
            const SetName& name = names[i].second;
            for (std::size_t j = 0; j < std::min<std::size_t>(i, kComparedMax) && !(folds_equal && is_twice); ++j) {
                const SetName& other = names[j].second;
                // Versions of one bundle are not mounted together, and so are not compared.
                if (order_.is_one_bundle(name.member, other.member))
                    continue;
                // No declaration makes these work where case is ignored.
                if (text_of(name) != text_of(other)) {
                    if (!std::exchange(folds_equal, true))
                        add(VerifierRule::set_names_fold_equal, name, other);
                } else if (!is_twice && compete(name, other)) {
                    is_twice = true;
                    add(VerifierRule::set_name_twice, name, other);
                }
            }
        }
    }

    // Whether only the order of mounting decides which of two equal names counts.
    bool compete(const SetName& a, const SetName& b) const {
        const NameRecord record_a = record_of(a);
        const NameRecord record_b = record_of(b);
        const SetMember& member_a = members_[a.member];
        const SetMember& member_b = members_[b.member];
        const std::string_view text = text_of(a);
        // Overriding a file is the purpose of mounting a mod, so equal names are a warning only if nothing in the set
        // decides: no dependency, tombstone, extension or rule. The order in which bundles are given is not taken for
        // an order of mounting.
        return has_content(record_a) && has_content(record_b) && !order_.has_order(a.member, b.member) &&
               !member_a.yields(text, member_b) && !member_b.yields(text, member_a) &&
               contents_differ(*member_a.bundle, record_a, *member_b.bundle, record_b);
    }

    // Looks up each folder of a member's names. Folders that a name shares with the one before it have been looked up.
    void compare_folders(std::uint32_t member) {
        std::string_view before;
        visit_published(member, [&](std::uint32_t name, const NameRecord& record, std::string_view text) {
            if (!has_content(record))
                return;
            const auto shared = static_cast<std::size_t>(std::ranges::mismatch(text, before).in1 - text.begin());
            for (std::size_t slash = text.find('/', shared); slash != std::string_view::npos;
                 slash = text.find('/', slash + 1))
                compare_folder(text.substr(0, slash), {0, member, name});
            before = text;
        });
    }

    void compare_folder(std::string_view folder, const SetName& inside) {
        const std::uint64_t hash = name_hash(folder);
        auto at = std::ranges::lower_bound(names_, hash, {}, &SetName::hash);
        for (std::size_t seen = 0; at != names_.end() && at->hash == hash && seen < kComparedMax; ++at, ++seen)
            if (!order_.is_one_bundle(at->member, inside.member) && has_content(record_of(*at)) &&
                names_fold_equal(folder, text_of(*at)))
                add(VerifierRule::set_name_is_folder, *at, inside);
    }

    void add(VerifierRule rule, const SetName& name, const SetName& other) {
        clashes_.push_back({name.member, name.name, rule, other.member, other.name});
    }

    // Bounds the work for a name that very many bundles publish, and for names with one hash.
    static constexpr std::size_t kComparedMax = 1024;

    std::span<const SetMember> members_;
    SetOrder order_;
    const std::stop_token& stop_;
    std::vector<SetName> names_;
    std::vector<Clash> clashes_;
};

std::string describe(VerifierRule rule, const std::string& name, const std::string& other, const std::string& label) {
    if (rule == VerifierRule::set_names_fold_equal)
        return name + " and " + other + " of " + label +
               " are the same name if case is ignored, so one hides the other on some systems; rename one";
    if (rule == VerifierRule::set_name_is_folder)
        return name + " is a file, but also a folder of " + other + " of " + label + "; rename one";
    return name + " is published by " + label +
           ", too, with another asset, and neither bundle depends on the other: the order of mounting decides which "
           "one counts. Let one require the other, or rename one";
}

}  // namespace

void check_set_names(std::span<const SetMember> members, const std::stop_token& stop, VerifyFindings& findings) {
    if (members.size() < 2)
        return;
    const auto text_of = [&](std::uint32_t member, std::uint32_t name) {
        const auto text = members[member].bundle->name_text(NameIndex{name});
        return quoted(text ? *text : std::string_view());
    };
    for (const Clash& one : SetNames(members, stop).find_clashes())
        if (findings.is_full(one.rule))
            findings.count(one.rule);
        else
            findings.add(one.rule, members[one.member].label + ": " + record_location(TableKind::names, one.name),
                         describe(one.rule, text_of(one.member, one.name), text_of(one.other_member, one.other_name),
                                  members[one.other_member].label));
}

}  // namespace fardel
