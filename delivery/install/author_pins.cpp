#include "install/author_pins.h"

#include "install/stored_bundles.h"

#include <fardel/delivery/author_changes.h>
#include <fardel/format/author.h>
#include <fardel/format/bundle.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

// What the channel's rules say without its recalls: a recalled bundle still says whose its name was. Nothing if the
// rules alone decide nothing.
std::optional<TrustPolicy> policy_without_recalls(const ChannelState& state) {
    if (!state.channel_policy)
        return std::nullopt;
    TrustRules rules = state.channel_policy->rules();
    rules.revoked_keys.clear();
    rules.revoked_bundles.clear();
    auto policy = TrustPolicy::make(std::move(rules));
    return policy ? std::optional(*std::move(policy)) : std::nullopt;
}

// Without a policy. nullptr: it is not here, or cannot be read.
std::shared_ptr<const Bundle> find_stored(const BundleStore& store, const BundleId& id) {
    auto source = store.open_bundle(id);
    auto bundle = source ? Bundle::open(*std::move(source), {}) : Result<std::shared_ptr<const Bundle>>(source.error());
    return bundle ? *std::move(bundle) : nullptr;
}

std::optional<PublicKey> stored_author(const Bundle& bundle, const ChannelState& state) {
    const auto judged = [&](const TrustPolicy& policy) {
        const auto verdict = bundle.judge(policy, TrustTime::ignored());
        return verdict ? author_of(*verdict) : std::nullopt;
    };
    if (const auto author = judged(*state.policy))
        return author;
    const auto rules = policy_without_recalls(state);
    return rules ? judged(*rules) : std::nullopt;
}

BundleAuthor labelled(const PublicKey& key, const ChannelState& state) {
    BundleAuthor author{.key = key, .label = label_of(key, *state.policy)};
    if (author.label.empty() && state.channel_policy)
        author.label = label_of(key, *state.channel_policy);
    return author;
}

std::string shown(const std::optional<BundleAuthor>& author) {
    if (!author)
        return "nobody whom the policy knows";
    return author->label.empty() ? "the key " + author->key.hex()
                                 : printable(author->label) + " (" + author->key.hex() + ")";
}

}  // namespace

std::string describe_change(const AuthorChange& change) {
    return printable(change.name) + " was by " + shown(change.before) + ", and is now by " + shown(change.after);
}

Result<AcceptedAuthor> AcceptedAuthor::parse(std::string_view text) {
    const auto equals = text.rfind('=');
    const auto key = PublicKey::parse(equals == std::string_view::npos ? "" : text.substr(equals + 1));
    if (!key || equals == 0)
        return Error(ErrorCode::malformed,
                     printable(text) + ": an author is accepted as NAME=KEY, all 64 digits of it");
    return AcceptedAuthor{.name = std::string(text.substr(0, equals)), .key = *key};
}

bool is_accepted(const AuthorChange& change, std::span<const AcceptedAuthor> accepted) {
    return change.after && std::ranges::any_of(accepted, [&](const AcceptedAuthor& one) {
               return printable(one.name) == printable(change.name) && one.key == change.after->key;
           });
}

Status refuse_author_changes(const std::vector<AuthorChange>& changes, std::string_view advice) {
    std::string text;
    for (const AuthorChange& one : changes)
        text += describe_change(one) + "; ";
    return Error(ErrorCode::conflict,
                 text + "nothing was fetched, and what is installed stays; " + std::string(advice));
}

Result<std::vector<AuthorChange>> find_author_changes(const BundleStore& store, const ChannelState& state,
                                                      const FetchPlan& plan) {
    std::map<std::string, std::vector<PublicKey>> known;
    for (const PlannedFetch& one : plan.bundles)
        if (!one.name.empty())
            known[one.name];
    if (known.empty())
        return std::vector<AuthorChange>();
    FARDEL_TRY_ASSIGN(const auto stored, store.list());
    for (const StoredBundle& one : stored) {
        const auto bundle = find_stored(store, one.bundle);
        const auto name =
            bundle ? bundle->find_bundle_text("name") : Result<std::optional<std::string_view>>(std::nullopt);
        const auto wanted = name && *name ? known.find(printable(**name)) : known.end();
        if (wanted == known.end())
            continue;
        if (const auto author = stored_author(*bundle, state))
            wanted->second.push_back(*author);
    }
    std::vector<AuthorChange> changes;
    for (const PlannedFetch& one : plan.bundles) {
        const auto found = known.find(one.name);
        if (found == known.end() || found->second.empty() ||
            (one.author && std::ranges::count(found->second, one.author->key) != 0))
            continue;
        changes.push_back({.name = one.name, .before = labelled(found->second.back(), state), .after = one.author});
    }
    return changes;
}

AuthorPins::AuthorPins(const BundleStore& store, const ChannelState& state, const std::optional<LockFile>& before)
    : store_(store), state_(state) {
    if (!before)
        return;
    for (const ResolvedBundle& one : before->resolution.bundles) {
        auto author = one.author;
        if (const auto bundle = author ? nullptr : find_stored(store, one.bundle))
            author = stored_author(*bundle, state);
        if (!author)
            continue;
        pinned_.emplace(one.bundle, *author);
        if (!one.name.empty())
            before_[printable(one.name)].push_back(*author);
    }
}

Result<std::vector<AuthorChange>> AuthorPins::read_authors(const FetchPlan& fetch, const TrustTime& time,
                                                           Resolution& resolution) const {
    const OpenResolved open = open_stored(store_, state_.policy.get(), time);
    std::map<std::string, std::vector<PublicKey>> known = before_;
    std::vector<AuthorChange> changes;
    for (ResolvedBundle& one : resolution.bundles) {
        std::string name = printable(one.name);
        if (const auto planned = std::ranges::find(fetch.bundles, one.bundle, &PlannedFetch::bundle);
            planned != fetch.bundles.end()) {
            one.author = planned->author ? std::optional(planned->author->key) : std::nullopt;
            name = planned->name;  // which a static dependency has, too
        } else {
            FARDEL_TRY_ASSIGN(const auto bundle, open(one.bundle));
            one.author = author_of(bundle->verdict());
            FARDEL_TRY_ASSIGN(const auto stated, bundle->find_bundle_text("name"));
            name = printable(stated.value_or(""));
        }
        // What stays as it is keeps its author, also under a policy that knows none.
        if (const auto pinned = pinned_.find(one.bundle); !one.author && pinned != pinned_.end())
            one.author = pinned->second;
        if (name.empty())
            continue;
        auto& authors = known[name];
        if (authors.empty()) {
            if (one.author)
                authors.push_back(*one.author);
            continue;
        }
        if (one.author && std::ranges::count(authors, *one.author) != 0)
            continue;
        AuthorChange change{.name = name, .before = labelled(authors.back(), state_), .after = {}};
        if (one.author)
            change.after = labelled(*one.author, state_);
        if (std::ranges::count(changes, change) == 0)
            changes.push_back(std::move(change));
    }
    return changes;
}

}  // namespace fardel
