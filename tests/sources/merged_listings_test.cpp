#include "source_listing.h"

#include "kit/test.h"

#include <random>
#include <set>

namespace fardel::tests::merged_listings_test {

using Names = std::vector<std::string>;

// A listing of these names, each with the origin "<source>:<name>".
SourceListing listing_of(const std::string& source, const Names& names, bool conflicts_refused = false) {
    SourceListing listing({});
    for (const std::string& name : names)
        listing.entries.push_back({.name = *AssetName::parse(name), .origin = source + ':' + name});
    listing.conflicts_refused = conflicts_refused;
    return listing;
}

ScanResult merge(std::vector<SourceListing> listings) { return value_of(merge_listings(std::move(listings))); }

Names origins_of(const ScanResult& result) {
    Names origins;
    for (const SourceEntry& entry : result.entries)
        origins.push_back(entry.origin.text());
    return origins;
}

Names overridden_of(const ScanResult& result) {
    Names lines;
    for (const OverriddenName& name : result.report.overridden)
        lines.push_back(name.origin + " by " + name.by_origin);
    return lines;
}

TEST_CASE("merged listings: names are sorted by their bytes") {
    CHECK(origins_of(merge({listing_of("1", {"b", "a/c", "a-c", "Z"}), listing_of("2", {"a.c"})})) ==
          Names{"1:Z", "1:a-c", "2:a.c", "1:a/c", "1:b"});
}

TEST_CASE("merged listings: the later source wins, and the earlier name is reported with both origins") {
    const ScanResult result = merge({listing_of("1", {"a", "b"}), listing_of("2", {"b", "c"}), listing_of("3", {"b"})});
    CHECK(origins_of(result) == Names{"1:a", "3:b", "2:c"});
    CHECK(overridden_of(result) == Names{"1:b by 2:b", "2:b by 3:b"});
}

// A08
TEST_CASE("merged listings: names are compared under case folding, and the later spelling wins") {
    const ScanResult result = merge(
        {listing_of("1", {"Textures/Base.tga", "stra\u00dfe"}), listing_of("2", {"textures/BASE.TGA", "STRASSE"})});
    CHECK(origins_of(result) == Names{"2:STRASSE", "2:textures/BASE.TGA"});
    CHECK(result.report.overridden.size() == 2);
}

// A07
TEST_CASE("merged listings: of equal names in one archive the last wins, as in the game") {
    const ScanResult result = merge({listing_of("1", {"a", "A", "a"})});
    CHECK(origins_of(result) == Names{"1:a"});
    CHECK(overridden_of(result) == Names{"1:a by 1:A", "1:A by 1:a"});
}

// A12
TEST_CASE("merged listings: a file hides a folder of its name, and the other way round") {
    const ScanResult file = merge({listing_of("1", {"A/x", "a/y/z", "a-b", "ab"}), listing_of("2", {"a"})});
    CHECK(origins_of(file) == Names{"2:a", "1:a-b", "1:ab"});
    CHECK(overridden_of(file) == Names{"1:A/x by 2:a", "1:a/y/z by 2:a"});
    const ScanResult folder = merge({listing_of("1", {"a", "b"}), listing_of("2", {"A/x/y"})});
    CHECK(origins_of(folder) == Names{"2:A/x/y", "1:b"});
    CHECK(overridden_of(folder) == Names{"1:a by 2:A/x/y"});
}

// Whether two names are equal under case folding, or one would be a folder of the other.
bool contradict(const std::string& a, const std::string& b) {
    const std::string shorter = fold_name(a.size() < b.size() ? a : b);
    const std::string longer = fold_name(a.size() < b.size() ? b : a);
    return longer == shorter || longer.starts_with(shorter + '/');
}

TEST_CASE("merged listings: what is left of many names is what comparing each with each leaves") {
    std::mt19937 random(5);
    const auto any = [&](const Names& of) { return of[random() % of.size()]; };
    for (int round = 0; round < 300; ++round) {
        std::vector<SourceListing> listings;
        std::vector<std::pair<std::string, std::string>> left;  // name and origin
        Names hidden;
        for (int source = 0; source < 3; ++source) {
            Names names;
            for (std::size_t i = random() % 12; i > 0; --i) {
                std::string name = any({"a", "B", "b", "a-", "ab", "c"});
                while (random() % 2 == 0)
                    name += any({"/a", "/A", "/b-b", "/b", "x"});
                names.push_back(name);
                const std::string origin = std::to_string(source) + ':' + name;
                std::erase_if(left, [&](const auto& earlier) {
                    if (!contradict(earlier.first, name))
                        return false;
                    hidden.push_back(earlier.second + " by " + origin);
                    return true;
                });
                left.emplace_back(name, origin);
            }
            listings.push_back(listing_of(std::to_string(source), names));
        }
        std::ranges::sort(left);
        Names origins;
        for (const auto& [name, origin] : left)
            origins.push_back(origin);
        const ScanResult result = merge(std::move(listings));
        CHECK(origins_of(result) == origins);
        Names overridden = overridden_of(result);
        std::ranges::sort(overridden);
        std::ranges::sort(hidden);
        CHECK(overridden == hidden);
    }
}

TEST_CASE("merged listings: two names of a folder that a bundle cannot both contain are a conflict") {
    for (const Names& names : {Names{"A", "a"}, Names{"a", "A/x"}, Names{"A/x", "a"}, Names{"b/x", "B/X"}}) {
        const Result<ScanResult> result = merge_listings({listing_of("1", names, true)});
        REQUIRE_FALSE(result);
        CHECK(result.error().code() == ErrorCode::conflict);
        for (const std::string& name : names)
            CHECK(result.error().message().find("1:" + name) != std::string::npos);
    }
}

TEST_CASE("merged listings: all names of a folder that a bundle cannot both contain are in one message") {
    const Result<ScanResult> result = merge_listings(
        {listing_of("1", {"FLOOR.png", "Floor.png", "SKY.png", "Sky.png", "WALL.png", "Wall.png", "other.png"}, true)});
    REQUIRE_FALSE(result);
    CHECK(
        result.error().message() ==
        "1:FLOOR.png and 1:Floor.png differ only in case, 1:SKY.png and 1:Sky.png differ only in case, 1:WALL.png "
        "and 1:Wall.png differ only in case; a bundle can hold only one of each pair, so rename or exclude the other");
}

// A06
TEST_CASE("merged listings: a name that may be the 8.3 alias of one beside it is refused, and both are named") {
    const ScanResult result = merge({listing_of("1", {"a/huge~0.png", "a/huge~1.png"}),
                                     listing_of("2", {"b/PROGRA~1", "b/Program Files/x", "c/PROGRA~1"})});
    CHECK(origins_of(result) == Names{"1:a/huge~0.png", "1:a/huge~1.png", "2:b/Program Files/x", "2:c/PROGRA~1"});
    REQUIRE(result.report.refused.size() == 1);
    CHECK(result.report.refused[0].origin == "2:b/PROGRA~1");
    CHECK(result.report.refused[0].reason.code() == ErrorCode::conflict);
    CHECK(result.report.refused[0].reason.message().find("\"b/Program Files/x\"") != std::string::npos);
}

TEST_CASE("merged listings: a name that contradicts another, or may be its alias, is renamed first") {
    const ScanOptions options{.renames = {{"A", "a2"}, {"PROGRA~1", "p"}, {"other", "not needed"}}};
    SourceListing listing(options);
    for (const char* name : {"A", "a", "PROGRA~1", "Program Files", "other"})
        listing.entries.push_back({.name = *AssetName::parse(name), .origin = std::string(name)});
    listing.conflicts_refused = true;
    const ScanResult result = merge({std::move(listing)});
    std::vector<std::string> names;
    for (const SourceEntry& entry : result.entries)
        names.push_back(entry.origin.text() + " as " + entry.name.text());
    CHECK(names == Names{"Program Files as Program Files", "a as a", "A as a2", "other as other", "PROGRA~1 as p"});
    CHECK(result.report.renamed.size() == 2);
}

TEST_CASE("merged listings: a folder may hide names of sources before it, and be hidden") {
    const ScanResult result =
        merge({listing_of("1", {"a", "b"}), listing_of("2", {"A", "c"}, true), listing_of("3", {"C"})});
    CHECK(origins_of(result) == Names{"2:A", "3:C", "1:b"});
}

TEST_CASE("merged listings: the result has the names that no later one contradicts") {
    FARDEL_RANDOM(random);
    const auto contradict = [](const std::string& a, const std::string& b) {
        const std::string x = fold_name(a), y = fold_name(b);
        return x == y || x.starts_with(y + '/') || y.starts_with(x + '/');
    };
    for (int round = 0; round < 300; ++round) {
        Names names;
        for (int i = 0; i < 12; ++i) {
            std::string name(1, "aAbB"[random() % 4]);
            for (std::size_t depth = random() % 3; depth > 0; --depth)
                name += std::string("/") + "aAbB"[random() % 4];
            names.push_back(name);
        }
        std::set<std::string> expected;
        for (std::size_t i = 0; i < names.size(); ++i) {
            bool survives = true;
            for (std::size_t later = i + 1; later < names.size(); ++later)
                survives = survives && !contradict(names[i], names[later]);
            if (survives)
                expected.insert("1:" + names[i]);
        }
        const ScanResult result = merge({listing_of("1", names)});
        const Names origins = origins_of(result);
        CHECK(std::set(origins.begin(), origins.end()) == expected);
        CHECK(origins.size() + result.report.overridden.size() == names.size());
    }
}

}  // namespace fardel::tests::merged_listings_test
