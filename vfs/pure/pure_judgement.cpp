#include <fardel/vfs/pure_judgement.h>

#include <fardel/format/glob_set.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

std::string mounted_at(std::string_view mount_point, CaseRule rule) {
    return "\"/" + std::string(mount_point) + "\"" + (rule == CaseRule::fold ? ", case folded" : "");
}

template <class Id>
const Revocation<Id>* find_revocation(const std::vector<Revocation<Id>>& list, const Id& id) {
    const auto at = std::ranges::lower_bound(list, id, {}, &Revocation<Id>::id);
    return at != list.end() && at->id == id ? &*at : nullptr;
}

std::string because(std::string text, const std::string& reason) {
    return reason.empty() ? text : std::move(text) + ": " + reason;
}

// Why the mount is withdrawn; nothing if it is not.
std::optional<std::string> find_withdrawn(const PureRules& rules, const PureMount& mount) {
    if (const auto* revoked = find_revocation(rules.revoked_bundles, mount.bundle))
        return because("the bundle is withdrawn", revoked->reason);
    for (const TrustedSigner& signer : mount.signers)
        if (const auto* revoked = find_revocation(rules.revoked_keys, signer.key))
            return because("signed with the withdrawn key " + key_id(signer.key), revoked->reason);
    return mount.recall.empty() ? std::nullopt : std::optional(mount.recall);
}

// Whether the signatures that the client's trust policy counted are those of the exception, in its role.
bool is_signed_for(const PureException& exception, const PureMount& mount) {
    // Only signatures that the client's own policy has counted are in `signers`, and the keys are the server's.
    // "Whoever is a registry for the client" would let players make a registry of a key of their own, and admit what
    // they sign.
    if (!exception.role)
        return std::ranges::find(mount.signers, exception.signer, &TrustedSigner::key) != mount.signers.end();
    const auto has_signed = [&](const PublicKey& key) {
        return std::ranges::any_of(mount.signers, [&](const TrustedSigner& signer) {
            return signer.key == key && signer.role == exception.role->role;
        });
    };
    return std::ranges::count_if(exception.role->keys, has_signed) >=
           static_cast<std::ptrdiff_t>(exception.role->threshold);
}

// Judges the mounts in one pass; each is used once. The time is linear: sets of ten thousand bundles are judged at each
// change of the mounts.
class Judge {
public:
    Judge(const PurePolicy& policy, std::span<const PureMount> mounts)
        : rules_(policy.rules()), mounts_(mounts), used_(mounts.size(), false) {
        for (const PureBundle& wanted : rules_.bundles)
            content_.insert(wanted.bundle);
        for (std::size_t i = 0; i < mounts_.size(); ++i)
            if (!mounts_[i].loose)
                mounts_of_[mounts_[i].bundle].push_back(i);
    }

    PureJudgement judge() {
        std::vector<PureVisible> content;
        for (const PureBundle& wanted : rules_.bundles)
            if (const auto id = judge_content(wanted))
                content.push_back({*id, {}});
        out_.complete = content.size() == rules_.bundles.size();
        std::vector<PureVisible> loose;
        for (std::size_t i = 0; i < mounts_.size(); ++i) {
            if (used_[i] || mounts_[i].pure_only)
                continue;
            if (mounts_[i].loose)
                judge_loose(mounts_[i], loose);
            else
                judge_other(mounts_[i]);
        }
        out_.visible.insert(out_.visible.end(), content.rbegin(), content.rend());  // later ones win
        out_.visible.insert(out_.visible.end(), loose.begin(), loose.end());
        return std::move(out_);
    }

private:
    void report(PureFault fault, const PureMount& mount, std::string_view text) {
        out_.problems.push_back(
            make_pure_problem(fault, mount.bundle, mount.name.empty() ? mount.label : mount.name, text));
    }

    // The mount that becomes visible.
    std::optional<MountId> judge_content(const PureBundle& wanted) {
        const auto report_wanted = [&](PureFault fault, std::string_view text) {
            out_.problems.push_back(make_pure_problem(fault, wanted.bundle, wanted.name, text));
        };
        std::optional<std::size_t> elsewhere;
        for (const std::size_t i : mounts_of_[wanted.bundle]) {
            const PureMount& mount = mounts_[i];
            if (mount.mount_point != wanted.mount_point || mount.case_rule != wanted.case_rule) {
                // What another server brought does not exist for this one, and is not reported either.
                if (!mount.pure_only)
                    elsewhere = i;
                continue;
            }
            used_[i] = true;
            if (const auto withdrawn = find_withdrawn(rules_, mount)) {
                report_wanted(PureFault::revoked, *withdrawn);
                return std::nullopt;
            }
            if (mount.tainted && !rules_.unsigned_allowed) {
                report_wanted(PureFault::unsigned_, "no key of the trust policy has signed it");
                return std::nullopt;
            }
            return mount.id;
        }
        if (!elsewhere) {
            report_wanted(PureFault::missing, "in the content set and not mounted");
            return std::nullopt;
        }
        used_[*elsewhere] = true;  // reported once
        report_wanted(PureFault::wrong, "mounted at " +
                                            mounted_at(mounts_[*elsewhere].mount_point, mounts_[*elsewhere].case_rule) +
                                            "; the policy says " + mounted_at(wanted.mount_point, wanted.case_rule));
        return std::nullopt;
    }

    void judge_loose(const PureMount& mount, std::vector<PureVisible>& loose) {
        if (rules_.loose.empty())
            report(PureFault::not_allowed, mount, "loose files; the policy tolerates none");
        else
            loose.push_back({mount.id, rules_.loose});
    }

    void judge_other(const PureMount& mount) {
        if (content_.contains(mount.bundle))
            return report(
                PureFault::extra, mount,
                "a bundle of the content set, mounted once more at " + mounted_at(mount.mount_point, mount.case_rule));
        if (const auto withdrawn = find_withdrawn(rules_, mount))
            return report(PureFault::revoked, mount, *withdrawn);
        bool name_fits = false;
        std::vector<std::string> paths;
        for (const PureException& exception : rules_.exceptions) {
            if (mount.name.empty() || !glob_matches(exception.bundles, mount.name))
                continue;
            name_fits = true;
            if (!mount.tainted && is_signed_for(exception, mount))
                paths.push_back(exception.paths);
        }
        if (!paths.empty())
            out_.visible.push_back({mount.id, std::move(paths)});
        else if (name_fits)
            report(PureFault::not_allowed, mount, "an exception has its name, and other signers");
        else if (mount.tainted && !rules_.exceptions.empty())
            report(PureFault::unsigned_, mount,
                   "not in the content set, and not signed by a key that could make it an exception");
        else
            report(PureFault::extra, mount, "not in the content set");
    }

    const PureRules& rules_;
    std::span<const PureMount> mounts_;
    std::vector<bool> used_;
    std::unordered_set<BundleId> content_;
    std::unordered_map<BundleId, std::vector<std::size_t>> mounts_of_;  // in their order
    PureJudgement out_;
};

// A report goes to the server, and a label may be a path of the player's disk.
std::string reason_of(const Error& error, const std::string& label) {
    std::string_view text = error.message();
    if (text.starts_with(label + ": "))
        text.remove_prefix(label.size() + 2);
    return std::string(text);
}

}  // namespace

bool PureVisible::shows(std::string_view path) const { return paths.empty() || GlobSet(paths).matches(path); }

PureMount pure_mount(const MountDescription& mount, const Bundle& bundle) {
    const TrustVerdict& verdict = bundle.verdict();
    PureMount out;
    out.id = mount.id;
    out.label = mount.label;
    out.mount_point = mount.mount_point;
    out.case_rule = mount.case_rule;
    out.loose = mount.kind != MountKind::bundle;
    if (out.loose)
        return out;
    out.bundle = bundle.id();
    if (mount.recall)
        out.recall = reason_of(*mount.recall, mount.label);
    out.tainted = verdict.tainted || !verdict.trusted;
    // What nobody trusted has signed does not count: neither a name nor a signer.
    if (out.tainted)
        return out;
    out.name = verdict.statement ? verdict.statement->name : "";
    out.signers = verdict.signers;
    return out;
}

PureJudgement judge_mounts(const PurePolicy& policy, std::span<const PureMount> mounts) {
    return Judge(policy, mounts).judge();
}

std::vector<PureProblem> judge_loose_paths(const PurePolicy& policy, std::string_view label,
                                           std::span<const std::string> paths) {
    const GlobSet tolerated(policy.rules().loose);
    std::vector<PureProblem> problems;
    for (const std::string& path : paths)
        if (!tolerated.matches(path))
            problems.push_back(
                make_pure_problem(PureFault::not_allowed, {}, path, "a loose file of " + std::string(label)));
    return problems;
}

std::vector<PureProblem> judge_variants(const PurePolicy& policy, std::span<const PureAxis> chosen) {
    std::vector<PureProblem> problems;
    for (const PureAxis& choice : chosen) {
        const auto allowed = std::ranges::find(policy.rules().variants, choice.axis, &PureAxis::axis);
        if (allowed == policy.rules().variants.end())
            continue;
        for (const std::string& tag : choice.tags)
            if (!std::ranges::binary_search(allowed->tags, tag))
                problems.push_back(make_pure_problem(PureFault::not_allowed, {}, choice.axis + "=" + tag,
                                                     "a variant that the policy does not have"));
    }
    return problems;
}

}  // namespace fardel
