// ScanMemory: what scanners found in earlier builds, so that the same bytes are not read again.
//
// A key covers everything that decides a finding: the asset's id and the scanner with its configuration. Records are
// untrusted: one that does not decode counts as absent. Any thread.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/packer/asset_scan.h>

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

// A longer record is not kept: its asset is scanned each time.
inline constexpr std::size_t kScanRecordBytesMax = std::size_t(16) << 20;

class ScanMemory {
public:
    explicit ScanMemory(std::unordered_map<Hash, std::string> records = {}) : records_(std::move(records)) {}

    std::optional<ScanRecord> find(const Hash& key);
    void add(const Hash& key, const ScanRecord& record);

    // The keys that were found or added, ascending.
    std::vector<Hash> used() const;
    // The records that were added since the last call.
    std::map<Hash, std::string> take_added();

private:
    mutable std::mutex mutex_;
    std::unordered_map<Hash, std::string> records_;  // never changed after construction
    std::set<Hash> used_;
    std::map<Hash, std::string> added_;
};

std::string encode_scan_record(const ScanRecord& record);
// Nothing if the bytes are not a record, or contain what no scanner can find.
std::optional<ScanRecord> decode_scan_record(std::string_view bytes);

}  // namespace fardel
