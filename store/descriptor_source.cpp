#include "descriptor_source.h"

#include <fardel/base/file.h>

#include <utility>

namespace fardel {
namespace {

class DescriptorSource final : public ByteSource {
public:
    DescriptorSource(Descriptor file, std::uint64_t size_bytes, std::string subject)
        : file_(std::move(file)), size_bytes_(size_bytes), subject_(std::move(subject)) {}

    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file_, offset, out, subject_));
        if (count < out.size())
            return Error(ErrorCode::corrupt, subject_ + ": ends at offset " + std::to_string(offset + count));
        return ok();
    }

private:
    const Descriptor file_;
    const std::uint64_t size_bytes_;
    const std::string subject_;
};

}  // namespace

std::shared_ptr<const ByteSource> make_descriptor_source(Descriptor file, std::uint64_t size_bytes,
                                                         std::string subject) {
    return std::make_shared<DescriptorSource>(std::move(file), size_bytes, std::move(subject));
}

}  // namespace fardel
