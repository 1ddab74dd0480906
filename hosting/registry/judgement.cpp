#include "registry/judgement.h"

#include "registry/bundle_limits.h"
#include "registry/page_text.h"

#include <fardel/base/ascii.h>
#include <fardel/format/bundle_metadata.h>
#include <fardel/format/bundle_version.h>
#include <fardel/format/channel_update.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>
#include <fardel/format/requirement.h>
#include <fardel/hosting/publish.h>
#include <fardel/verifier/verify_bundle.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kListedMax = 500;
constexpr std::size_t kListedBytesMax = 16u << 10;  // decisions are kept for an hour
constexpr std::size_t kFindingBytesMax = 2000;

RegistryRefusal refusal_of(const VerifyFinding& finding) {
    return {.reason = finding.rule, .where = finding.where, .text = printable(finding.text, kFindingBytesMax)};
}

void cut_list(std::vector<RegistryRefusal>& list, std::size_t left_out) {
    std::size_t kept = 0;
    for (std::size_t bytes = 0; kept < list.size(); ++kept) {
        bytes += list[kept].reason.size() + list[kept].where.size() + list[kept].text.size();
        if (kept != 0 && bytes > kListedBytesMax)
            break;
    }
    left_out += list.size() - kept;
    list.resize(kept);
    if (left_out != 0)
        list.push_back({.reason = "more", .where = {}, .text = "and " + std::to_string(left_out) + " more"});
}

std::string label_for(const PublicKey& key, const TrustRules& rules) {
    const auto known = std::ranges::find(rules.keys, key, &PolicyKey::key);
    return known == rules.keys.end() ? "uploader-" + key.hex().substr(0, 16) : known->label;
}

// The channel's rules as they are before the registry and release signers: what authors must meet. A rule that leaves
// the author to the registry wants the one who uploads.
Result<std::optional<TrustPolicy>> policy_before_registry(const RegistryState& state, const PublicKey& author) {
    if (state.root.trust.allow.empty())
        return std::optional<TrustPolicy>();
    ChannelRoot root = state.root;
    const std::string label = label_for(author, root.trust);
    for (AllowRule& rule : root.trust.allow) {
        std::erase_if(rule.roles, [](const RoleThreshold& one) { return one.role != SignerRole::author; });
        if (rule.roles.empty())
            rule.roles.push_back({.role = SignerRole::author, .threshold = 1, .labels = {label}});
    }
    if (std::ranges::count(root.trust.keys, label, &PolicyKey::label) == 0)
        root.trust.keys.push_back({label, author});
    return channel_policy(root, state.release);
}

class UploadJudge {
public:
    UploadJudge(const PublicKey& author, const RegistryState& state, UnixTime now)
        : author_(author), state_(state), rules_(state.rules), now_(now) {}

    Result<UploadJudgement> judge(const std::shared_ptr<const ByteSource>& file, const VerifyWork& work) {
        FARDEL_TRY_ASSIGN(auto bundle, judge_bytes(file, work));
        return bundle ? judge_rules(std::move(bundle)) : take();
    }

    // Without what a question answers.
    Result<UploadJudgement> judge_content(const std::shared_ptr<const ByteSource>& file, const VerifyWork& work) {
        FARDEL_TRY_ASSIGN(const auto bundle, judge_bytes(file, work));
        if (bundle)
            if (const Status read = judge_licences(*bundle); !read && judgement_.refusals.empty())
                refuse("unreadable", read.error().message());
        return take();
    }

    UploadJudgement judge_rules(std::shared_ptr<const Bundle> bundle) {
        judgement_.bundle = std::move(bundle);
        if (Status read = judge_bundle(*judgement_.bundle); !read && judgement_.refusals.empty())
            refuse("unreadable", read.error().message());  // else the verifier has said so
        return take();
    }

    // What needs no content. The policy includes what has been recalled.
    Result<UploadJudgement> judge_question(const UploadFacts& facts) {
        if (is_too_large(facts.file_bytes))
            return take();
        FARDEL_TRY_ASSIGN(const auto policy, policy_before_registry(state_, author_));
        if (policy) {
            FARDEL_TRY_ASSIGN(
                const TrustVerdict verdict,
                policy->evaluate(
                    facts.envelopes,
                    {.bundle = facts.bundle, .layout = facts.layout, .name = facts.name, .version = facts.version},
                    now_));
            if (verdict.refusal)  // as the verifier says it
                add_refusal({.reason = "trust-refused", .where = "trailer", .text = verdict.refusal->message()});
        }
        judge_facts(facts);
        return take();
    }

private:
    // Every byte. nullptr: with what is wrong, the rules have nothing to judge.
    Result<std::shared_ptr<const Bundle>> judge_bytes(const std::shared_ptr<const ByteSource>& file,
                                                      const VerifyWork& work) {
        // The sizes first: all that follows reads the whole file.
        if (is_too_large(file->size_bytes()))
            return std::shared_ptr<const Bundle>();
        auto bundle = Bundle::open(file, {});
        if (bundle && (is_too_large(**bundle) || is_beyond_limits(**bundle)))
            return std::shared_ptr<const Bundle>();
        FARDEL_TRY_ASSIGN(const auto policy, policy_before_registry(state_, author_));
        FARDEL_TRY_ASSIGN(const VerifyReport report, verify_bundle(file, {.policy = policy ? &*policy : nullptr,
                                                                          .time = TrustTime::at(now_),
                                                                          .progress = work.progress,
                                                                          .stop = work.stop}));
        add_findings(report);
        return bundle ? *std::move(bundle) : nullptr;
    }

    UploadJudgement take() {
        cut_list(judgement_.refusals, refusals_left_out_);
        return std::move(judgement_);
    }

    void add_refusal(RegistryRefusal refusal) {
        if (judgement_.refusals.size() < kListedMax)
            judgement_.refusals.push_back(std::move(refusal));
        else
            ++refusals_left_out_;
    }

    void refuse(std::string reason, std::string text) {
        add_refusal({.reason = std::move(reason), .where = {}, .text = std::move(text)});
    }

    // The same, before what copies its texts reads it. What cannot be read is reported by the verifier.
    bool is_beyond_limits(const Bundle& bundle) {
        const Status within = verify_bundle_limits(bundle);
        if (within || within.error().code() != ErrorCode::limit)
            return false;
        refuse("too-large", within.error().message());
        return true;
    }

    bool is_too_large(std::uint64_t file_bytes) {
        if (rules_.file_bytes_max == 0 || file_bytes <= rules_.file_bytes_max)
            return false;
        refuse("too-large", "the file has " + format_bytes(file_bytes) + ", and this registry takes at most " +
                                format_bytes(rules_.file_bytes_max));
        return true;
    }

    // Before each byte of it is read. Says what a verified table would; a wrong one is found later.
    bool is_too_large(const Bundle& bundle) {
        if (rules_.raw_bytes_max == 0)
            return false;
        std::uint64_t raw_bytes = 0;
        for (std::uint32_t i = 0; i < bundle.asset_count(); ++i) {
            const auto asset = bundle.asset(AssetIndex{i});
            if (!asset || asset->raw_bytes > rules_.raw_bytes_max - raw_bytes) {
                refuse("too-large", "its assets have more than " + format_bytes(rules_.raw_bytes_max) +
                                        ", which this registry takes at most, or cannot be read");
                return true;
            }
            raw_bytes += asset->raw_bytes;
        }
        return false;
    }

    void add_findings(const VerifyReport& report) {
        for (const VerifyFinding& finding : report.findings)
            if (finding.severity == FindingSeverity::error)
                add_refusal(refusal_of(finding));
        judgement_.remarks = remarks_of(report);
    }

    Status judge_bundle(const Bundle& bundle) {
        FARDEL_TRY_ASSIGN(const UploadFacts facts, read_upload_facts(bundle));
        judge_facts(facts);
        return judge_licences(bundle);
    }

    // What the tables say, and not the content: the same for an upload and for a question.
    void judge_facts(const UploadFacts& facts) {
        judgement_.name = facts.name;
        judgement_.version = facts.version;
        judge_recalls(facts);
        judge_trailer(facts);
        judge_name(facts);
        judge_sizes(facts);
        judge_dependencies(facts);
        judge_requirements(facts);
        judge_shares(facts);
    }

    void judge_recalls(const UploadFacts& facts) {
        if (!state_.release)
            return;
        const auto& bundles = state_.release->recalled_bundles;
        const auto& keys = state_.release->recalled_keys;
        if (const auto at = std::ranges::find(bundles, facts.bundle, &Revocation<BundleId>::id); at != bundles.end())
            refuse("recalled", "this bundle has been recalled: " + printable(at->reason));
        if (const auto at = std::ranges::find(keys, author_, &Revocation<PublicKey>::id); at != keys.end())
            refuse("key-recalled", "your key has been recalled: " + printable(at->reason));
    }

    // The newest statement of the uploader, which lists this layout and no other: who countersigns it vouches for each.
    void judge_trailer(const UploadFacts& facts) {
        std::size_t signatures = 0;
        std::optional<Statement> newest;
        for (const Envelope& envelope : facts.envelopes) {
            signatures += envelope.signatures.size();
            if (envelope.type != EnvelopeType::statement) {
                refuse("foreign-signature", "its trailer has more than statements of authors");
                continue;
            }
            const auto statement = decode_statement(envelope.payload);
            const bool is_signed = statement && statement->bundle == facts.bundle && statement->author == author_ &&
                                   std::ranges::any_of(envelope.signatures, [&](const EnvelopeSignature& entry) {
                                       return entry.role == SignerRole::author && entry.key == author_ &&
                                              verify_envelope_signature(envelope, entry);
                                   });
            if (!is_signed ||
                (newest && std::pair(newest->epoch, newest->created) > std::pair(statement->epoch, statement->created)))
                continue;
            newest = *statement;
            judgement_.statement = envelope;
        }
        if (!newest)
            return refuse("signer-differs", "the key " + key_id(author_) +
                                                "… that signed this request has not signed the bundle; sign it with "
                                                "'fardel sign'");
        // Who countersigns a statement vouches for each layout in it, and only this file was verified.
        if (newest->layouts != std::vector{facts.layout})
            refuse("layout-not-signed",
                   "the author's statement does not list this layout, and it alone; sign this file");
        if (has_passed(newest->expires, now_))
            refuse("expired", "the author's statement has expired");
        if (facts.envelopes.size() >= limits::kEnvelopesMax || signatures >= limits::kSignaturesMax)
            refuse("signatures-full", "its trailer has no room for the signature of the registry");
    }

    void judge_name(const UploadFacts& facts) {
        const std::string& name = judgement_.name;
        if (judgement_.version.empty() || !BundleVersion::parse(judgement_.version))
            refuse("version-missing", "the bundle has no version; pack it with --version");
        if (name.empty())
            return refuse("name-missing", "the bundle has no name; pack it with --name");
        if (const Status form = verify_registry_name(name); !form)
            return refuse("name-form", in_quotes(name) + ": " + form.error().message());
        const auto owners = state_.catalogue.owners_of(name, rules_);
        if (!owners.empty() && std::ranges::count(owners, author_) == 0)
            refuse("name-owned", in_quotes(name) + " belongs to the key " + key_id(owners.front()) +
                                     "…, and you have signed with " + key_id(author_) + "…");
        else if (owners.empty() && !rules_.is_open(name))
            refuse("name-not-open",
                   in_quotes(name) + ": this registry gives nobody such a name; see its registry.rules");
        judge_new_name(name);
        judge_versions(facts);
    }

    // A name that is released once is kept for ever, so authors get a bounded number of them.
    void judge_new_name(const std::string& name) {
        const RegistryNames& recorded = state_.catalogue.recorded();
        if (recorded.find(name) != nullptr)
            return;
        if (recorded.names().size() >= kRecordedNamesMax)
            refuse("names-full",
                   "this registry has " + std::to_string(kRecordedNamesMax) + " names, and takes no more");
        else if (recorded.names_of(author_) >= kNamesPerAuthorMax)
            refuse("names-full", "your key has " + std::to_string(kNamesPerAuthorMax) + " names, and may have no more");
    }

    void judge_versions(const UploadFacts& facts) {
        const auto others = state_.catalogue.named(judgement_.name);
        for (const CatalogueEntry* const other : others)
            if (other->version == judgement_.version && other->bundle != facts.bundle)
                refuse("version-taken", in_quotes(judgement_.name) + " " + judgement_.version + " is bundle " +
                                            other->bundle.hex() + "; give this one another version");
            else if (other->bundle == facts.bundle && other->author != author_)
                refuse("version-taken",
                       "this bundle is here under the key " + key_id(other->author) + "…; give yours another version");
        remark_order(facts, others);
        if (rules_.versions_max != 0 && !is_here(facts) && others.size() >= rules_.versions_max)
            refuse("versions-full", in_quotes(judgement_.name) + " has " + std::to_string(others.size()) +
                                        " versions, recalled ones included, and may have no more");
    }

    // An author who writes versions in a way of its own may mean another order.
    void remark_order(const UploadFacts& facts, std::span<const CatalogueEntry* const> others) {
        std::vector<ReleasedBundle> there;
        for (const CatalogueEntry* const other : others)
            if (auto version = BundleVersion::parse(other->version);
                version && state_.released.is_current(other->bundle)) {
                there.emplace_back();
                there.back().bundle = other->bundle;
                there.back().name = other->name;
                there.back().version = *std::move(version);
            }
        ReleasedBundle added;
        added.bundle = facts.bundle;
        added.name = judgement_.name;
        const auto version = BundleVersion::parse(judgement_.version);
        if (!version || version->empty())
            return;
        added.version = *version;
        if (auto older = describe_older(added, there, "this registry has"))
            judgement_.remarks.push_back({.reason = "version-order", .where = {}, .text = *std::move(older)});
    }

    // Then it only gets new signatures, and takes no more room.
    bool is_here(const UploadFacts& facts) const { return state_.catalogue.find(facts.bundle) != nullptr; }

    void judge_sizes(const UploadFacts& facts) {
        if (is_here(facts))
            return;
        const std::uint64_t used = state_.catalogue.bytes_by(author_);
        const std::uint64_t bytes = facts.file_bytes;
        if (rules_.key_bytes_max != 0 && (used > rules_.key_bytes_max || bytes > rules_.key_bytes_max - used))
            refuse("key-full", "your bundles have " + format_bytes(used) + ", this one has " + format_bytes(bytes) +
                                   ", and together they may have " + format_bytes(rules_.key_bytes_max));
    }

    // Of the bundle, and of each asset that states one of its own.
    Status judge_licences(const Bundle& bundle) {
        if (rules_.licences.empty())
            return ok();
        bool is_stated = false;
        std::set<std::string> refused;
        for (const TableKind kind : {TableKind::metadata, TableKind::creator_metadata}) {
            const auto count = static_cast<std::uint32_t>(bundle.table_count(kind));
            for (std::uint32_t i = 0; i < count; ++i) {
                FARDEL_TRY_ASSIGN(const MetadataRecord record,
                                  kind == TableKind::metadata ? bundle.metadata(i) : bundle.creator_metadata(i));
                FARDEL_TRY_ASSIGN(const std::string_view key, bundle.string(record.key));
                if (metadata_key(key) != "licence" || record.kind != MetadataKind::text)
                    continue;
                is_stated |= record.subject == kBundleSubject;
                FARDEL_TRY_ASSIGN(const std::string_view licence, bundle.string(static_cast<StringRef>(record.value)));
                if (std::ranges::count(rules_.licences, licence) == 0)
                    refused.insert(in_short_quotes(licence));
            }
        }
        if (!is_stated)
            refuse("licence-missing", "the bundle states no licence: give its metadata the key 'licence', as one of " +
                                          allowed_licences());
        for (const std::string& licence : refused)
            refuse("licence-not-allowed", "the licence " + licence + " is none of " + allowed_licences());
        return ok();
    }

    std::string allowed_licences() const {
        std::string text;
        for (const std::string& licence : rules_.licences)
            text += (text.empty() ? "" : ", ") + printable(licence);
        return text;
    }

    // What it needs by id must be here, and not recalled: nobody could mount it.
    void judge_dependencies(const UploadFacts& facts) {
        for (const BundleId& needed : facts.dependencies)
            if (!state_.released.is_current(needed))
                refuse("dependency-missing", "it needs the bundle " + needed.hex() +
                                                 ", which the newest release does not have; upload that one first");
    }

    // So must what it requires by name, or every installation of it would fail.
    void judge_requirements(const UploadFacts& facts) {
        for (const Requirement& one : facts.requirements)
            if (!is_met_by(one, facts.name, facts.version) && !is_met(one))
                refuse("requirement-unmet", "it requires " + in_short_quotes(one.text()) +
                                                ", which no bundle of the newest release meets; upload one first");
    }

    static bool is_met_by(const Requirement& requirement, std::string_view name, std::string_view version) {
        const auto parsed = BundleVersion::parse(version);
        return name == requirement.name && parsed && requirement.accepts(*parsed);
    }

    bool is_met(const Requirement& requirement) const {
        return std::ranges::any_of(state_.catalogue.named(requirement.name), [&](const CatalogueEntry* entry) {
            return state_.released.is_current(entry->bundle) && is_met_by(requirement, entry->name, entry->version) &&
                   (!requirement.signer || *requirement.signer == entry->author);
        });
    }

    // What the next release would have no room for gets no name: the registry could make no release with it.
    void judge_shares(const UploadFacts& facts) {
        if (is_here(facts))
            return;
        if (auto refused = state_.shares.refuse_bundle(author_, facts.needs_bytes))
            add_refusal(*std::move(refused));
    }

    const PublicKey& author_;
    const RegistryState& state_;
    const RegistryRules& rules_;
    const UnixTime now_;
    UploadJudgement judgement_;
    std::size_t refusals_left_out_ = 0;
};

// Why a bundle that was accepted is not part of the next release.
std::optional<RegistryRefusal> refuse_release(const CatalogueEntry& entry, const RegistryState& state,
                                              const AuthorShares& shares) {
    if (entry.needs.needs_bytes > kRegistryNeedsBytesMax)
        return RegistryRefusal{"too-large",
                               {},
                               "the bundle has " + std::to_string(entry.needs.needs_bytes) +
                                   " bytes of requirements, and a registry takes at most " +
                                   std::to_string(kRegistryNeedsBytesMax)};
    if (state.release &&
        std::ranges::count(state.release->recalled_keys, entry.author, &Revocation<PublicKey>::id) != 0)
        return RegistryRefusal{"key-recalled", {}, "the key of its author has been recalled"};
    return shares.refuse_bundle(entry.author, entry.needs.needs_bytes);
}

}  // namespace

// Whatever does not fit is set aside, never a reason to stop: a registry that an older program has filled starts, too.
// Those who were accepted first are released first.
void index_state(RegistryState& state) {
    state.released = ReleasedIds(state.release);
    state.shares = AuthorShares(state.catalogue, state.release, state.rules);
    std::vector<const CatalogueEntry*> waiting;
    for (const auto& [id, entry] : state.catalogue.entries())
        if (!state.released.contains(id) &&
            std::ranges::count(state.catalogue.owners_of(entry.name, state.rules), entry.author) != 0)
            waiting.push_back(&entry);
    std::ranges::sort(waiting, {}, [](const CatalogueEntry* one) { return std::pair(one->accepted, one->bundle); });
    std::set<std::pair<std::string_view, std::string_view>> versions;  // a release has each once
    if (state.release && !waiting.empty())
        for (const ReleasedBundle& one : state.release->bundles)
            versions.emplace(one.name, one.version.text());
    AuthorShares shares = state.shares;
    for (const CatalogueEntry* const entry : waiting) {
        auto refused = refuse_release(*entry, state, shares);
        if (!refused && !versions.emplace(entry->name, entry->version).second)
            refused = RegistryRefusal{"version-taken", {}, "another bundle has its name and version"};
        if (refused) {
            state.set_aside.emplace(entry->bundle, *std::move(refused));
            continue;
        }
        shares.add_bundle(entry->author, entry->needs.needs_bytes);
        state.unreleased.push_back(entry->bundle);
    }
}

std::vector<RegistryRefusal> remarks_of(const VerifyReport& report) {
    std::vector<RegistryRefusal> remarks;
    std::size_t left_out = 0;
    for (const VerifyFinding& finding : report.findings)
        if (finding.severity != FindingSeverity::error && !finding.where.starts_with("trailer")) {
            if (remarks.size() < kListedMax)
                remarks.push_back(refusal_of(finding));
            else
                ++left_out;
        }
    cut_list(remarks, left_out);
    return remarks;
}

Result<UploadJudgement> judge_upload(const std::shared_ptr<const ByteSource>& file, const PublicKey& author,
                                     const RegistryState& state, UnixTime now, const VerifyWork& work) {
    return UploadJudge(author, state, now).judge(file, work);
}

Result<UploadJudgement> judge_content(const std::shared_ptr<const ByteSource>& file, const PublicKey& author,
                                      const RegistryState& state, UnixTime now, const VerifyWork& work) {
    return UploadJudge(author, state, now).judge_content(file, work);
}

Result<UploadJudgement> judge_question(const UploadFacts& facts, const PublicKey& author, const RegistryState& state,
                                       UnixTime now) {
    return UploadJudge(author, state, now).judge_question(facts);
}

UploadJudgement judge_by_rules(const std::shared_ptr<const Bundle>& bundle, const PublicKey& author,
                               const RegistryState& state, UnixTime now) {
    return UploadJudge(author, state, now).judge_rules(bundle);
}

}  // namespace fardel
