#include <fardel/format/appended_record.h>

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/base/fits.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kAppendedMagic = "FARDELA\n";
constexpr std::uint32_t kAppendedVersion = 1;
constexpr std::uint64_t kAppendedAlignment = 4096;

class WindowSource final : public ByteSource {
public:
    WindowSource(std::shared_ptr<const ByteSource> file, std::uint64_t first, std::uint64_t size_bytes)
        : file_(std::move(file)), first_(first), size_bytes_(size_bytes) {}

    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        FARDEL_TRY(verify_inside(offset, out.size()));
        return file_->read_at(first_ + offset, out);
    }
    bool holds(std::uint64_t offset, std::uint64_t length) const override {
        return file_->holds(first_ + offset, length);
    }
    void prefetch(std::uint64_t offset, std::uint64_t length) const override {
        if (verify_inside(offset, length))
            file_->prefetch(first_ + offset, length);
    }
    Result<std::shared_ptr<const std::byte[]>> map(std::uint64_t offset, std::uint64_t length) const override {
        FARDEL_TRY(verify_inside(offset, length));
        return file_->map(first_ + offset, length);
    }

private:
    Status verify_inside(std::uint64_t offset, std::uint64_t length) const {
        return fits(offset, length, size_bytes_)
                   ? ok()
                   : Status(Error(ErrorCode::corrupt, "expected " + std::to_string(length) + " bytes at offset " +
                                                          std::to_string(offset) + ", but the appended bundle has " +
                                                          "only " + std::to_string(size_bytes_)));
    }

    const std::shared_ptr<const ByteSource> file_;
    const std::uint64_t first_;
    const std::uint64_t size_bytes_;
};

}  // namespace

std::uint64_t AppendedRecord::bundle_offset() const noexcept { return align_up(program_bytes, kAppendedAlignment); }

std::uint64_t AppendedRecord::file_bytes() const noexcept {
    return bundle_offset() + bundle_bytes + kAppendedRecordBytes;
}

std::array<std::byte, kAppendedRecordBytes> encode_appended_record(const AppendedRecord& record) {
    ByteWriter writer;
    writer.text(kAppendedMagic);
    writer.u32(kAppendedVersion);
    writer.u32(0);
    writer.u64(record.program_bytes);
    writer.u64(record.bundle_bytes);
    std::array<std::byte, kAppendedRecordBytes> out{};
    std::ranges::copy(writer.bytes(), out.begin());
    return out;
}

Result<std::optional<AppendedRecord>> find_appended_record(std::span<const std::byte, kAppendedRecordBytes> end,
                                                           std::uint64_t file_bytes) {
    ByteReader reader(end, "the record of an appended bundle");
    if (reader.text(kAppendedMagic.size()) != kAppendedMagic)
        return std::optional<AppendedRecord>();
    if (const std::uint32_t version = reader.u32(); version != kAppendedVersion)
        return Error(ErrorCode::unsupported, "the appended bundle has version " + std::to_string(version) +
                                                 " of the format; a newer version of fardel may support it");
    if (reader.u32() != 0)
        return Error(ErrorCode::malformed, "the record of the appended bundle has bytes that are not zero");
    const AppendedRecord record{.program_bytes = reader.u64(), .bundle_bytes = reader.u64()};
    // The limit first: sums of smaller numbers do not overflow.
    const bool is_possible = record.program_bytes != 0 && record.program_bytes <= kAppendedBytesMax &&
                             record.bundle_bytes != 0 && record.bundle_bytes <= kAppendedBytesMax;
    if (!is_possible || record.file_bytes() != file_bytes)
        return Error(ErrorCode::malformed, "the record of the appended bundle, a program of " +
                                               std::to_string(record.program_bytes) + " and a bundle of " +
                                               std::to_string(record.bundle_bytes) +
                                               " bytes, does not fit this file of " + std::to_string(file_bytes) +
                                               " bytes; append the bundle to the program again");
    return std::optional(record);
}

Result<std::optional<AppendedRecord>> find_appended_record(const ByteSource& file) {
    if (file.size_bytes() < kAppendedRecordBytes)
        return std::optional<AppendedRecord>();
    std::array<std::byte, kAppendedRecordBytes> end{};
    FARDEL_TRY(file.read_at(0, end));
    if (begins_as_bundle(end))
        return std::optional<AppendedRecord>();
    FARDEL_TRY(file.read_at(file.size_bytes() - end.size(), end));
    return find_appended_record(end, file.size_bytes());
}

Result<std::shared_ptr<const ByteSource>> open_appended_source(std::shared_ptr<const ByteSource> program) {
    FARDEL_TRY_ASSIGN(const auto record, find_appended_record(*program));
    if (!record)
        return Error(ErrorCode::missing, "no bundle is appended; 'fardel append' does that");
    return std::shared_ptr<const ByteSource>(
        std::make_shared<WindowSource>(std::move(program), record->bundle_offset(), record->bundle_bytes));
}

Result<std::shared_ptr<const ByteSource>> open_bundle_source(const std::string& path) {
    FARDEL_TRY_ASSIGN(auto file, open_file_source(path));
    const auto appended = find_appended_record(*file);
    if (!appended)
        return Error(appended.error()).with_context(path);
    return *appended ? open_appended_source(std::move(file)) : std::move(file);
}

}  // namespace fardel
