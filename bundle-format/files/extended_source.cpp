#include <fardel/format/extended_source.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace fardel {
namespace {

class ExtendedSource final : public ByteSource {
public:
    ExtendedSource(std::shared_ptr<const ByteSource> file, std::vector<std::byte> end)
        : file_(std::move(file)), end_(std::move(end)) {}

    std::uint64_t size_bytes() const noexcept override { return file_->size_bytes() + end_.size(); }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset > size_bytes() || out.size() > size_bytes() - offset)
            return Error(ErrorCode::corrupt, "read beyond the end of a file that was extended");
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

    bool holds(std::uint64_t offset, std::uint64_t length_bytes) const override {
        const std::uint64_t size = in_file(offset, length_bytes);
        return size == 0 || file_->holds(offset, size);
    }
    void prefetch(std::uint64_t offset, std::uint64_t length_bytes) const override {
        if (const std::uint64_t size = in_file(offset, length_bytes); size != 0)
            file_->prefetch(offset, size);
    }

private:
    std::uint64_t in_file(std::uint64_t offset, std::uint64_t length_bytes) const noexcept {
        const std::uint64_t file_bytes = file_->size_bytes();
        return offset >= file_bytes ? 0 : std::min(length_bytes, file_bytes - offset);
    }

    const std::shared_ptr<const ByteSource> file_;
    const std::vector<std::byte> end_;
};

}  // namespace

std::shared_ptr<const ByteSource> extend_source(std::shared_ptr<const ByteSource> file, std::vector<std::byte> end) {
    return std::make_shared<ExtendedSource>(std::move(file), std::move(end));
}

}  // namespace fardel
