#include <fardel/hosting/registry.h>

#include <fardel/hosting/registry_request.h>
#include "registry/judgement.h"
#include "registry/page_text.h"
#include "registry/registry_folder.h"
#include "registry/safe_text.h"
#include "registry/upload_facts.h"

#include <fardel/base/path_stamp.h>
#include <fardel/delivery/resolve.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/bundle_use.h>
#include <fardel/format/channel_update.h>
#include <fardel/format/dependencies.h>
#include <fardel/format/envelope.h>
#include <fardel/format/extended_source.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>
#include <fardel/format/requirement.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/published_signatures.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace fardel {
namespace {

// Whether an error says what a change is, and not that a disk or a signer failed: then it fails again at each start.
bool is_about_change(ErrorCode code) {
    return code == ErrorCode::limit || code == ErrorCode::conflict || code == ErrorCode::malformed ||
           code == ErrorCode::revoked || code == ErrorCode::rollback;
}

std::string_view outcome_name(RegistryOutcome outcome) {
    switch (outcome) {
        case RegistryOutcome::accepted: return "accepted";
        case RegistryOutcome::was_there: return "was-there";
        case RegistryOutcome::recalled: return "recalled";
        case RegistryOutcome::acceptable: return "acceptable";
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
           ",\n  \"root\": " + std::to_string(answer.root_version) +
           ",\n  \"refusals\": " + format_refusals(answer.refusals) +
           ",\n  \"remarks\": " + format_refusals(answer.remarks) + "\n}\n";
}

struct Registry::Impl {
    explicit Impl(RegistryOptions own_options) : options(std::move(own_options)), folder(options.folder) {}

    const RegistryOptions options;
    std::mutex mutex;  // guards the folder and the signers; a change takes a while
    RegistryFolder folder;
    std::vector<PathStamp> read_stamps;  // of the texts when they were read last
    bool is_behind = false;              // a bundle was published, and the folder was not read again since

    mutable std::mutex facts_mutex;              // guards what follows, and is held for moments
    std::shared_ptr<const RegistryState> shown;  // for questions, which wait for no change
    std::string signer_problem;                  // empty: there is none
    std::uint64_t released_bundles = 0;
    std::uint64_t bundles_set_aside = 0;
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

    // Reads the folder, and notes whether the signers can still do what they are here for: the operator may have
    // replaced keys in a new root while this program runs.
    Status refresh() {
        if (folder.state())
            read_stamps = stamps_of_texts();  // before they are read
        FARDEL_TRY(is_behind ? folder.reread(now()) : folder.refresh(now()));
        note_signers();
        return ok();
    }

    void note_signers() {
        const Status usable = verify_signers();
        std::string said;
        if (!usable)
            said = usable.error().message() + "; this server takes no uploads and recalls, and lets the head end on " +
                   (folder.head_expires() ? format_day(*folder.head_expires()) : std::string("its date")) +
                   ", until it is started with the keys of that root";
        {
            const std::scoped_lock guard(facts_mutex);
            if (said == signer_problem)
                return;
            signer_problem = said;
        }
        if (!said.empty() && options.report)
            options.report(said);
    }

    // Error: untrusted, unsupported.
    Status verify_can_sign() const {
        const Status usable = verify_signers();
        return usable ? ok() : Status(Error(ErrorCode::untrusted, usable.error().message()));
    }

    Result<RegistryFolder::PlannedRelease> plan(ChannelChange wanted, NeedsOfBundles known = {}) const {
        return folder.plan(std::move(wanted), std::move(known), *options.signers.release, *options.signers.head, now(),
                           options.head_life_s);
    }

    // What a kill has left, or a failed change. What cannot be released stays set aside, and keeps nobody out.
    Status finish_changes() {
        FARDEL_TRY(release_what_is_left());
        // Last: a name belongs to its author from the release on that has it.
        return folder.record_names();
    }

    Status release_what_is_left() {
        const RegistryState& state = *folder.state();
        if (state.unreleased.empty() && state.release && !folder.has_recalled_authors())
            return ok();
        const auto planned = plan(folder.change_that_adds(state.unreleased));
        if (!planned && state.release && is_about_change(planned.error().code()))
            return ok();
        return planned ? folder.publish(*planned, now()) : planned.error();
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
        shown = folder.state();
        released_bundles = release ? release->bundles.size() : 0;
        bundles_set_aside = folder.state()->set_aside.size();
        head_expires = folder.head_expires();
    }

    Result<PublicKey> verify(std::string_view header, RegistryRequest request) const {
        const std::scoped_lock guard(facts_mutex);
        request.channel = shown->rules.channel;
        return verify_registry_request(header, std::move(request), shown->rules.urls, now());
    }

    RegistryAnswer count(RegistryAnswer answer) {
        note_facts();
        const std::scoped_lock guard(facts_mutex);
        ++outcomes[answer.outcome];
        for (const RegistryRefusal& one : answer.refusals)
            ++refusals[one.reason];
        return answer;
    }

    bool is_released(const BundleId& bundle) const { return folder.state()->released.is_current(bundle); }

    RegistryAnswer answer_of(RegistryOutcome outcome, const CatalogueEntry& entry) const {
        return answer_of(outcome, entry, *folder.state());
    }

    static RegistryAnswer answer_of(RegistryOutcome outcome, const CatalogueEntry& entry, const RegistryState& state) {
        return {.outcome = outcome,
                .bundle = entry.bundle,
                .name = entry.name,
                .version = entry.version,
                .release_version = state.release ? state.release->version : 0,
                .root_version = state.root.version,
                .refusals = {},
                .remarks = {}};
    }

    static RegistryAnswer refusal_of(UploadJudgement judgement) {
        return {.outcome = RegistryOutcome::refused,
                .bundle = judgement.bundle ? judgement.bundle->id() : BundleId(),
                .name = printable(judgement.name),
                .version = printable(judgement.version),
                .release_version = 0,
                .root_version = 0,
                .refusals = std::move(judgement.refusals),
                .remarks = std::move(judgement.remarks)};
    }

    // A bundle of the same author that is here and not recalled.
    const CatalogueEntry* find_own(const BundleId& bundle, const PublicKey& author) const {
        return find_own(*folder.state(), bundle, author);
    }
    static const CatalogueEntry* find_own(const RegistryState& state, const BundleId& bundle, const PublicKey& author) {
        const CatalogueEntry* const entry = state.catalogue.find(bundle);
        return entry != nullptr && entry->author == author ? entry : nullptr;
    }

    static Result<std::shared_ptr<const Bundle>> open_published(TreeTarget& tree, const BundleId& id) {
        FARDEL_TRY_ASSIGN(auto source, tree.open(tree_path_of(id)));
        return Bundle::open(std::move(source), {});
    }

    // Whether there is a statement that the tree lacks, about the file in the tree.
    static bool is_signed_anew(TreeTarget& tree, const BundleId& id, const LayoutId& layout,
                               std::span<const Envelope> envelopes) {
        const auto published = open_published(tree, id);
        if (!published || (*published)->layout_id() != layout)
            return false;
        const auto unpublished = find_unpublished(tree, **published, envelopes);
        return unpublished && !unpublished->empty();
    }
    bool is_signed_anew(const Bundle& bundle) const {
        return is_signed_anew(folder.tree(), bundle.id(), bundle.layout_id(), bundle.envelopes());
    }

    // Of what an operator, or another program, changes while this one runs: rules, names, releases and roots.
    std::vector<PathStamp> stamps_of_texts() const {
        const RegistryState& state = *folder.state();
        const auto stamp = [&](const std::string& path) { return stamp_path(options.folder + "/" + path); };
        return {stamp(std::string(kRegistryRulesFile)), stamp(std::string(kRegistryNamesFile)),
                stamp(channel_head_path(state.rules.channel)),
                stamp(channel_root_path(state.rules.channel, state.root.version + 1))};
    }

    // What questions are answered by. Reading all texts again costs what a stranger must not be able to ask for at
    // will, so that is done only if one of them has changed; and a change is waited for by nobody here.
    std::shared_ptr<const RegistryState> state_for_questions() {
        if (const std::unique_lock guard(mutex, std::try_to_lock); guard) {
            const auto now_there = stamps_of_texts();
            const bool is_old = !std::ranges::equal(now_there, read_stamps, looks_unchanged);
            if (is_old && refresh())
                note_facts();
        }
        const std::scoped_lock guard(facts_mutex);
        return shown;
    }

    Result<RegistryAnswer> answer_question(const UploadFacts& facts, const PublicKey& author) {
        const auto state = state_for_questions();
        {
            const std::scoped_lock guard(facts_mutex);
            if (!signer_problem.empty())
                return Error(ErrorCode::untrusted, signer_problem);
        }
        // One of its own: that of the folder belongs to whoever changes the registry.
        const auto tree = make_folder_target(options.folder);
        const CatalogueEntry* const own = find_own(*state, facts.bundle, author);
        if (own != nullptr && state->released.is_current(facts.bundle) &&
            !is_signed_anew(*tree, facts.bundle, facts.layout, facts.envelopes))
            return answer_of(RegistryOutcome::was_there, *own, *state);
        FARDEL_TRY_ASSIGN(UploadJudgement judgement, judge_question(facts, author, *state, now()));
        RegistryAnswer answer = refusal_of(std::move(judgement));
        answer.outcome = answer.refusals.empty() ? RegistryOutcome::acceptable : RegistryOutcome::refused;
        answer.bundle = facts.bundle;
        answer.root_version = state->root.version;
        return answer;
    }

    Result<RegistryAnswer> accept(const std::shared_ptr<const ByteSource>& file, const PublicKey& author,
                                  UploadJudgement judgement, const std::stop_token& stop) {
        const std::scoped_lock guard(mutex);
        FARDEL_TRY_ASSIGN(const Descriptor lock, folder.lock());
        FARDEL_TRY(refresh());
        FARDEL_TRY(verify_can_sign());
        FARDEL_TRY(folder.record_names());  // what a failure after a release has left
        const BundleId id = judgement.bundle->id();
        const CatalogueEntry* const own = find_own(id, author);
        const bool is_resigned = own != nullptr && is_released(id);
        if (is_resigned && !is_signed_anew(*judgement.bundle))
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
        const auto signed_file = extend_source(file, std::move(end));
        if (auto refused = refuse_by_channel(signed_file, newest))
            return count(*std::move(refused));
        if (is_resigned) {
            // The file stays as it is. The statement is about the layout that was verified, which is the published one.
            FARDEL_TRY_ASSIGN(const auto published, open_published(folder.tree(), id));
            const std::vector<Envelope> signatures{*newest.statement, envelope};
            FARDEL_TRY(publish_signatures(folder.tree(), *published, signatures));
            return count(answer_of(RegistryOutcome::accepted, *own));
        }
        // All that the bundle is going to be part of is made and signed before it gets a name: what a limit of these
        // texts refuses leaves nothing behind.
        FARDEL_TRY_ASSIGN(const auto planned, plan_release(signed_file));
        // File, release, head, pages: each appears whole, and a kill in between leaves a state from which the next
        // start goes on.
        is_behind = true;
        FARDEL_TRY(publish_bundle(signed_file, folder.tree(), {.progress = {}, .stop = stop, .now = now()}));
        FARDEL_TRY(folder.publish(planned, now()));
        return finish(id, judgement.remarks);
    }

    Result<RegistryFolder::PlannedRelease> plan_release(const std::shared_ptr<const ByteSource>& signed_file) const {
        FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(signed_file, {}));
        FARDEL_TRY_ASSIGN(const auto entry, find_entry(*bundle, registry_keys_of(folder.state()->root)));
        if (!entry)
            return Error(ErrorCode::corrupt, "the countersigned bundle is none");
        BundleNeeds needs;
        FARDEL_TRY_ASSIGN(needs.needs, static_dependencies(*bundle));
        FARDEL_TRY_ASSIGN(needs.requirements, requirements_of(*bundle));
        ChannelChange wanted;
        wanted.added.push_back(released_bundle_of(*entry));
        return plan(std::move(wanted), {{entry->bundle, std::move(needs)}});
    }

    // The rules of the channel are the last word: its clients would refuse what they refuse.
    std::optional<RegistryAnswer> refuse_by_channel(const std::shared_ptr<const ByteSource>& signed_file,
                                                    const UploadJudgement& judgement) const {
        const RegistryState& state = *folder.state();
        const auto refused = [&]() -> Status {
            FARDEL_TRY_ASSIGN(const TrustPolicy policy, policy_for_follower(nullptr, state.root, state.release));
            const TrustTime time = TrustTime::at(now());
            FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(signed_file, {.policy = &policy, .time = time}));
            return verify_use(*bundle, &policy, time);
        }();
        if (refused)
            return std::nullopt;
        RegistryAnswer answer = refusal_of(judgement);
        answer.refusals.push_back({.reason = "channel-rules", .where = {}, .text = refused.error().message()});
        return answer;
    }

    Result<RegistryAnswer> finish(const BundleId& id, const std::vector<RegistryRefusal>& remarks) {
        FARDEL_TRY(folder.reread(now()));
        is_behind = false;
        // A name belongs to its author from the release on that has it.
        FARDEL_TRY(folder.record_names());
        const CatalogueEntry* const entry = folder.state()->catalogue.find(id);
        if (entry == nullptr)
            return Error(ErrorCode::corrupt, "the bundle that was published cannot be read again");
        FARDEL_TRY(folder.write_bundle_page(id, remarks));
        FARDEL_TRY(folder.write_pages({entry->name}));
        RegistryAnswer answer = answer_of(RegistryOutcome::accepted, *entry);
        answer.remarks = remarks;
        return count(std::move(answer));
    }

    std::optional<RegistryRefusal> refuse_recall(const BundleId& bundle, const std::string& reason,
                                                 const PublicKey* author) const {
        const RegistryState& state = *folder.state();
        const CatalogueEntry* const entry = state.catalogue.find(bundle);
        // As the release has it, which would otherwise not be made.
        if (reason.empty() || printable(reason, kRegistryReasonBytesMax) != reason)
            return RegistryRefusal{
                "reason-form",
                {},
                "a reason is plain text of at most " + std::to_string(kRegistryReasonBytesMax) + " bytes"};
        // The operator also recalls what is listed and damaged, or lost.
        if (entry == nullptr && (author != nullptr || !state.released.contains(bundle)))
            return RegistryRefusal{"not-here", {}, "this registry has no such bundle"};
        if (author == nullptr)
            return std::nullopt;
        const auto owners = state.catalogue.owners_of(entry->name, state.rules);
        if (entry->author != *author && std::ranges::count(owners, *author) == 0)
            return RegistryRefusal{"name-owned", {}, "the bundle belongs to the key " + key_id(entry->author) + "…"};
        // Asked for again, it takes no room.
        return state.released.find_recall(bundle) != nullptr ? std::nullopt : state.shares.refuse_recall(*author);
    }

    // What the catalogue or else the release says about it.
    CatalogueEntry describe(const BundleId& bundle) const {
        const RegistryState& state = *folder.state();
        if (const CatalogueEntry* const found = state.catalogue.find(bundle))
            return *found;
        CatalogueEntry entry;
        entry.bundle = bundle;
        if (state.release)
            for (const ReleasedBundle& one : state.release->bundles)
                if (one.bundle == bundle) {
                    entry.name = one.name;
                    entry.version = one.version.text();
                }
        return entry;
    }

    Result<RegistryAnswer> recall(const BundleId& bundle, const std::string& reason, const PublicKey* author) {
        const std::scoped_lock guard(mutex);
        FARDEL_TRY_ASSIGN(const Descriptor lock, folder.lock());
        FARDEL_TRY(refresh());
        FARDEL_TRY(verify_can_sign());
        // Before the bundle may be pruned.
        FARDEL_TRY(folder.record_names());
        if (auto refused = refuse_recall(bundle, reason, author)) {
            RegistryAnswer answer{.bundle = bundle, .name = {}, .version = {}, .refusals = {}, .remarks = {}};
            answer.refusals.push_back(*std::move(refused));
            return count(std::move(answer));
        }
        const CatalogueEntry entry = describe(bundle);
        // Asked for again, as after an answer that was lost: there is nothing left to change.
        if (folder.state()->released.find_recall(bundle) == nullptr) {
            ChannelChange wanted;
            wanted.recalled_bundles.push_back({bundle, reason});
            FARDEL_TRY_ASSIGN(const auto planned, plan(std::move(wanted)));
            FARDEL_TRY(folder.publish(planned, now()));
        }
        if (folder.state()->catalogue.find(bundle) != nullptr)
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
            "# HELP fardel_registry_bundles_set_aside Bundles that were accepted and that no release has room for.\n"
            "# TYPE fardel_registry_bundles_set_aside gauge\n"
            "fardel_registry_bundles_set_aside " +
            std::to_string(bundles_set_aside) +
            "\n"
            "# HELP fardel_registry_can_sign Whether the keys of this server are those of the channel's newest root.\n"
            "# TYPE fardel_registry_can_sign gauge\n"
            "fardel_registry_can_sign " +
            (signer_problem.empty() ? "1" : "0") +
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

Result<PublicKey> Registry::verify_question(std::string_view header, const BundleId& bundle) const {
    return impl_->verify(
        header, {.action = RegistryAction::question, .url = {}, .channel = {}, .bundle = bundle, .reason = {}});
}

Result<RegistryAnswer> Registry::answer_question(const UploadFacts& facts, const PublicKey& author) {
    return impl_->answer_question(facts, author);
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
        FARDEL_TRY(impl_->refresh());
        FARDEL_TRY(impl_->verify_can_sign());  // before every byte is read
        state = impl_->folder.state();
    }
    if (const auto bundle = Bundle::open(file, {}); bundle) {  // what is here needs no second judgement
        const std::scoped_lock guard(impl_->mutex);
        const CatalogueEntry* const own = impl_->find_own((*bundle)->id(), author);
        if (own != nullptr && impl_->is_released(own->bundle) && impl_->folder.has_recorded_names() &&
            !impl_->is_signed_anew(**bundle))
            return impl_->count(impl_->answer_of(RegistryOutcome::was_there, *own));
    }
    FARDEL_TRY_ASSIGN(UploadJudgement judgement, judge_upload(file, author, *state, impl_->now(), {.stop = stop}));
    if (judgement.refusals.empty())
        return impl_->accept(file, author, std::move(judgement), stop);
    const std::scoped_lock guard(impl_->mutex);
    return impl_->count(Impl::refusal_of(std::move(judgement)));
}

Result<RegistryAnswer> Registry::recall(const BundleId& bundle, const std::string& reason, const PublicKey* author) {
    return impl_->recall(bundle, reason, author);
}

std::optional<std::string> Registry::describe_dates() const {
    const std::scoped_lock guard(impl_->mutex);
    return impl_->folder.describe_dates(impl_->now(), impl_->options.head_life_s);
}

Status Registry::renew_head() {
    const std::scoped_lock guard(impl_->mutex);
    FARDEL_TRY_ASSIGN(const Descriptor lock, impl_->folder.lock());
    FARDEL_TRY(impl_->refresh());
    FARDEL_TRY(impl_->verify_can_sign());
    FARDEL_TRY(impl_->renew_head_if_needed());
    impl_->note_facts();
    return ok();
}

std::string Registry::format_metrics() const { return impl_->format_metrics(); }

}  // namespace fardel
