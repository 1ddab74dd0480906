// SourceListing: what one source holds, each name judged, before sources are laid over one another.
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

    // The name, if it is well formed and not excluded; otherwise it is in the report.
    std::optional<AssetName> admit(std::string_view raw_name, const std::string& origin);
    // The same for a folder: whether its files are worth a look. `raw_name` is without '/' at the end.
    bool admit_folder(std::string_view raw_name, const std::string& origin);
    void refuse(std::string_view raw_name, const std::string& origin, Error reason);

    // In the source's own order. Of two that cannot both be, the later counts, or none if `conflicts_refused`.
    std::vector<SourceEntry> entries;
    std::vector<RefusedName> refused;
    std::vector<ExcludedName> excluded;
    std::vector<SeenPlace> seen;
    bool conflicts_refused = false;

private:
    std::span<const std::string> excludes_;
};

}  // namespace fardel
