#include "archive_items.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kNameBytesMax = 64u << 10;
constexpr std::size_t kReasonBytesMax = 1024;
constexpr std::size_t kItemBytesMin = 1 + 8 + 4 + 2;

// The codes that the program reports; any other text is not its line.
constexpr ErrorCode kReportedCodes[] = {
    ErrorCode::missing,  ErrorCode::corrupt,     ErrorCode::malformed, ErrorCode::limit,    ErrorCode::denied,
    ErrorCode::conflict, ErrorCode::unsupported, ErrorCode::busy,      ErrorCode::no_space, ErrorCode::io};

std::string reason_line(const std::optional<Error>& reason) {
    return reason ? archive_error_line(*reason).substr(0, kReasonBytesMax) : std::string();
}

// An empty text means no failure.
std::optional<Error> read_reason(ByteReader& reader) {
    const std::string_view line = reader.sized_text<std::uint16_t>(kReasonBytesMax, "the reason");
    if (line.empty())
        return std::nullopt;
    std::optional<Error> reason = parse_archive_error(line);
    if (!reason)
        reader.fail(ErrorCode::malformed, "a reason without a code");
    return reason;
}

}  // namespace

std::vector<std::byte> encode_archive_items(std::span<const ArchiveItem> items) {
    ByteWriter out;
    out.u32(static_cast<std::uint32_t>(items.size()));
    for (const ArchiveItem& item : items) {
        out.u8(static_cast<std::uint8_t>(item.kind));
        out.u64(item.size_bytes);
        out.sized_text<std::uint32_t>(std::string_view(item.name).substr(0, kNameBytesMax));
        out.sized_text<std::uint16_t>(reason_line(item.reason));
    }
    return out.take();
}

Result<std::vector<ArchiveItem>> decode_archive_items(std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "the archive's listing");
    std::vector<ArchiveItem> items(static_cast<std::size_t>(reader.count<std::uint32_t>(kItemBytesMin)));
    for (ArchiveItem& item : items) {
        const std::uint8_t kind = reader.u8();
        if (kind > static_cast<std::uint8_t>(ArchiveItem::Kind::unreadable))
            reader.fail(ErrorCode::malformed, "an unknown kind of item");
        item.kind = static_cast<ArchiveItem::Kind>(kind);
        item.size_bytes = reader.u64();
        item.name = reader.sized_text<std::uint32_t>(kNameBytesMax, "a name");
        item.reason = read_reason(reader);
        if (item.reason.has_value() != (item.kind == ArchiveItem::Kind::unreadable))
            reader.fail(ErrorCode::malformed, "an item whose kind and reason contradict each other");
        if (reader.failed())
            break;
    }
    FARDEL_TRY(reader.finish());
    return items;
}

std::vector<std::byte> encode_read_failures(const ReadFailures& failures) {
    ByteWriter out;
    for (const std::optional<Error>& failure : failures)
        out.sized_text<std::uint16_t>(reason_line(failure));
    return out.take();
}

Result<ReadFailures> decode_read_failures(std::span<const std::byte> bytes, std::size_t files) {
    ByteReader reader(bytes, "the archive's content");
    ReadFailures failures;
    for (std::size_t i = 0; i < files && !reader.failed(); ++i)
        failures.push_back(read_reason(reader));
    FARDEL_TRY(reader.finish());
    return failures;
}

std::string archive_error_line(const Error& error) {
    std::string message = error.message();
    std::ranges::replace(message, '\n', ' ');
    return std::string(error_code_name(error.code())) + ' ' + message;
}

std::optional<Error> parse_archive_error(std::string_view text) {
    text = text.substr(0, text.find('\n'));
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos)
        return std::nullopt;
    const auto code = std::ranges::find(kReportedCodes, text.substr(0, space), error_code_name);
    if (code == std::end(kReportedCodes))
        return std::nullopt;
    return Error(*code, printable(text.substr(space + 1)));
}

Result<std::uint64_t> sum_of_files(std::span<const ArchiveItem> items, std::uint64_t bytes_max) {
    std::uint64_t sum = 0;
    for (const ArchiveItem& item : items) {
        if (item.kind != ArchiveItem::Kind::file)
            continue;
        if (item.size_bytes > bytes_max - sum)
            return Error(ErrorCode::limit, "its files have more than " + std::to_string(bytes_max) +
                                               " bytes; unpack it with another tool and use the folder");
        sum += item.size_bytes;
    }
    return sum;
}

}  // namespace fardel
