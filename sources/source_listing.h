// SourceListing: the entries of one source with their names judged, before sources are merged.
#pragma once

#include <fardel/sources/source_scan.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class SourceListing {
public:
    // `excludes` have passed verify_glob and outlive the listing.
    explicit SourceListing(std::span<const std::string> excludes) : excludes_(excludes) {}

    // Returns the name if it is well formed and not excluded; otherwise adds it to the report.
    std::optional<AssetName> admit(std::string_view raw_name, const std::string& origin);
    // The same for a folder; returns whether its files are to be listed. `raw_name` does not end in '/'.
    bool admit_folder(std::string_view raw_name, const std::string& origin);
    void refuse(std::string_view raw_name, const std::string& origin, Error reason);

    // In the source's own order. Of two entries whose names contradict each other the later wins, unless
    // `conflicts_refused`: then the source has a conflict.
    std::vector<SourceEntry> entries;
    std::vector<RefusedName> refused;
    std::vector<ExcludedName> excluded;
    std::vector<ObservedPath> seen;
    bool conflicts_refused = false;

private:
    std::span<const std::string> excludes_;
};

}  // namespace fardel
