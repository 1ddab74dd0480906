// Catalogue: what a registry has accepted, read from the bundle files of its tree.
//
// A bundle counts if a registry key has countersigned its author's statement; the countersignature says when. So how
// much an author has brought and which versions exist is never written anywhere else. Whose an open name is stays in a
// record of its own when the bundles are gone (registry_names.h). A copy of the folder has all of it. Files are
// untrusted: whoever writes into the folder adds nothing without the registry's key.
#pragma once

#include "registry/bundle_limits.h"
#include "registry/registry_names.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/channel.h>
#include <fardel/format/ids.h>
#include <fardel/hosting/registry_rules.h>
#include <fardel/hosting/tree_target.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

struct CatalogueEntry {
    BundleId bundle;
    std::string name;     // verify_registry_name accepts it
    std::string version;  // BundleVersion::parse accepts it
    std::uint64_t epoch = 0;
    std::uint64_t file_bytes = 0;
    std::uint64_t raw_bytes = 0;
    UnixTime accepted;  // of the first countersignature
    PublicKey author;
    PublicKey registry;
    std::string licence;    // of the bundle, cut to kCatalogueTextBytesMax; empty: it states none
    BundleNeedsSize needs;  // what it needs is read from its file, where it costs nobody memory
};
inline constexpr std::size_t kCatalogueTextBytesMax = 200;

// The public keys that countersign for the registry: those that the channel's rules name in that role.
std::vector<PublicKey> registry_keys_of(const ChannelRoot& root);

// Reads what the tables say. Returns nothing if none of `keys` has countersigned the bundle. Errors: malformed (its
// name, version or requirements are not those of a bundle in a registry), those of Bundle.
Result<std::optional<CatalogueEntry>> find_entry(const Bundle& bundle, std::span<const PublicKey> keys);

class Catalogue {
public:
    void add(CatalogueEntry entry);
    // What the release lists or recalls decides whose a name is before any other bundle does.
    void prefer(const ChannelRelease& release);
    const CatalogueEntry* find(const BundleId& bundle) const;
    const std::map<BundleId, CatalogueEntry>& entries() const noexcept { return entries_; }
    // In the order in which they were accepted.
    std::vector<const CatalogueEntry*> named(std::string_view name) const;
    std::uint64_t bytes_by(const PublicKey& author) const;

    // The record of the registry's names; empty until it is given.
    void set_names(RegistryNames names) { recorded_ = std::move(names); }
    const RegistryNames& recorded() const noexcept { return recorded_; }
    // The bundle by which a name that is not recorded gets its first author: the first that the release lists or
    // recalls. nullptr: the release has none.
    const CatalogueEntry* find_first_released(std::string_view name) const;

    // The keys whose bundles may have the name: those of the first `owner` rule that matches, or else the one that the
    // record has, or else the author who brought the name first. Empty: nobody has brought it yet. A bundle that the
    // release lists or recalls counts as earlier than any other, because whoever has the registry key can choose the
    // dates of countersignatures.
    std::vector<PublicKey> owners_of(std::string_view name, const RegistryRules& rules) const;
    // Whether the author has the name, or had it until it was transferred.
    bool has_owned(const PublicKey& author, std::string_view name, const RegistryRules& rules) const;

private:
    std::map<BundleId, CatalogueEntry> entries_;
    std::set<BundleId> in_release_;
    std::map<std::string, std::vector<BundleId>, std::less<>> names_;
    RegistryNames recorded_;
};

struct CatalogueProblem {
    std::string path;  // below the tree
    ErrorCode code{};
    std::string text;        // safe to show
    bool is_unread = false;  // the disk failed: what the file is remains unknown
};

// Reads all bundle files of the tree, but those that `before` has, by the same keys, with the same size. A file that
// cannot be read, is another bundle than its name says, or that no key has countersigned, is a problem and left out.
// Errors: those of the target.
Result<Catalogue> read_catalogue(TreeTarget& tree, std::span<const PublicKey> keys, const Catalogue* before,
                                 std::vector<CatalogueProblem>& problems);

}  // namespace fardel
