#include "string_table.h"

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <span>
#include <string>

namespace fardel {
namespace {

std::uint64_t text_hash(std::string_view text) { return std::hash<std::string_view>()(text); }

}  // namespace

void StringTable::add(std::string_view text) {
    assert(text.size() <= limits::kStringBytesMax);
    const std::uint64_t hash = text_hash(text);
    if (numbers_.find(hash, [&](std::uint32_t number) { return texts_[number] == text; }) != NumberTable::kNone)
        return;
    if (numbers_.is_full()) {
        numbers_.reset(2 * texts_.size());
        for (std::uint32_t number = 0; number < texts_.size(); ++number)
            numbers_.insert(text_hash(texts_[number]), number);
    }
    numbers_.insert(hash, static_cast<std::uint32_t>(texts_.size()));
    texts_.push_back(text);
}

Status StringTable::seal() {
    std::uint64_t length_bytes = 0;
    for (const std::string_view text : texts_)
        length_bytes += sizeof(std::uint16_t) + text.size();
    if (length_bytes > limits::kStringsBytesMax || !fits_memory(length_bytes))
        return Error(ErrorCode::limit,
                     "all strings together have " + std::to_string(length_bytes) + " bytes; at most " +
                         std::to_string(std::min<std::uint64_t>(limits::kStringsBytesMax, PTRDIFF_MAX)));
    // Names are added first and in order, and are most of the strings: only what comes after them has to be sorted.
    const auto unsorted = std::ranges::is_sorted_until(texts_);
    std::ranges::sort(unsorted, texts_.end());
    std::ranges::inplace_merge(texts_, unsorted);

    bytes_.reserve(in_memory(length_bytes));
    numbers_.reset(texts_.size());
    for (const std::string_view text : texts_) {
        numbers_.insert(text_hash(text), static_cast<StringRef>(bytes_.size()));
        append_le(bytes_, static_cast<std::uint16_t>(text.size()));
        const auto raw = std::as_bytes(std::span(text));
        bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    }
    texts_ = {};
    return ok();
}

std::string_view StringTable::text_at(StringRef ref) const {
    const auto size = load_le<std::uint16_t>(&bytes_[ref]);
    return as_text(std::span(bytes_).subspan(ref + sizeof size, size));
}

StringRef StringTable::ref(std::string_view text) const {
    const std::uint32_t ref = numbers_.find(text_hash(text), [&](std::uint32_t at) { return text_at(at) == text; });
    assert(ref != NumberTable::kNone);
    return ref;
}

}  // namespace fardel
