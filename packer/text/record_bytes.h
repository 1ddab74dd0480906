// Values one after another in a run of bytes: how the build database and job records keep lists. Little-endian.
//
// The reader believes nothing: past the end everything reads as zero or empty, and is_whole() is false from then on.
#pragma once

#include <fardel/format/ids.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fardel {

class RecordWriter {
public:
    void number(std::uint64_t value) {
        for (int i = 0; i < 8; ++i)
            bytes_.push_back(static_cast<char>(value >> (8 * i)));
    }
    void text(std::string_view text) {
        number(text.size());
        bytes_ += text;
    }
    template <class Tag>
    void id(const Id32<Tag>& id) {
        bytes_.append(reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size());
    }
    const std::string& bytes() const noexcept { return bytes_; }
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

class RecordReader {
public:
    explicit RecordReader(std::string_view bytes) : rest_(bytes) {}

    std::uint64_t number() {
        std::uint64_t value = 0;
        const std::string_view bytes = take(8);
        for (std::size_t i = 0; i < bytes.size(); ++i)
            value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
        return value;
    }
    // How many of something follow, of at least `bytes_each` bytes.
    std::uint64_t count(std::size_t bytes_each) {
        const std::uint64_t count = number();
        if (count <= rest_.size() / bytes_each)
            return count;
        whole_ = false;
        return 0;
    }
    std::string text() { return std::string(take(count(1))); }
    template <class Id>
    Id id() {
        Id id;
        const std::string_view bytes = take(id.bytes.size());
        std::ranges::copy(bytes, id.bytes.begin());
        return id;
    }
    // Nothing was missing, and nothing is left.
    bool is_whole() const noexcept { return whole_ && rest_.empty(); }

private:
    std::string_view take(std::uint64_t size) {
        if (size > rest_.size()) {
            whole_ = false;
            rest_ = {};
            return {};
        }
        const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
        rest_.remove_prefix(taken.size());
        return taken;
    }

    std::string_view rest_;
    bool whole_ = true;
};

}  // namespace fardel
