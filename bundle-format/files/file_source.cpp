#include <fardel/format/file_source.h>

#include <fardel/base/fits.h>

#include <fardel/base/file.h>
#include <fardel/base/own_program.h>
#include <fardel/format/source_descriptor.h>

#include <optional>
#include <utility>

namespace fardel {
namespace {

class FileSource final : public ByteSource {
public:
    FileSource(Descriptor file, std::uint64_t size_bytes, std::string path)
        : file_(std::move(file)), size_bytes_(size_bytes), path_(std::move(path)) {}

    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (!fits(offset, out.size(), size_bytes_))
            return Error(ErrorCode::corrupt, path_ + ": expected " + std::to_string(out.size()) + " bytes at offset " +
                                                 std::to_string(offset) + ", but the file has only " +
                                                 std::to_string(size_bytes_) + " bytes");
        FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file_, offset, out, path_));
        if (count < out.size())
            return Error(ErrorCode::corrupt, path_ + ": ends at offset " + std::to_string(offset + count) +
                                                 "; it had " + std::to_string(size_bytes_) +
                                                 " bytes when it was opened");
        return ok();
    }

    void prefetch(std::uint64_t offset, std::uint64_t length) const override { prefetch_file(file_, offset, length); }

    Result<std::shared_ptr<const std::byte[]>> map(std::uint64_t offset, std::uint64_t length) const override {
        if (!fits(offset, length, size_bytes_))
            return Error(ErrorCode::corrupt, path_ + ": has only " + std::to_string(size_bytes_) + " bytes");
        return map_file(file_, offset, length, path_);
    }

    const Descriptor& descriptor() const noexcept { return file_; }

private:
    const Descriptor file_;
    const std::uint64_t size_bytes_;
    const std::string path_;  // for messages only
};

}  // namespace

Result<std::shared_ptr<const ByteSource>> open_file_source(const std::string& path) {
    FARDEL_TRY_ASSIGN(RegularFile file, open_regular_file(path, path));
    return make_file_source(std::move(file.descriptor), file.status.size_bytes, path);
}

Result<std::shared_ptr<const ByteSource>> open_appended_file(const std::string& path) {
    const std::optional<std::string> found = path.empty() ? find_own_path() : path;
    if (!found)
        return Error(ErrorCode::unsupported, "this system does not tell where the running program is; name its file");
    FARDEL_TRY_ASSIGN(auto program, open_file_source(*found));
    auto appended = open_appended_source(std::move(program));
    return appended ? std::move(appended) : std::move(appended).error().with_context(*found);
}

std::shared_ptr<const ByteSource> make_file_source(Descriptor file, std::uint64_t size_bytes, std::string subject) {
    return std::make_shared<FileSource>(std::move(file), size_bytes, std::move(subject));
}

const Descriptor* find_descriptor(const ByteSource& source) {
    const auto* const file = dynamic_cast<const FileSource*>(&source);
    return file == nullptr ? nullptr : &file->descriptor();
}

}  // namespace fardel
