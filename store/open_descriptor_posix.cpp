#include "open_descriptor.h"

#include "file_error.h"

#include <algorithm>
#include <cerrno>

namespace fardel {
namespace {

constexpr std::size_t kTransferBytesMax = std::size_t{1} << 30;  // Linux stops at 2 GiB a call

class DescriptorSource final : public ByteSource {
public:
    DescriptorSource(OpenDescriptor descriptor, std::uint64_t size_bytes, std::string subject)
        : descriptor_(std::move(descriptor)), size_bytes_(size_bytes), subject_(std::move(subject)) {}

    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        while (!out.empty()) {
            const ssize_t count = ::pread(descriptor_.get(), out.data(), std::min(out.size(), kTransferBytesMax),
                                          static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                return file_error(errno, subject_);
            if (count == 0)
                return Error(ErrorCode::corrupt, subject_ + ": ends at offset " + std::to_string(offset));
            out = out.subspan(static_cast<std::size_t>(count));
            offset += static_cast<std::uint64_t>(count);
        }
        return ok();
    }

private:
    const OpenDescriptor descriptor_;
    const std::uint64_t size_bytes_;
    const std::string subject_;
};

}  // namespace

Status write_whole(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes, const std::string& subject) {
    while (!bytes.empty()) {
        const ssize_t count =
            ::pwrite(descriptor, bytes.data(), std::min(bytes.size(), kTransferBytesMax), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return file_error(errno, subject);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
    return ok();
}

std::shared_ptr<const ByteSource> make_descriptor_source(OpenDescriptor descriptor, std::uint64_t size_bytes,
                                                         std::string subject) {
    return std::make_shared<DescriptorSource>(std::move(descriptor), size_bytes, std::move(subject));
}

}  // namespace fardel
