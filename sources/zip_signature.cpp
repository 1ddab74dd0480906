#include "zip_signature.h"

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>

#include <algorithm>
#include <array>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint32_t kLocalHeaderSignature = 0x0403'4b50;
constexpr std::uint32_t kRecordSignature = 0x0201'4b50;
constexpr std::uint32_t kEndSignature = 0x0605'4b50;
constexpr std::size_t kCommentBytesMax = 0xffff;

// Whether an end record at `offset` has its directory, which begins with a record, right before it.
Result<bool> has_directory(const ByteSource& source, std::uint64_t offset, const std::byte* record) {
    const auto bytes = load_le<std::uint32_t>(record + 12);
    if (bytes < sizeof kRecordSignature || bytes > offset || load_le<std::uint32_t>(record + 16) > offset - bytes)
        return false;
    std::array<std::byte, sizeof kRecordSignature> first{};
    FARDEL_TRY(source.read_at(offset - bytes, first));
    return load_le<std::uint32_t>(first.data()) == kRecordSignature;
}

// Signers of programs, upload forms and disks with whole sectors append bytes.
Result<std::optional<std::uint64_t>> find_end_before_more(const ByteSource& source) {
    const std::uint64_t size = source.size_bytes();
    std::vector<std::byte> tail(
        in_memory(std::min<std::uint64_t>(size, kZipEndBytes + kCommentBytesMax + kBehindZipMax)));
    FARDEL_TRY(source.read_at(size - tail.size(), tail));
    for (std::size_t left = kZipEndBytes; left <= tail.size(); ++left) {
        const std::byte* const record = tail.data() + (tail.size() - left);
        if (load_le<std::uint32_t>(record) != kEndSignature ||
            load_le<std::uint16_t>(record + 20) > left - kZipEndBytes)
            continue;
        FARDEL_TRY_ASSIGN(const bool found, has_directory(source, size - left, record));
        if (found)
            return std::optional(size - left);
    }
    return std::optional<std::uint64_t>();
}

}  // namespace

Result<bool> begins_like_zip(const ByteSource& source) {
    std::array<std::byte, 4> first{};
    if (source.size_bytes() < first.size())
        return false;
    FARDEL_TRY(source.read_at(0, first));
    const auto signature = load_le<std::uint32_t>(first.data());
    return signature == kLocalHeaderSignature || signature == kEndSignature;
}

Result<bool> ends_like_zip(const ByteSource& source) {
    FARDEL_TRY_ASSIGN(const std::optional<std::uint64_t> end_at, find_zip_end(source));
    return end_at.has_value();
}

Result<std::optional<std::uint64_t>> find_zip_end(const ByteSource& source) {
    const std::uint64_t size = source.size_bytes();
    std::vector<std::byte> tail(in_memory(std::min<std::uint64_t>(size, kZipEndBytes + kCommentBytesMax)));
    FARDEL_TRY(source.read_at(size - tail.size(), tail));
    for (std::size_t left = kZipEndBytes; left <= tail.size(); ++left) {
        const std::byte* record = tail.data() + (tail.size() - left);
        if (load_le<std::uint32_t>(record) == kEndSignature &&
            load_le<std::uint16_t>(record + 20) == left - kZipEndBytes)
            return std::optional(size - left);
    }
    return find_end_before_more(source);
}

}  // namespace fardel
