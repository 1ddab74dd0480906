// RegistryNames: whose each name in a registry is: the author who brought it first, and each key to whom the operator
// has transferred it since. A name stays in it when its bundles are recalled and pruned, so that nobody else takes it.
//
// docs/registry.md describes the file. Plain values; RegistryFolder reads and replaces the file in one step.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::string_view kRegistryNamesFile = "registry.names";  // below the folder of the registry
inline constexpr std::size_t kRegistryNamesBytesMax = 64u << 20;
// A release has at most 100,000 bundles and 4,096 recalls, so a registry whose folder is never emptied by hand does not
// come to this.
inline constexpr std::size_t kRecordedNamesMax = 150'000;
inline constexpr std::size_t kNamesPerAuthorMax = 10'000;
inline constexpr std::size_t kNameHoldersMax = 16;

struct NameHolder {
    PublicKey key;
    UnixTime since;  // when the first bundle was accepted, or the name was transferred

    friend bool operator==(const NameHolder&, const NameHolder&) = default;
};

class RegistryNames {
public:
    // Errors: malformed (with the line number), limit, unsupported (another version of the text).
    static Result<RegistryNames> parse(std::string_view text);
    std::string format() const;

    // In their order: the last one has the name now. Not empty. nullptr: no bundle of this name was ever released.
    const std::vector<NameHolder>* find(std::string_view name) const;
    const std::map<std::string, std::vector<NameHolder>, std::less<>>& names() const noexcept { return names_; }
    std::size_t names_of(const PublicKey& key) const;

    // The name is new. Errors: malformed (a registry has no such names), limit.
    Status add(const std::string& name, const NameHolder& first);
    // Errors: missing (nobody has the name), limit (it was transferred too often).
    Status transfer(std::string_view name, const NameHolder& next);

private:
    std::map<std::string, std::vector<NameHolder>, std::less<>> names_;
};

}  // namespace fardel
