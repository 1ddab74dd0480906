#include "spooled_bytes.h"

#include "file_error.h"
#include "open_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace fardel {
namespace {

Result<OpenDescriptor> open_unnamed_file() {
    std::error_code failure;
    const std::string folder = std::filesystem::temp_directory_path(failure).string();
    if (failure)
        return file_error(failure.value(), "the folder for temporary files");
    std::string name = folder + "/fardel-XXXXXX";
    const int number = ::mkostemp(name.data(), O_CLOEXEC);
    if (number < 0)
        return file_error(errno, folder);
    ::unlink(name.c_str());
    return OpenDescriptor(number);
}

}  // namespace

class SpooledBytes::File {
public:
    explicit File(OpenDescriptor opened) : descriptor(std::move(opened)) {}
    OpenDescriptor descriptor;
};

SpooledBytes::SpooledBytes(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}
SpooledBytes::~SpooledBytes() = default;
SpooledBytes::SpooledBytes(SpooledBytes&&) noexcept = default;
SpooledBytes& SpooledBytes::operator=(SpooledBytes&&) noexcept = default;

Status SpooledBytes::append(std::span<const std::byte> bytes) {
    if (bytes.size() > bytes_max_ - size_bytes_)
        return Error(ErrorCode::limit, "more than " + std::to_string(bytes_max_) + " bytes");
    if (!file_ && size_bytes_ + bytes.size() <= kMemoryBytesMax) {
        memory_.insert(memory_.end(), bytes.begin(), bytes.end());
    } else {
        if (!file_) {
            FARDEL_TRY_ASSIGN(OpenDescriptor opened, open_unnamed_file());
            file_ = std::make_unique<File>(std::move(opened));
            FARDEL_TRY(write_whole(file_->descriptor.get(), 0, memory_, "a temporary file"));
            memory_ = {};
        }
        FARDEL_TRY(write_whole(file_->descriptor.get(), size_bytes_, bytes, "a temporary file"));
    }
    size_bytes_ += bytes.size();
    return ok();
}

std::shared_ptr<const BlobSource> SpooledBytes::take_blob() {
    if (!file_)
        return make_memory_blob(std::move(memory_));
    return make_bytes_blob(make_descriptor_source(std::move(file_->descriptor), size_bytes_, "a temporary file"));
}

std::vector<std::byte> SpooledBytes::take_memory() { return std::move(memory_); }

}  // namespace fardel
