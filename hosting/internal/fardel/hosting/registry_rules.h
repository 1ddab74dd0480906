// RegistryRules: what a registry accepts, as its operator writes it. docs/registry.md describes the file.
//
// The text is the operator's and public: authors read it, and it has no secrets. The owner of a name follows from this
// text and from the record of the names that were released before (registry_names.h).
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::string_view kRegistryRulesFile = "registry.rules";  // below the folder of the registry
inline constexpr std::size_t kRegistryRulesBytesMax = 1u << 20;

// What a registry takes of one bundle: far less than the format allows, because each release and each page has it from
// all bundles.
inline constexpr std::uint64_t kRegistryDependenciesMax = 256;
inline constexpr std::uint64_t kRegistryRequirementsMax = 64;
inline constexpr std::uint64_t kRegistryNeedsBytesMax = 24u << 10;      // of its lines in the text of requirements
inline constexpr std::uint64_t kRegistryMetadataBytesMax = 128u << 10;  // keys, values, names of dependencies

// What the texts of the channel have room for, and how much of it is for whom.
struct RegistryRoom {
    std::uint64_t all = 0;        // for all authors; the rest up to the limit of the format is the operator's
    std::uint64_t strangers = 0;  // for authors whom no `owner` rule names, together
    std::uint64_t share = 0;      // for each of these
    std::uint64_t reserved = 0;   // for each of the first kRegistryEarlyAuthorsMax of these, whatever others use
};
inline constexpr std::size_t kRegistryEarlyAuthorsMax = 1024;
// With all recalls fewer than kDependencyWalkMax, which whoever prunes walks over.
inline constexpr RegistryRoom kRegistryBundles{.all = 50'000, .strangers = 40'000, .share = 4000, .reserved = 16};
inline constexpr RegistryRoom kRegistryNeedsBytes{
    .all = 16u << 20, .strangers = 12u << 20, .share = 1u << 20, .reserved = 4u << 10};
inline constexpr RegistryRoom kRegistryRecalls{.all = 3584, .strangers = 3072, .share = 64, .reserved = 2};

// Bundles with such names belong to any of these keys.
struct NameOwners {
    std::string pattern;  // glob_matches (name.h)
    std::vector<PublicKey> keys;

    friend bool operator==(const NameOwners&, const NameOwners&) = default;
};

struct RegistryRules {
    std::vector<std::string> urls;  // at least one: where clients find it; requests are signed for one of them
    std::string channel;
    std::vector<NameOwners> owners;     // the first that matches decides
    std::vector<std::string> open;      // a name that matches belongs to the author who first brings it
    std::vector<std::string> licences;  // that a bundle may state, and then must; empty: any, or none
    // 0: no limit.
    std::uint64_t file_bytes_max = 0;
    std::uint64_t raw_bytes_max = 0;  // of all assets of one bundle
    std::uint64_t versions_max = 0;   // of one name
    std::uint64_t key_bytes_max = 0;  // of the files of all bundles by one author

    friend bool operator==(const RegistryRules&, const RegistryRules&) = default;

    const NameOwners* find_owners(std::string_view name) const;
    std::vector<PublicKey> named_keys() const;  // of all `owner` rules, sorted
    bool is_open(std::string_view name) const;
};

// Errors: malformed (with the line number), limit, unsupported (another version of the text).
Result<RegistryRules> parse_registry_rules(std::string_view text);
// Returns the text without comments; parsing it gives the same rules.
std::string format_registry_rules(const RegistryRules& rules);

// Reads the file in the folder of a registry. Errors: missing (it is no registry), and those of parsing.
Result<RegistryRules> read_registry_rules(const std::string& folder);

// Whether bundles of a registry may have this name: 1 to 100 bytes of a path in a tree (is_tree_path), of which no part
// ends in ".html". So names that look alike, or differ in letter case alone, do not exist. Error: malformed.
Status verify_registry_name(std::string_view name);

}  // namespace fardel
