#include "source_listing.h"

#include <fardel/base/sort_unless_sorted.h>
#include <fardel/format/short_alias.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

// An entry of a listing, by number.
struct Candidate {
    std::uint32_t listing = 0;
    std::uint32_t entry = 0;
};

SourceEntry& entry_of(std::vector<SourceListing>& listings, Candidate candidate) {
    return listings[candidate.listing].entries[candidate.entry];
}

// The names that are not hidden so far, by folded name. The names in a folder begin with "<folder>/" and are adjacent.
class Names {
public:
    // Adds a file under its folded name. Removes and returns all that the name contradicts.
    std::vector<Candidate> insert(std::string_view folded, Candidate candidate) {
        std::vector<Candidate> out;
        for (std::size_t slash = folded.find('/'); slash != folded.npos; slash = folded.find('/', slash + 1))
            if (const auto file = by_folded_.find(folded.substr(0, slash)); file != by_folded_.end())
                extract(file, out);
        if (const auto same = by_folded_.find(folded); same != by_folded_.end())
            extract(same, out);
        const std::string folder = std::string(folded) + '/';
        for (auto inside = by_folded_.lower_bound(folder);
             inside != by_folded_.end() && inside->first.starts_with(folder);)
            inside = extract(inside, out);
        by_folded_.emplace(folded, candidate);
        return out;
    }

private:
    using Map = std::map<std::string, Candidate, std::less<>>;

    // Returns the next one.
    Map::iterator extract(Map::iterator at, std::vector<Candidate>& out) {
        out.push_back(at->second);
        return by_folded_.erase(at);
    }

    Map by_folded_;
};

// All entries of all listings by folded name, and which of them contradict another: few, so that what is known of all
// others is their order.
class SortedCandidates {
public:
    // The entries keep their names while this object lives.
    explicit SortedCandidates(std::vector<SourceListing>& listings) {
        std::size_t count = 0;
        for (const SourceListing& listing : listings)
            count += listing.entries.size();
        all_.reserve(count);
        for (std::uint32_t i = 0; i < listings.size(); ++i)
            for (std::uint32_t at = 0; at < listings[i].entries.size(); ++at)
                all_.push_back({.folded = folded_text(listings[i].entries[at].name.view()),
                                .candidate = {.listing = i, .entry = at}});
        sort_unless_sorted(all_, &Sorted::folded);
        mark_contradictions();
    }

    // Those that contradict another one, in the order of the listings.
    std::vector<std::pair<std::string_view, Candidate>> contradicting() const {
        std::vector<std::pair<std::string_view, Candidate>> out;
        for (const Sorted& one : all_)
            if (one.contradicts)
                out.emplace_back(one.folded, one.candidate);
        std::ranges::sort(out, {}, [](const auto& one) { return std::pair(one.second.listing, one.second.entry); });
        return out;
    }

    // Moves the entries that are not hidden out of the listings.
    std::vector<SourceEntry> entries_without(const std::set<std::pair<std::uint32_t, std::uint32_t>>& hidden,
                                             std::vector<SourceListing>& listings) const {
        std::vector<SourceEntry> entries;
        entries.reserve(all_.size() - hidden.size());
        for (const Sorted& one : all_)
            if (!one.contradicts || !hidden.contains({one.candidate.listing, one.candidate.entry}))
                entries.push_back(std::move(entry_of(listings, one.candidate)));
        sort_unless_sorted(entries, &SourceEntry::name);
        return entries;
    }

private:
    struct Sorted {
        std::string_view folded;
        Candidate candidate;
        bool contradicts = false;
    };

    std::string_view folded_text(std::string_view name) {
        const auto is_folded = [](char c) { return static_cast<unsigned char>(c) < 0x80 && (c < 'A' || c > 'Z'); };
        return std::ranges::all_of(name, is_folded) ? name : folds_.emplace_back(fold_name(name));
    }

    void mark_contradictions() {
        std::vector<std::size_t> starts;  // of the names with which this one starts, each once
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const std::string_view name = all_[i].folded;
            while (!starts.empty() && !name.starts_with(all_[starts.back()].folded))
                starts.pop_back();
            for (const std::size_t start : starts) {
                const std::size_t size = all_[start].folded.size();
                if (name.size() == size || name[size] == '/')
                    all_[start].contradicts = all_[i].contradicts = true;
            }
            if (starts.empty() || name.size() != all_[starts.back()].folded.size())
                starts.push_back(i);
        }
    }

    std::vector<Sorted> all_;
    std::deque<std::string> folds_;  // of names that differ from theirs
};

std::string contradiction(const SourceEntry& a, const SourceEntry& b) {
    const bool equal = names_fold_equal(a.name.view(), b.name.view());
    return a.origin.text() + " and " + b.origin.text() +
           (equal ? " differ only in case" : " would be a file and a folder of one name");
}

// A person who has many of them wants to see them all before the first is mended.
Error all_contradictions(const std::vector<std::string>& found) {
    constexpr std::size_t kShownMax = 100;
    std::string text;
    for (std::size_t i = 0; i < std::min(found.size(), kShownMax); ++i)
        text += (i == 0 ? "" : ", ") + found[i];
    if (found.size() > kShownMax)
        text += ", and " + std::to_string(found.size() - kShownMax) + " more pairs";
    return Error(
        ErrorCode::conflict,
        text + (found.size() == 1 ? "; a bundle can hold only one of them"
                                  : "; a bundle can hold only one of each pair, so rename or exclude the other"));
}

void rename(SourceEntry& entry, const ScanRenames& renames, ScanReport& report) {
    const auto to = find_rename(renames, entry.name.view());
    auto name = to ? AssetName::parse(*to) : Result<AssetName>(entry.name);
    if (!to || !name || *name == entry.name)
        return;
    report.renamed.push_back(
        {.printable_name = printable(entry.name.view()), .origin = entry.origin.text(), .name = *name});
    entry.name = *std::move(name);
}

// Renames what contradicts another entry of the listing.
void rename_contradicting(SourceListing& listing, const ScanRenames& renames, ScanReport& report) {
    if (renames.empty())
        return;
    std::map<std::string, std::size_t> files;
    std::set<std::string> folders;
    for (const SourceEntry& entry : listing.entries) {
        const std::string folded = fold_name(entry.name.view());
        ++files[folded];
        for (std::size_t slash = folded.find('/'); slash != folded.npos; slash = folded.find('/', slash + 1))
            folders.insert(folded.substr(0, slash));
    }
    const auto is_file_there = [&](const std::string& folded) {
        for (std::size_t slash = folded.find('/'); slash != folded.npos; slash = folded.find('/', slash + 1))
            if (files.contains(folded.substr(0, slash)))
                return true;
        return files.at(folded) > 1 || folders.contains(folded);
    };
    for (SourceEntry& entry : listing.entries)
        if (is_file_there(fold_name(entry.name.view())))
            rename(entry, renames, report);
}

std::vector<ShortAlias> find_short_aliases(const std::vector<SourceEntry>& entries) {
    return fardel::find_short_aliases(entries.size(),
                                      [&](std::size_t i) { return std::optional(entries[i].name.view()); });
}

// Renames names that may be 8.3 aliases of others, or those others. The listings are not merged yet.
void rename_short_aliases(std::vector<SourceEntry>& entries, const ScanRenames& renames, ScanReport& report) {
    if (renames.empty())
        return;
    for (const ShortAlias& found : find_short_aliases(entries)) {
        const AssetName before = entries[found.alias].name;
        rename(entries[found.alias], renames, report);
        if (entries[found.alias].name == before)
            rename(entries[found.of], renames, report);
    }
}

// Refuses names that may be 8.3 aliases of others.
void refuse_short_aliases(ScanResult& result) {
    const std::vector<ShortAlias> found = find_short_aliases(result.entries);
    if (found.empty())
        return;
    std::set<std::size_t> aliases;
    for (const ShortAlias& one : found) {
        const SourceEntry& entry = result.entries[one.alias];
        result.report.refused.push_back(
            {.printable_name = printable(entry.name.view()),
             .origin = entry.origin.text(),
             .reason = Error(ErrorCode::conflict, "its name has the form of an 8.3 alias of \"" +
                                                      printable(result.entries[one.of].name.view()) +
                                                      "\", which may be opened in its place; rename one")});
        aliases.insert(one.alias);
    }
    std::size_t i = 0;
    std::erase_if(result.entries, [&](const SourceEntry&) { return aliases.contains(i++); });
}

}  // namespace

Result<ScanResult> merge_listings(std::vector<SourceListing> listings) {
    ScanResult result;
    const ScanRenames renames = listings.empty() ? ScanRenames() : listings.front().options().renames;
    for (std::size_t i = 0; i < listings.size(); ++i) {
        SourceListing& listing = listings[i];
        std::ranges::move(listing.renamed, std::back_inserter(result.report.renamed));
        rename_contradicting(listing, renames, result.report);
        rename_short_aliases(listing.entries, renames, result.report);
        const std::uint64_t listed = std::uint64_t(listings.size() - i) << 32;
        for (std::size_t at = 0; at < listing.entries.size(); ++at)
            listing.entries[at].listed = listed + at;
        std::ranges::move(listing.refused, std::back_inserter(result.report.refused));
        std::ranges::move(listing.seen, std::back_inserter(result.seen));
        std::ranges::move(listing.remarks, std::back_inserter(result.report.remarks));
        std::ranges::move(listing.excluded, std::back_inserter(result.report.excluded));
    }
    const SortedCandidates sorted(listings);
    Names names;
    std::set<std::pair<std::uint32_t, std::uint32_t>> hidden;
    std::vector<std::string> contradictions;
    for (const auto& [folded, candidate] : sorted.contradicting()) {
        const SourceEntry& entry = entry_of(listings, candidate);
        for (const Candidate& other : names.insert(folded, candidate)) {
            const SourceEntry& earlier = entry_of(listings, other);
            const bool same_source = other.listing == candidate.listing;
            if (same_source && listings[other.listing].conflicts_refused) {
                contradictions.push_back(contradiction(earlier, entry));
                continue;
            }
            hidden.insert({other.listing, other.entry});
            result.report.overridden.push_back({.name = earlier.name,
                                                .origin = earlier.origin.text(),
                                                .by_name = entry.name,
                                                .by_origin = entry.origin.text(),
                                                .same_source = same_source});
        }
    }
    if (!contradictions.empty())
        return all_contradictions(contradictions);
    result.entries = sorted.entries_without(hidden, listings);
    refuse_short_aliases(result);
    return result;
}

}  // namespace fardel
