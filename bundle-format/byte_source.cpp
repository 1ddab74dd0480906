#include <fardel/format/byte_source.h>

#include <cstring>
#include <utility>

namespace fardel {
namespace {

class MemorySource final : public ByteSource {
public:
    explicit MemorySource(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

    std::uint64_t size_bytes() const noexcept override { return bytes_.size(); }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset > bytes_.size() || out.size() > bytes_.size() - offset)
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

std::shared_ptr<const ByteSource> make_memory_source(std::vector<std::byte> bytes) {
    return std::make_shared<const MemorySource>(std::move(bytes));
}

}  // namespace fardel
