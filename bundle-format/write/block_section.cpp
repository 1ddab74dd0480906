#include "block_section.h"

#include <fardel/base/fits.h>
#include <fardel/format/limits.h>

namespace fardel {

std::uint64_t BlockSection::length_bytes() const noexcept {
    return records_.empty() ? 0 : records_.back().stored_offset + records_.back().stored_bytes;
}

Status BlockSection::append(const EncodedBlock& block) {
    const bool aligned = block.piece && block.codec == Codec::raw && block.raw_bytes >= limits::kRawBlockAlign;
    BlockRecord record;
    record.stored_hash = block.stored_hash;
    record.stored_offset = aligned ? align_up(length_bytes(), limits::kRawBlockAlign) : length_bytes();
    record.stored_bytes = static_cast<std::uint32_t>(block.stored.size());
    record.raw_bytes = block.raw_bytes;
    record.codec = block.codec;
    FARDEL_TRY(file_.write_at(offset_ + record.stored_offset, block.stored));
    records_.push_back(record);
    piece_hashes_.push_back(block.raw_hash);
    return ok();
}

Status BlockSection::cut_to(std::size_t count) {
    if (count >= records_.size())
        return ok();
    records_.resize(count);
    piece_hashes_.resize(count);
    return file_.resize(offset_ + length_bytes());
}

}  // namespace fardel
