#include "registry/catalogue.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/bundle_version.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/hosting/publish.h>
#include <fardel/verifier/bundle_contents.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kBundleEnding = ".fardel";

// Whether an error says what the bytes are, and not that they could not be read.
bool is_defect(ErrorCode code) {
    return code == ErrorCode::malformed || code == ErrorCode::corrupt || code == ErrorCode::unsupported ||
           code == ErrorCode::limit;
}

// The payload of the statement that a countersignature is about, if its author has signed it.
std::optional<Statement> find_countersigned(const Bundle& bundle, const Countersignature& countersignature) {
    for (const Envelope& envelope : bundle.envelopes()) {
        if (envelope.type != EnvelopeType::statement || blake3(envelope.payload) != countersignature.statement)
            continue;
        auto statement = decode_statement(envelope.payload);
        const bool is_signed = std::ranges::any_of(envelope.signatures, [&](const EnvelopeSignature& entry) {
            return entry.role == SignerRole::author && entry.key == countersignature.author &&
                   entry.signature == countersignature.author_signature && verify_envelope_signature(envelope, entry);
        });
        if (statement && is_signed && statement->bundle == bundle.id() && statement->author == countersignature.author)
            return *std::move(statement);
    }
    return std::nullopt;
}

bool is_signed_by_registry(const Envelope& envelope, const Countersignature& countersignature) {
    return countersignature.role == SignerRole::registry &&
           std::ranges::any_of(envelope.signatures, [&](const EnvelopeSignature& entry) {
               return entry.role == SignerRole::registry && entry.key == countersignature.signer &&
                      verify_envelope_signature(envelope, entry);
           });
}

Status read_tables(const Bundle& bundle, CatalogueEntry& entry) {
    FARDEL_TRY_ASSIGN(const auto name, bundle.find_bundle_text("name"));
    FARDEL_TRY_ASSIGN(const auto version, bundle.find_bundle_text("version"));
    FARDEL_TRY_ASSIGN(auto licence, bundle.find_bundle_text("licence"));
    if (!licence) {  // an older packer, or another program, has stored the key as its author wrote it
        FARDEL_TRY_ASSIGN(licence, bundle.find_bundle_text("license"));
    }
    // A registry keeps no text without a bound: each is in memory and on pages as long as the bundle is here.
    entry.name = name.value_or(std::string_view());
    entry.version = version.value_or(std::string_view());
    FARDEL_TRY(verify_registry_name(entry.name));
    FARDEL_TRY_ASSIGN(const BundleVersion parsed, BundleVersion::parse(entry.version));
    if (parsed.empty())
        return Error(ErrorCode::malformed, "the bundle has no version");
    entry.licence = printable(licence.value_or(std::string_view()), kCatalogueTextBytesMax);
    FARDEL_TRY_ASSIGN(entry.needs, measure_needs(bundle));
    return ok();
}

}  // namespace

std::vector<PublicKey> registry_keys_of(const ChannelRoot& root) {
    std::vector<PublicKey> keys;
    for (const AllowRule& rule : root.trust.allow)
        for (const RoleThreshold& wanted : rule.roles)
            for (const PolicyKey& key : root.trust.keys)
                if (wanted.role == SignerRole::registry && std::ranges::count(wanted.labels, key.label) != 0 &&
                    std::ranges::count(keys, key.key) == 0)
                    keys.push_back(key.key);
    return keys;
}

// A registry remembers in its bundle files: the countersignature says who signed a bundle, and when it came. A database
// beside the tree would need backups of its own, and could say other things than the signed texts. Only whose a name is
// must outlive the bundles (RegistryNames).
Result<std::optional<CatalogueEntry>> find_entry(const Bundle& bundle, std::span<const PublicKey> keys) {
    std::optional<CatalogueEntry> found;
    for (const Envelope& envelope : bundle.envelopes()) {
        const auto countersignature = envelope.type == EnvelopeType::countersignature
                                          ? decode_countersignature(envelope.payload)
                                          : Error(ErrorCode::missing, "another envelope");
        if (!countersignature || countersignature->bundle != bundle.id() ||
            std::ranges::count(keys, countersignature->signer) == 0 ||
            !is_signed_by_registry(envelope, *countersignature) ||
            (found && found->accepted <= countersignature->created))
            continue;
        const auto statement = find_countersigned(bundle, *countersignature);
        if (!statement)
            continue;
        found.emplace();
        // The oldest countersignature counts: a bundle that is signed again keeps its place among those that came
        // first.
        found->bundle = bundle.id();
        found->epoch = statement->epoch;
        found->raw_bytes = statement->raw_bytes;
        found->author = statement->author;
        found->registry = countersignature->signer;
        found->accepted = countersignature->created;
    }
    if (!found)
        return found;
    found->file_bytes = bundle.source()->size_bytes();
    FARDEL_TRY(read_tables(bundle, *found));
    return found;
}

void Catalogue::add(CatalogueEntry entry) {
    const auto [at, is_new] = entries_.insert_or_assign(entry.bundle, entry);
    if (!is_new)
        return;
    auto& ids = names_[at->second.name];
    const auto order = [&](const BundleId& id) { return std::tuple(entries_.at(id).accepted, id); };
    ids.insert(std::ranges::upper_bound(ids, order(entry.bundle), {}, order), entry.bundle);
}

void Catalogue::prefer(const ChannelRelease& release) {
    for (const ReleasedBundle& one : release.bundles)
        in_release_.insert(one.bundle);
    for (const Revocation<BundleId>& one : release.recalled_bundles)
        in_release_.insert(one.id);
}

const CatalogueEntry* Catalogue::find(const BundleId& bundle) const {
    const auto found = entries_.find(bundle);
    return found == entries_.end() ? nullptr : &found->second;
}

std::vector<const CatalogueEntry*> Catalogue::named(std::string_view name) const {
    std::vector<const CatalogueEntry*> all;
    if (const auto found = names_.find(name); found != names_.end())
        for (const BundleId& id : found->second)
            all.push_back(&entries_.at(id));
    return all;
}

// Dates are chosen by who has the registry key, and releases are signed by another: so among all bundles of a name,
// those that a release lists or recalls say whose it is.
const CatalogueEntry* Catalogue::find_first_released(std::string_view name) const {
    for (const CatalogueEntry* const entry : named(name))
        if (in_release_.contains(entry->bundle))
            return entry;
    return nullptr;
}

std::uint64_t Catalogue::bytes_by(const PublicKey& author) const {
    std::uint64_t bytes = 0;
    for (const auto& [id, entry] : entries_)
        bytes += entry.author == author ? entry.file_bytes : 0;
    return bytes;
}

std::vector<PublicKey> Catalogue::owners_of(std::string_view name, const RegistryRules& rules) const {
    if (const NameOwners* const owners = rules.find_owners(name))
        return owners->keys;
    // The record first: bundles can be recalled and pruned, and the name must not be free then.
    if (const auto* const holders = recorded_.find(name))
        return {holders->back().key};
    if (const CatalogueEntry* const first = find_first_released(name))
        return {first->author};
    const auto all = named(name);
    return all.empty() ? std::vector<PublicKey>() : std::vector{all.front()->author};
}

bool Catalogue::has_owned(const PublicKey& author, std::string_view name, const RegistryRules& rules) const {
    const auto* const holders = recorded_.find(name);
    return std::ranges::count(owners_of(name, rules), author) != 0 ||
           (holders != nullptr && std::ranges::count(*holders, author, &NameHolder::key) != 0);
}

Result<Catalogue> read_catalogue(TreeTarget& tree, std::span<const PublicKey> keys, const Catalogue* before,
                                 std::vector<CatalogueProblem>& problems) {
    Catalogue catalogue;
    FARDEL_TRY_ASSIGN(const auto files, tree.list(std::string(kBundlesFolder)));
    for (const TreeFile& file : files) {
        if (!file.path.ends_with(kBundleEnding))
            continue;
        const auto id = BundleId::parse(std::string_view(file.path).substr(
            kBundlesFolder.size() + 1, file.path.size() - kBundlesFolder.size() - 1 - kBundleEnding.size()));
        const CatalogueEntry* const known = before != nullptr && id ? before->find(*id) : nullptr;
        if (known != nullptr && known->file_bytes == file.size_bytes) {
            catalogue.add(*known);
            continue;
        }
        FARDEL_TRY_ASSIGN(const auto source, tree.open(file.path));
        const auto bundle = Bundle::open(source, {});
        auto entry = bundle ? find_entry(**bundle, keys) : Result<std::optional<CatalogueEntry>>(bundle.error());
        if (!entry)
            // If the disk fails for a moment, whose the name is would be unknown, and another author could take it. So
            // a file that cannot be read stops all changes, and one whose bytes say that it is no bundle of this
            // registry is left out.
            problems.push_back(
                {file.path, entry.error().code(), entry.error().message(), !is_defect(entry.error().code())});
        else if (tree_path_of((*bundle)->id()) != file.path)
            problems.push_back({file.path, ErrorCode::corrupt, "is bundle " + (*bundle)->id().hex()});
        else if (!*entry)
            problems.push_back({file.path, ErrorCode::untrusted,
                                "no key of this registry has countersigned it together with its author's signature"});
        else
            catalogue.add(**std::move(entry));
    }
    return catalogue;
}

}  // namespace fardel
