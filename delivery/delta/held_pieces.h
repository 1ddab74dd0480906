// HeldPieces: where other bundles have pieces of assets that none of them has whole: of a large asset that was edited,
// most. Pieces are found by the hashes of their raw bytes, in any asset and at any offset.
#pragma once

#include "delta/held_content.h"

#include <fardel/base/result.h>
#include <fardel/delivery/block_parts.h>
#include <fardel/format/bundle.h>
#include <fardel/format/hash.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace fardel {

inline constexpr std::size_t kSoughtPiecesMax = 1u << 20;  // of 64 or 256 KiB; at 64 bytes of memory each

class HeldPieces {
public:
    // Looks in the tables of the bundles, which outlive the object, for pieces among these parts of the target, the
    // first kSoughtPiecesMax. A bundle whose tables cannot be read ends the search in it. Errors: those of the target's
    // tables; cancelled.
    static Result<HeldPieces> find(const Bundle& target, std::span<const BlockPart> parts, HeldBundles others,
                                   const std::stop_token& stop);

    // Whether a bundle has this part of the target.
    bool has(const BlockPart& part) const { return find_piece(part) != nullptr; }
    // Reads a part of the target, verified. Returns false if no bundle has it, or the one that was found cannot be
    // read.
    bool read(const BlockPart& part, std::span<std::byte> out) const;

private:
    struct Piece {
        Hash hash;
        std::uint32_t block = 0;         // of the target
        std::uint32_t length_bytes = 0;  // this, and what follows: where it was found
        const Bundle* bundle = nullptr;
        std::uint64_t offset = 0;
        AssetIndex asset{};
    };
    const Piece* find_piece(const BlockPart& part) const;
    Status seek(const Bundle& target, std::span<const BlockPart> parts, HeldBundles others);
    Status look_in(const Bundle& other, const std::stop_token& stop);
    void take(const Hash& hash, const Bundle& other, AssetIndex asset, std::uint64_t offset,
              std::uint32_t length_bytes);

    std::vector<Piece> pieces_;  // while they are sought: by hash; then those that were found, by block
};

}  // namespace fardel
