#include "table_section.h"

#include <fardel/base/fits.h>
#include <fardel/format/limits.h>

#include <cassert>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace fardel {

Status TableSection::begin(TableKind kind, std::uint64_t count) {
    tree_.reset();
    if (count == 0)
        return ok();
    TableEntry entry;
    entry.kind = kind;
    entry.record_bytes = record_bytes(kind);
    entry.count = count;
    entry.length_bytes = count * entry.record_bytes;
    entries_.push_back(entry);
    length_bytes_ = place_tables(entries_);
    if (length_bytes_ > length_bytes_max_)
        return Error(ErrorCode::limit, "the tables have " + std::to_string(length_bytes_) +
                                           " bytes and more; at most " + std::to_string(length_bytes_max_));
    tree_.emplace(kind, entry.length_bytes);
    at_ = section_offset_ + entries_.back().offset;
    return ok();
}

Status TableSection::write_if_full() {
    return part_.size() < kPartBytes ? ok() : write_part(part_.size() / limits::kPageBytes * limits::kPageBytes);
}

Status TableSection::write_part(std::size_t size) {
    const auto part = std::span(part_).first(size);
    FARDEL_TRY(file_.write_at(at_, part));
    tree_->add(part);
    at_ += size;
    part_.erase(part_.begin(), part_.begin() + static_cast<std::ptrdiff_t>(size));
    return ok();
}

Status TableSection::end() {
    if (!tree_)
        return ok();
    if (!part_.empty())
        FARDEL_TRY(write_part(part_.size()));
    TableEntry& entry = entries_.back();
    assert(at_ == section_offset_ + entry.offset + entry.length_bytes);
    const PageTree tree = std::move(*tree_).finish();
    entry.root = tree.root;
    return file_.write_at(section_offset_ + entry.offset + align_up(entry.length_bytes, kTableAlign), tree.levels);
}

Status TableSection::write_bytes(TableKind kind, std::span<const std::byte> records) {
    FARDEL_TRY(begin(kind, records.size() / record_bytes(kind)));
    if (!tree_)
        return ok();
    FARDEL_TRY(file_.write_at(at_, records));
    tree_->add(records);
    at_ += records.size();
    return end();
}

}  // namespace fardel
