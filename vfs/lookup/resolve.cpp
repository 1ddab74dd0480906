#include "resolve.h"

#include <fardel/format/id_path.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>

#include <string>
#include <utility>

namespace fardel {
namespace {

using Verdict = AssetVerdicts::Verdict;

Result<std::optional<NameMatch>> find_in(const Mount& mount, std::string_view name, std::uint64_t hash, CaseRule rule) {
    FARDEL_TRY_ASSIGN(const auto index, mount.bundle().find_name(name, hash, rule));
    if (!index)
        return std::optional<NameMatch>();
    FARDEL_TRY_ASSIGN(const NameRecord record, mount.bundle().name(*index));
    NameMatch match{.mount = &mount, .index = *index, .record = record};
    if (mount.content.scope || mount.content.limits_classes) {
        FARDEL_TRY_ASSIGN(const std::string_view text, mount.bundle().string(record.text));
        // A look-up table that leads to another name would lend it that name's rights.
        if (text != name && !(rule == CaseRule::fold && names_fold_equal(text, name)))
            return Error(ErrorCode::malformed, mount.bundle().label() + ": its look-up table leads from " +
                                                   in_quotes(name) + " to the name " + in_quotes(text));
        match.may_publish = !mount.content.scope || mount.content.scope->may_publish(text);
        match.may_override = !mount.content.scope || mount.content.scope->may_override(text);
    }
    return std::optional(match);
}

// Whether the error is about the content, so that another attempt would have the same result.
bool lasts(const Error& error) {
    return error.code() == ErrorCode::corrupt || error.code() == ErrorCode::malformed ||
           error.code() == ErrorCode::unsupported;
}

}  // namespace

Result<std::optional<NameMatch>> find_in_mount(const Mount& mount, std::string_view name, std::uint64_t hash) {
    // A bundle may have been written without this rule: it must not answer for an id (tests/ATTACKS.md, A15).
    if (find_id_path(name) || (mount.paths && !mount.shows(name)))
        return std::optional<NameMatch>();
    if (mount.mount_point.empty())
        return find_in(mount, name, hash, mount.case_rule);
    const auto inside = mount.inside(name);
    if (!inside)
        return std::optional<NameMatch>();
    return find_in(mount, *inside, name_hash(*inside), mount.case_rule);
}

bool NameMatch::same_rule(const NameMatch& other) const noexcept {
    const NameScope* own = mount->content.scope.get();
    const NameScope* its = other.mount->content.scope.get();
    return own == its || (own != nullptr && its != nullptr && own->rule == its->rule);
}

Result<std::optional<NameMatch>> find_published(const MountSet& set, std::string_view name, std::uint64_t hash) {
    NameContest contest;
    CandidateWalk candidates(set, hash);
    while (const Mount* mount = candidates.next()) {
        FARDEL_TRY_ASSIGN(const auto match, find_in_mount(*mount, name, hash));
        if (match && match->decides() && contest.add(*match))
            break;
    }
    if (!contest.winner() || contest.winner()->record.is(NameRecord::tombstone))
        return std::optional<NameMatch>();
    return contest.winner();
}

std::optional<std::string> find_other_case(const MountSet& set, std::string_view name) {
    for (const Mount& mount : set.mounts()) {
        const auto inside = mount.inside(name);
        if (!inside)
            continue;
        const auto match = find_in(mount, *inside, name_hash(*inside), CaseRule::fold);
        if (!match || !*match || !(*match)->decides() || (*match)->record.is(NameRecord::tombstone))
            continue;
        const auto text = mount.bundle().name_text((*match)->index);
        if (text && verify_name(*text) && !find_id_path(*text) && (!mount.paths || mount.shows(*text)))
            return mount.mount_point.empty() ? std::string(*text) : mount.mount_point + "/" + std::string(*text);
    }
    return std::nullopt;
}

Result<std::optional<NameMatch>> find_in_bundle(const Mount& mount, std::string_view name, std::uint64_t hash) {
    FARDEL_TRY_ASSIGN(const auto match, find_in(mount, name, hash, CaseRule::exact));
    if (match && match->record.is(NameRecord::tombstone))
        return std::optional<NameMatch>();
    return match;
}

Status verify_copy(const Mount& mount, AssetIndex index, AssetVerdicts& verdicts) {
    switch (verdicts.find(mount.content.number, index)) {
        case Verdict::good: return ok();
        case Verdict::bad:
            return Error(ErrorCode::corrupt, mount.bundle().label() + ": the content of asset " +
                                                 std::to_string(static_cast<std::uint32_t>(index)) +
                                                 " was found to differ from its id");
        case Verdict::unknown: break;
    }
    Status good = mount.bundle().verify_asset(index);
    if (good || lasts(good.error()))
        verdicts.remember(mount.content.number, index, static_cast<bool>(good));
    return good;
}

Result<AssetSearch> find_asset_copy(const MountSet& set, AssetVerdicts& verdicts, const AssetId& id, Compare compare) {
    std::optional<Error> first_error;
    const auto note = [&](Error error) {
        if (!first_error)
            first_error = std::move(error);
    };
    for (const Mount& mount : set.mounts()) {
        if (mount.paths)
            continue;
        auto index = mount.bundle().find_asset(id);
        if (!index) {
            // A damaged mount does not hide an intact copy in another one; its error counts only if there is none.
            note(std::move(index).error());
            continue;
        }
        if (!index->has_value())
            continue;
        if (Status usable = mount.verify_not_recalled(); !usable) {
            note(std::move(usable).error());
            continue;
        }
        const AssetIndex asset = **index;
        auto record = mount.bundle().asset(asset);
        if (!record) {
            note(std::move(record).error());
            continue;
        }
        // Another bundle may have the same asset, and state no date or a later one.
        if (record->metadata_first != kNoIndex)
            if (Status current = mount.bundle().verify_asset_date(asset); !current) {
                note(std::move(current).error());
                continue;
            }
        const bool limited = mount.content.limits_classes;
        if (compare == Compare::no && (limited || verdicts.find(mount.content.number, asset) == Verdict::unknown))
            // Comparing reads the disk, and this call may not wait: the caller asks again where it may.
            return AssetSearch{.undecided = true};
        if (auto allowed = limited ? mount.bundle().verify_class(asset) : ok(); !allowed) {
            note(std::move(allowed).error());
            continue;
        }
        if (auto good = verify_copy(mount, asset, verdicts); !good) {
            note(std::move(good).error());
            continue;
        }
        return AssetSearch{.file = File(mount.content.leases->of_this_thread(), asset, *record), .mount = &mount};
    }
    if (first_error)
        return *std::move(first_error);
    return AssetSearch{};
}

}  // namespace fardel
