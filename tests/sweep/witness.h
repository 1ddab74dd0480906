// What a bundle file says about itself, read by code that shares nothing with the readers except the two heads: the
// witness to which the bytes of every face are compared. It checks nothing and believes nothing beyond ranges.
#pragma once

#include "hostile.h"

#include <fardel/format/ids.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel::sweep {

class Witness {
public:
    // Has no names and assets if the heads cannot be decoded.
    explicit Witness(const Bytes& bundle);

    // Whether these bytes are what the manifest says about that asset: the hash of the bytes for an asset of one piece,
    // else the hash of each piece. Of several records with one id, any.
    bool vouches(const AssetId& id, std::span<const std::byte> bytes) const;
    // The same for a name: any asset that a record of the name leads to. In a bundle that the verifier refuses, a
    // look-up table may lead from one name to another, which only a full read shows: there, any asset of the manifest.
    bool vouches(std::string_view name, std::span<const std::byte> bytes) const;
    void set_good(bool good) { good_ = good; }
    bool is_good() const { return good_; }

    struct Name {
        std::set<AssetId> assets;  // of all variants; empty: a tombstone
        bool published = false;
        bool extends = false;
    };
    const std::map<std::string, Name, std::less<>>& names() const { return names_; }
    std::vector<AssetId> assets() const;
    const std::vector<std::string>& strings() const { return strings_; }

private:
    struct Asset {
        std::uint64_t raw_bytes = 0;
        unsigned piece_log2 = 16;
        std::vector<Hash> pieces;  // of several
    };
    std::multimap<AssetId, Asset> assets_;
    std::map<std::string, Name, std::less<>> names_;
    std::vector<std::string> strings_;
    bool good_ = false;
};

}  // namespace fardel::sweep
