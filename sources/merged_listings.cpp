#include "source_listing.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fardel {
namespace {

struct Candidate {
    SourceEntry entry;
    std::size_t listing = 0;
};

// The names that are not hidden so far, by folded name. The names in a folder begin with "<folder>/" and are adjacent.
class Names {
public:
    // Removes and returns all that the file name `folded` contradicts.
    std::vector<Candidate> extract_contradicted(const std::string& folded) {
        std::vector<Candidate> out;
        for (std::size_t slash = folded.find('/'); slash != folded.npos; slash = folded.find('/', slash + 1))
            extract(by_folded_.find(std::string_view(folded).substr(0, slash)), out);
        extract(by_folded_.find(folded), out);
        const std::string folder = folded + '/';
        for (auto inside = by_folded_.lower_bound(folder);
             inside != by_folded_.end() && inside->first.starts_with(folder); inside = by_folded_.lower_bound(folder))
            extract(inside, out);
        return out;
    }

    void insert(std::string folded, Candidate candidate) {
        by_folded_.emplace(std::move(folded), std::move(candidate));
    }

    std::vector<SourceEntry> take_all() {
        std::vector<SourceEntry> entries;
        entries.reserve(by_folded_.size());
        for (auto& [folded, candidate] : by_folded_)
            entries.push_back(std::move(candidate.entry));
        std::ranges::sort(entries, {}, &SourceEntry::name);
        return entries;
    }

private:
    using Map = std::map<std::string, Candidate, std::less<>>;

    void extract(Map::iterator at, std::vector<Candidate>& out) {
        if (at == by_folded_.end())
            return;
        out.push_back(std::move(at->second));
        by_folded_.erase(at);
    }

    Map by_folded_;
};

Error contradiction(const SourceEntry& a, const SourceEntry& b) {
    const bool equal = names_fold_equal(a.name.view(), b.name.view());
    return Error(ErrorCode::conflict,
                 a.origin + " and " + b.origin +
                     (equal ? " differ only in case" : " would be a file and a folder of one name") +
                     "; a bundle can hold only one of them");
}

}  // namespace

Result<ScanResult> merge_listings(std::vector<SourceListing> listings) {
    ScanResult result;
    Names names;
    for (std::size_t i = 0; i < listings.size(); ++i) {
        std::uint64_t listed = std::uint64_t(listings.size() - i) << 32;
        for (SourceEntry& entry : listings[i].entries) {
            entry.listed = listed++;
            std::string folded = fold_name(entry.name.view());
            for (Candidate& hidden : names.extract_contradicted(folded)) {
                if (hidden.listing == i && listings[i].conflicts_refused)
                    return contradiction(hidden.entry, entry);
                result.report.overridden.push_back({.name = std::move(hidden.entry.name),
                                                    .origin = std::move(hidden.entry.origin),
                                                    .by_name = entry.name,
                                                    .by_origin = entry.origin});
            }
            names.insert(std::move(folded), {.entry = std::move(entry), .listing = i});
        }
        std::ranges::move(listings[i].refused, std::back_inserter(result.report.refused));
        std::ranges::move(listings[i].seen, std::back_inserter(result.seen));
        std::ranges::move(listings[i].excluded, std::back_inserter(result.report.excluded));
    }
    result.entries = names.take_all();
    return result;
}

}  // namespace fardel
