#include <fardel/base/fits.h>
#include <fardel/format/byte_source.h>

#include <cstring>
#include <utility>

namespace fardel {
namespace {

class MemorySource final : public ByteSource, public std::enable_shared_from_this<MemorySource> {
public:
    explicit MemorySource(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

    Result<std::shared_ptr<const std::byte[]>> map(std::uint64_t offset, std::uint64_t length) const override {
        if (!fits(offset, length, bytes_.size()))
            return Error(ErrorCode::corrupt, "there are only " + std::to_string(bytes_.size()) + " bytes");
        return std::shared_ptr<const std::byte[]>(shared_from_this(), bytes_.data() + offset);
    }

    std::uint64_t size_bytes() const noexcept override { return bytes_.size(); }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (!fits(offset, out.size(), bytes_.size()))
            return Error(ErrorCode::corrupt, "expected " + std::to_string(out.size()) + " bytes at offset " +
                                                 std::to_string(offset) + ", but there are only " +
                                                 std::to_string(bytes_.size()) + " bytes");
        if (!out.empty())
            std::memcpy(out.data(), bytes_.data() + offset, out.size());
        return ok();
    }

private:
    std::vector<std::byte> bytes_;
};

}  // namespace

Result<std::shared_ptr<const std::byte[]>> ByteSource::map(std::uint64_t, std::uint64_t) const {
    return Error(ErrorCode::unsupported, "the bytes of this source cannot be mapped");
}

std::shared_ptr<const ByteSource> make_memory_source(std::vector<std::byte> bytes) {
    return std::make_shared<const MemorySource>(std::move(bytes));
}

}  // namespace fardel
