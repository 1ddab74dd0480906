// The keyed hash of an answer, which only a client with the content can compute. docs/pure-mode.md, "Proof".
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/content_set.h>
#include <fardel/format/ids.h>
#include <fardel/vfs/pure_check.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace fardel {

// The bundles of a content set in its order; null where there is none.
using OrderedBundles = std::span<const Bundle* const>;
std::vector<const Bundle*> find_pure_bundles(const ContentSet& content, PureBundles bundles);
// None of them null. Error: missing.
Result<std::vector<const Bundle*>> find_all_pure_bundles(const ContentSet& content, PureBundles bundles);

// So many pieces are read, whatever the number of bundles. Of up to so many bundles, each has a piece.
inline constexpr std::size_t kPurePicks = 64;

// A piece of an asset, in raw bytes: the same in every layout of a bundle.
struct PurePick {
    AssetIndex asset{};
    std::uint64_t offset = 0;
    std::uint32_t size_bytes = 0;  // 0 in a bundle without assets
};
// Pick number 0 to kPurePicks - 1 of an epoch: in which bundle of a content set of `count`, and where in that bundle.
std::size_t pick_bundle(const Hash& epoch, std::size_t number, std::size_t count);
Result<PurePick> pick_piece(const Hash& epoch, std::size_t number, const Bundle& bundle);

// Hash of all pieces that an epoch's key picks, read now and verified on the way. `failed`: called for each that cannot
// be read, with the position of its bundle. The hash has no meaning then, nor if a bundle is null.
using PickFailed = std::function<void(std::size_t position, const Error& error)>;
Hash hash_content(const Hash& epoch, const ContentSet& content, OrderedBundles bundles, const PickFailed& failed);

// `content`: hash_content() under the epoch of the offer.
Hash prove(const PureAnswer& answer, const Hash& content);

// In time that does not depend on where they differ.
bool equal_in_constant_time(const Hash& a, const Hash& b) noexcept;

}  // namespace fardel
