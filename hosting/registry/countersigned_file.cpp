#include "registry/countersigned_file.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace fardel {
namespace {

class ExtendedFile final : public ByteSource {
public:
    ExtendedFile(std::shared_ptr<const ByteSource> file, std::vector<std::byte> end)
        : file_(std::move(file)), end_(std::move(end)) {}

    std::uint64_t size_bytes() const noexcept override { return file_->size_bytes() + end_.size(); }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset > size_bytes() || out.size() > size_bytes() - offset)
            return Error(ErrorCode::corrupt, "read beyond the end of an upload");
        const std::uint64_t file_bytes = file_->size_bytes();
        if (offset < file_bytes) {
            const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), file_bytes - offset));
            FARDEL_TRY(file_->read_at(offset, out.first(size)));
            out = out.subspan(size);
            offset += size;
        }
        if (!out.empty())
            std::ranges::copy(std::span(end_).subspan(static_cast<std::size_t>(offset - file_bytes), out.size()),
                              out.begin());
        return ok();
    }

private:
    const std::shared_ptr<const ByteSource> file_;
    const std::vector<std::byte> end_;
};

}  // namespace

std::shared_ptr<const ByteSource> extend_file(std::shared_ptr<const ByteSource> file, std::vector<std::byte> end) {
    return std::make_shared<ExtendedFile>(std::move(file), std::move(end));
}

}  // namespace fardel
