#include <fardel/hosting/registry.h>

#include <fardel/hosting/registry_request.h>
#include "registry/countersigned_file.h"
#include "registry/judgement.h"
#include "registry/registry_folder.h"
#include "registry/safe_text.h"

#include <fardel/format/channel_update.h>
#include <fardel/format/envelope.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>
#include <fardel/hosting/publish.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace fardel {
namespace {

// The rest is for the operator.
constexpr std::uint64_t kAuthorRecallsMax = kChannelRecallsMax / 4 * 3;

std::string_view outcome_name(RegistryOutcome outcome) {
    switch (outcome) {
        case RegistryOutcome::accepted: return "accepted";
        case RegistryOutcome::was_there: return "was-there";
        case RegistryOutcome::recalled: return "recalled";
        case RegistryOutcome::refused: break;
    }
    return "refused";
}

std::string format_refusals(const std::vector<RegistryRefusal>& list) {
    std::string text;
    for (const RegistryRefusal& one : list)
        text += std::string(text.empty() ? "\n" : ",\n") + "    {\"reason\": " + json_text(one.reason) +
                ", \"where\": " + json_text(one.where) + ", \"text\": " + json_text(one.text) + "}";
    return "[" + text + (text.empty() ? "]" : "\n  ]");
}

Status verify_role(const Signer& signer, ChannelText kind, const ChannelRoot& root) {
    const ChannelRole& role = root.role(kind);
    const auto keys = root.keys_of(role);
    if (std::ranges::count(keys, signer.public_key()) == 0)
        return Error(ErrorCode::untrusted, "the key " + key_id(signer.public_key()) + "… is none of the " +
                                               std::string(channel_text_name(kind)) +
                                               " keys in the newest root of the channel");
    if (role.threshold != 1)
        return Error(ErrorCode::unsupported, "the channel wants " + std::to_string(role.threshold) + " " +
                                                 std::string(channel_text_name(kind)) +
                                                 " signatures, and a registry gives one");
    return ok();
}

}  // namespace

std::string format_registry_answer(const RegistryAnswer& answer) {
    return "{\n  \"outcome\": " + json_text(outcome_name(answer.outcome)) +
           ",\n  \"bundle\": " + json_text(answer.bundle.hex()) + ",\n  \"name\": " + json_text(answer.name) +
           ",\n  \"version\": " + json_text(answer.version) +
           ",\n  \"release\": " + std::to_string(answer.release_version) +
           ",\n  \"refusals\": " + format_refusals(answer.refusals) +
           ",\n  \"remarks\": " + format_refusals(answer.remarks) + "\n}\n";
}

struct Registry::Impl {
    explicit Impl(RegistryOptions own_options) : options(std::move(own_options)), folder(options.folder) {}

    const RegistryOptions options;
    std::mutex mutex;  // guards the folder and the signers; a change takes a while
    RegistryFolder folder;

    mutable std::mutex facts_mutex;  // guards what follows, and is held for moments
    RegistryRules rules;
    std::uint64_t released_bundles = 0;
    std::optional<UnixTime> head_expires;
    std::map<std::string, std::uint64_t> refusals;  // by reason
    std::map<RegistryOutcome, std::uint64_t> outcomes;

    UnixTime now() const { return options.now(); }

    Status verify_signers() const {
        const ChannelRoot& root = folder.state()->root;
        FARDEL_TRY(verify_role(*options.signers.release, ChannelText::release, root));
        FARDEL_TRY(verify_role(*options.signers.head, ChannelText::head, root));
        const auto keys = registry_keys_of(root);
        if (std::ranges::count(keys, options.signers.registry->public_key()) == 0)
            return Error(ErrorCode::untrusted, "the key " + key_id(options.signers.registry->public_key()) +
                                                   "… is in no 'registry' role of the newest root of the channel");
        return ok();
    }

    Status change(ChannelChange wanted, const std::vector<BundleId>& added) {
        return folder.change(std::move(wanted), added, *options.signers.release, *options.signers.head, now(),
                             options.head_life_s);
    }

    // What a kill has left, or a failed change.
    Status finish_changes() {
        const auto added = folder.unreleased();
        if (!added.empty() || !folder.state()->release)
            FARDEL_TRY(change({}, added));
        // Last: a name belongs to its author from the release on that has it.
        return folder.record_names();
    }

    Status renew_head_if_needed() {
        // Without a head there is nothing, which is less than any date.
        return folder.head_expires() < now() + options.head_life_s / 2
                   ? folder.renew_head(*options.signers.head, now(), options.head_life_s)
                   : ok();
    }

    Status open() {
        FARDEL_TRY_ASSIGN(const Descriptor lock, folder.lock());
        FARDEL_TRY(folder.refresh(now()));
        FARDEL_TRY(verify_signers());
        // A bundle file that is countersigned, and neither released nor recalled, was left by a kill: it is released
        // now.
        FARDEL_TRY(finish_changes());
        FARDEL_TRY(renew_head_if_needed());
        FARDEL_TRY(folder.write_missing_bundle_pages());
        FARDEL_TRY(folder.write_pages({}));
        note_facts();
        return ok();
    }

    void note_facts() {
        const std::scoped_lock guard(facts_mutex);
        const auto& release = folder.state()->release;
        rules = folder.state()->rules;
        released_bundles = release ? release->bundles.size() : 0;
        head_expires = folder.head_expires();
    }

    Result<PublicKey> verify(std::string_view header, RegistryRequest request) const {
        const std::scoped_lock guard(facts_mutex);
        request.channel = rules.channel;
        return verify_registry_request(header, std::move(request), rules.urls, now());
    }

    RegistryAnswer count(RegistryAnswer answer) {
        note_facts();
        const std::scoped_lock guard(facts_mutex);
        ++outcomes[answer.outcome];
        for (const RegistryRefusal& one : answer.refusals)
            ++refusals[one.reason];
        return answer;
    }

    bool is_released(const BundleId& bundle) const {
        const auto& release = folder.state()->release;
        return release && std::ranges::count(release->bundles, bundle, &ReleasedBundle::bundle) != 0;
    }

    RegistryAnswer answer_of(RegistryOutcome outcome, const CatalogueEntry& entry) const {
        const auto& release = folder.state()->release;
        return {.outcome = outcome,
                .bundle = entry.bundle,
                .name = entry.name,
                .version = entry.version,
                .release_version = release ? release->version : 0,
                .refusals = {},
                .remarks = {}};
    }

    static RegistryAnswer refusal_of(UploadJudgement judgement) {
        return {.outcome = RegistryOutcome::refused,
                .bundle = judgement.bundle ? judgement.bundle->id() : BundleId(),
                .name = printable(judgement.name),
                .version = printable(judgement.version),
                .release_version = 0,
                .refusals = std::move(judgement.refusals),
                .remarks = std::move(judgement.remarks)};
    }

    // A bundle of the same author that is here and not recalled.
    const CatalogueEntry* find_own(const BundleId& bundle, const PublicKey& author) const {
        const CatalogueEntry* const entry = folder.state()->catalogue.find(bundle);
        return entry != nullptr && entry->author == author ? entry : nullptr;
    }

    Result<RegistryAnswer> accept(const std::shared_ptr<const ByteSource>& file, const PublicKey& author,
                                  UploadJudgement judgement, const std::stop_token& stop) {
        const std::scoped_lock guard(mutex);
        FARDEL_TRY_ASSIGN(const Descriptor lock, folder.lock());
        FARDEL_TRY(folder.refresh(now()));
        FARDEL_TRY(folder.record_names());  // what a failure after a release has left
        const BundleId id = judgement.bundle->id();
        if (const CatalogueEntry* const own = find_own(id, author); own != nullptr && is_released(id))
            return count(answer_of(RegistryOutcome::was_there, *own));
        // Others may have changed the registry while every byte was read.
        UploadJudgement newest = judge_by_rules(judgement.bundle, author, *folder.state(), now());
        if (!newest.refusals.empty())
            return count(refusal_of(std::move(newest)));
        FARDEL_TRY_ASSIGN(
            const Envelope envelope,
            countersign(*newest.statement, {.role = SignerRole::registry, .comment = {}, .epoch = 0, .created = now()},
                        *options.signers.registry));
        FARDEL_TRY_ASSIGN(auto end, encode_envelope(envelope));
        const auto signed_file = extend_file(file, std::move(end));
        if (auto refused = refuse_by_channel(signed_file, newest))
            return count(*std::move(refused));
        // File, release, head, pages: each appears whole, and a kill in between leaves a state from which the next
        // start goes on.
        FARDEL_TRY(publish_bundle(signed_file, folder.tree(), {.progress = {}, .stop = stop, .now = now()}));
        return release(id, judgement.remarks);
    }

    // The rules of the channel are the last word: its clients would refuse what they refuse.
    std::optional<RegistryAnswer> refuse_by_channel(const std::shared_ptr<const ByteSource>& signed_file,
                                                    const UploadJudgement& judgement) const {
        const RegistryState& state = *folder.state();
        const auto policy = channel_policy(state.root, state.release);
        const auto bundle =
            policy ? Bundle::open(signed_file, {.policy = *policy ? &**policy : nullptr, .time = TrustTime::at(now())})
                   : policy.error();
        if (bundle)
            return std::nullopt;
        RegistryAnswer answer = refusal_of(judgement);
        answer.refusals.push_back({.reason = "channel-rules", .where = {}, .text = bundle.error().message()});
        return answer;
    }

    Result<RegistryAnswer> release(const BundleId& id, const std::vector<RegistryRefusal>& remarks) {
        FARDEL_TRY(folder.reread(now()));
        FARDEL_TRY(finish_changes());
        const CatalogueEntry* const entry = folder.state()->catalogue.find(id);
        if (entry == nullptr)
            return Error(ErrorCode::corrupt, "the bundle that was published cannot be read again");
        FARDEL_TRY(folder.write_bundle_page(id, remarks));
        FARDEL_TRY(folder.write_pages({entry->name}));
        RegistryAnswer answer = answer_of(RegistryOutcome::accepted, *entry);
        answer.remarks = remarks;
        return count(std::move(answer));
    }

    std::optional<RegistryRefusal> refuse_recall(const CatalogueEntry* entry, const std::string& reason,
                                                 const PublicKey* author) const {
        // As the release has it, which would otherwise not be made.
        if (reason.empty() || printable(reason, kRegistryReasonBytesMax) != reason)
            return RegistryRefusal{
                "reason-form",
                {},
                "a reason is plain text of at most " + std::to_string(kRegistryReasonBytesMax) + " bytes"};
        if (entry == nullptr)
            return RegistryRefusal{"not-here", {}, "this registry has no such bundle"};
        if (author == nullptr)
            return std::nullopt;
        const auto owners = folder.state()->catalogue.owners_of(entry->name, folder.state()->rules);
        if (entry->author != *author && std::ranges::count(owners, *author) == 0)
            return RegistryRefusal{"name-owned", {}, "the bundle belongs to the key " + key_id(entry->author) + "…"};
        if (folder.state()->release && folder.state()->release->recalled_bundles.size() >= kAuthorRecallsMax)
            return RegistryRefusal{"recalls-full", {}, "only the operator can recall more bundles; write to them"};
        return std::nullopt;
    }

    Result<RegistryAnswer> recall(const BundleId& bundle, const std::string& reason, const PublicKey* author) {
        const std::scoped_lock guard(mutex);
        FARDEL_TRY_ASSIGN(const Descriptor lock, folder.lock());
        FARDEL_TRY(folder.refresh(now()));
        // Before the bundle may be pruned.
        FARDEL_TRY(folder.record_names());
        const CatalogueEntry* const found = folder.state()->catalogue.find(bundle);
        if (auto refused = refuse_recall(found, reason, author)) {
            RegistryAnswer answer{.bundle = bundle, .name = {}, .version = {}, .refusals = {}, .remarks = {}};
            answer.refusals.push_back(*std::move(refused));
            return count(std::move(answer));
        }
        const CatalogueEntry entry = *found;
        ChannelChange wanted;
        wanted.recalled_bundles.push_back({bundle, reason});
        const auto& before = folder.state()->release;
        const bool is_recalled =
            before && std::ranges::count(before->recalled_bundles, bundle, &Revocation<BundleId>::id) != 0;
        // Asked for again, as after an answer that was lost: there is nothing left to change.
        if (!is_recalled)
            FARDEL_TRY(change(std::move(wanted), {}));
        FARDEL_TRY(folder.write_pages({entry.name}));
        return count(answer_of(RegistryOutcome::recalled, entry));
    }

    std::string format_metrics() const {
        const std::scoped_lock guard(facts_mutex);
        std::string text =
            "# HELP fardel_registry_requests_total Uploads and recalls by their outcome.\n"
            "# TYPE fardel_registry_requests_total counter\n";
        for (const auto& [outcome, number] : outcomes)
            text += "fardel_registry_requests_total{outcome=\"" + std::string(outcome_name(outcome)) + "\"} " +
                    std::to_string(number) + "\n";
        text +=
            "# HELP fardel_registry_refusals_total Reasons for which uploads and recalls were refused.\n"
            "# TYPE fardel_registry_refusals_total counter\n";
        for (const auto& [reason, number] : refusals)
            text += "fardel_registry_refusals_total{reason=\"" + reason + "\"} " + std::to_string(number) + "\n";
        text +=
            "# HELP fardel_registry_bundles Bundles in the newest release.\n"
            "# TYPE fardel_registry_bundles gauge\n"
            "fardel_registry_bundles " +
            std::to_string(released_bundles) +
            "\n"
            "# HELP fardel_registry_head_expires_seconds When the head expires, in seconds since 1970.\n"
            "# TYPE fardel_registry_head_expires_seconds gauge\n"
            "fardel_registry_head_expires_seconds " +
            std::to_string(head_expires ? head_expires->seconds : 0) + "\n";
        return text;
    }
};

Registry::Registry(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Registry::~Registry() = default;

Result<std::unique_ptr<Registry>> Registry::open(RegistryOptions options) {
    auto impl = std::make_unique<Impl>(std::move(options));
    FARDEL_TRY(impl->open());
    return std::unique_ptr<Registry>(new Registry(std::move(impl)));
}

Result<PublicKey> Registry::verify_upload(std::string_view header, const BundleId& bundle) const {
    return impl_->verify(header,
                         {.action = RegistryAction::upload, .url = {}, .channel = {}, .bundle = bundle, .reason = {}});
}

Result<PublicKey> Registry::verify_recall(std::string_view header, const BundleId& bundle,
                                          const std::string& reason) const {
    const bool has_control = std::ranges::any_of(reason, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
    if (reason.empty() || reason.size() > kRegistryReasonBytesMax || !is_utf8_text(reason) || has_control)
        return Error(ErrorCode::malformed, "the reason is 1 to " + std::to_string(kRegistryReasonBytesMax) +
                                               " bytes of UTF-8 without control characters");
    return impl_->verify(
        header, {.action = RegistryAction::recall, .url = {}, .channel = {}, .bundle = bundle, .reason = reason});
}

Result<RegistryAnswer> Registry::accept(const std::shared_ptr<const ByteSource>& file, const PublicKey& author,
                                        const std::stop_token& stop) {
    std::shared_ptr<const RegistryState> state;
    {
        const std::scoped_lock guard(impl_->mutex);
        FARDEL_TRY(impl_->folder.refresh(impl_->now()));
        state = impl_->folder.state();
    }
    if (const auto bundle = Bundle::open(file, {}); bundle) {  // what is here needs no second judgement
        const std::scoped_lock guard(impl_->mutex);
        const CatalogueEntry* const own = impl_->find_own((*bundle)->id(), author);
        if (own != nullptr && impl_->is_released(own->bundle) && impl_->folder.has_recorded_names())
            return impl_->count(impl_->answer_of(RegistryOutcome::was_there, *own));
    }
    FARDEL_TRY_ASSIGN(UploadJudgement judgement, judge_upload(file, author, *state, impl_->now(), stop));
    if (judgement.refusals.empty())
        return impl_->accept(file, author, std::move(judgement), stop);
    const std::scoped_lock guard(impl_->mutex);
    return impl_->count(Impl::refusal_of(std::move(judgement)));
}

Result<RegistryAnswer> Registry::recall(const BundleId& bundle, const std::string& reason, const PublicKey* author) {
    return impl_->recall(bundle, reason, author);
}

Status Registry::renew_head() {
    const std::scoped_lock guard(impl_->mutex);
    FARDEL_TRY_ASSIGN(const Descriptor lock, impl_->folder.lock());
    FARDEL_TRY(impl_->folder.refresh(impl_->now()));
    FARDEL_TRY(impl_->renew_head_if_needed());
    impl_->note_facts();
    return ok();
}

std::string Registry::format_metrics() const { return impl_->format_metrics(); }

}  // namespace fardel
