// Input: what the confined reader of archives prints: a listing, how reading each of eight files ended, or the line of
// an error. A listing that is accepted obeys archive_items.h and survives; whatever is reported is safe to print.
#include "archive_items.h"
#include "require.h"

#include <fardel/format/name.h>

#include <cstdint>

using namespace fardel;

namespace {

constexpr std::size_t kFiles = 8;
constexpr std::uint64_t kBytesMax = std::uint64_t(1) << 40;

void check_error(const Error& error) {
    require(printable(error.message(), SIZE_MAX) == error.message());
    const auto again = parse_archive_error(archive_error_line(error));
    require(again && again->code() == error.code());
}

void check_listing(std::span<const std::byte> bytes) {
    const auto items = decode_archive_items(bytes);
    if (!items)
        return;
    for (const ArchiveItem& item : *items) {
        require(item.reason.has_value() == (item.kind == ArchiveItem::Kind::unreadable));
        if (item.reason)
            check_error(*item.reason);
    }
    const auto sum = sum_of_files(*items, kBytesMax);
    require(!sum || *sum <= kBytesMax);
    const auto again = decode_archive_items(encode_archive_items(*items));
    require(again && again->size() == items->size());
    for (std::size_t i = 0; i < items->size(); ++i)
        require((*again)[i].kind == (*items)[i].kind && (*again)[i].name == (*items)[i].name &&
                (*again)[i].size_bytes == (*items)[i].size_bytes);
}

}  // namespace

int fuzz_archive_items(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    check_listing(bytes);
    if (const auto failures = decode_read_failures(bytes, kFiles)) {
        require(failures->size() == kFiles);
        for (const auto& failure : *failures)
            if (failure)
                check_error(*failure);
    }
    if (const auto error = parse_archive_error({reinterpret_cast<const char*>(data), size}))
        check_error(*error);
    return 0;
}
