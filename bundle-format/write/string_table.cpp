#include "string_table.h"

#include <fardel/base/little_endian.h>
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

void StringTable::reserve(std::size_t count) {
    texts_.reserve(count);
    numbers_.reset(count);
}

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
    for (const std::string_view text : texts_)
        length_bytes_ += sizeof(std::uint16_t) + text.size();
    if (length_bytes_ > limits::kStringsBytesMax)
        return Error(ErrorCode::limit, "all strings together have " + std::to_string(length_bytes_) +
                                           " bytes; at most " + std::to_string(limits::kStringsBytesMax));
    // Names are added first and in order, and are most of the strings: only what comes after them has to be sorted.
    const auto unsorted = std::ranges::is_sorted_until(texts_);
    std::ranges::sort(unsorted, texts_.end());
    std::ranges::inplace_merge(texts_, unsorted);

    refs_.reserve(texts_.size());
    numbers_.reset(texts_.size());
    std::uint64_t at = 0;
    for (const std::string_view text : texts_) {
        numbers_.insert(text_hash(text), static_cast<std::uint32_t>(refs_.size()));
        refs_.push_back(static_cast<StringRef>(at));
        at += sizeof(std::uint16_t) + text.size();
    }
    return ok();
}

StringRef StringTable::ref(std::string_view text) const {
    const std::uint32_t number = numbers_.find(text_hash(text), [&](std::uint32_t one) { return texts_[one] == text; });
    assert(number != NumberTable::kNone);
    return refs_[number];
}

void append_string(std::string_view text, std::vector<std::byte>& bytes) {
    append_le(bytes, static_cast<std::uint16_t>(text.size()));
    const auto raw = std::as_bytes(std::span(text));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

}  // namespace fardel
