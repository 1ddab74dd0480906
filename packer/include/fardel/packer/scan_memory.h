// ScanMemory: what scanners found in assets before, so that bytes that were scanned once are not read again.
//
// Keys cover all that decides a finding: the asset's id and the scanner with its configuration. Records are believed
// only as far as they can be true: one that cannot be decoded is not known. From several threads at once.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/packer/resolve.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fardel {

// A longer record is not kept: that asset is scanned each time.
inline constexpr std::size_t kScanRecordBytesMax = std::size_t(16) << 20;

class ScanMemory {
public:
    explicit ScanMemory(std::unordered_map<Hash, std::string> records = {}) : records_(std::move(records)) {}

    std::optional<ScannedAsset> find(const Hash& key);
    void add(const Hash& key, const ScannedAsset& scanned);

    // What was found or added, ascending; and the records of what was added.
    std::vector<Hash> used() const;
    std::map<Hash, std::string> take_added();

private:
    mutable std::mutex mutex_;
    std::unordered_map<Hash, std::string> records_;
    std::set<Hash> used_;
    std::map<Hash, std::string> added_;
};

// One asset and scanner as bytes. Pure.
std::string encode_scanned(const ScannedAsset& scanned);
// Nothing when it is no such record, or says what no scanner can find.
std::optional<ScannedAsset> find_scanned(std::string_view record);

}  // namespace fardel
