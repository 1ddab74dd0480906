#include <fardel/vfs/file.h>

#include <fardel/base/fits.h>
#include <fardel/format/bundle.h>

#include <algorithm>
#include <cstring>

namespace fardel {
namespace {

constexpr std::uint64_t kPieceBytes = 256u << 10;  // a multiple of the format's piece sizes
constexpr std::uint64_t kAheadBytes = 1u << 20;

}  // namespace

Result<std::size_t> FileStream::read(std::span<std::byte> out) {
    std::size_t done = 0;
    std::uint64_t at = position_;
    while (done < out.size() && at < file_.size_bytes()) {
        if (piece_.empty() || at < piece_offset_ || at - piece_offset_ >= piece_.size())
            FARDEL_TRY(load(at / kPieceBytes * kPieceBytes));
        const std::size_t within = in_memory(at - piece_offset_);
        const std::size_t count = std::min(out.size() - done, piece_.size() - within);
        std::memcpy(out.data() + done, piece_.data() + within, count);
        done += count;
        at += count;
    }
    position_ = at;
    return done;
}

Status FileStream::load(std::uint64_t piece) {
    const std::uint64_t size = file_.size_bytes();
    if (piece + kPieceBytes < size && (piece + kPieceBytes >= fetched_to_ || piece + kAheadBytes < fetched_to_)) {
        const std::uint64_t ahead = std::min(kAheadBytes, size - piece);
        if (const auto stored = file_.bundle()->stored_range(file_.index(), piece, ahead))
            file_.bundle()->source()->prefetch(stored->offset, stored->length_bytes);
        fetched_to_ = piece + ahead;
    }
    piece_.resize(static_cast<std::size_t>(std::min(kPieceBytes, size - piece)));
    piece_offset_ = piece;
    auto count = file_.read_at(piece, piece_);
    if (count)
        return ok();
    piece_.clear();
    return std::move(count).error();
}

}  // namespace fardel
