#include <fardel/format/bundle_plan.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

class MemoryStream final : public BlobStream {
public:
    explicit MemoryStream(const ByteSource& bytes) : bytes_(bytes) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), bytes_.size_bytes() - at_));
        FARDEL_TRY(bytes_.read_at(at_, out.first(count)));
        at_ += count;
        return count;
    }

private:
    const ByteSource& bytes_;
    std::uint64_t at_ = 0;
};

class MemoryBlob final : public BlobSource {
public:
    explicit MemoryBlob(std::vector<std::byte> bytes) : bytes_(make_memory_source(std::move(bytes))) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        return std::unique_ptr<BlobStream>(std::make_unique<MemoryStream>(*bytes_));
    }
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override { return bytes_; }

private:
    const std::shared_ptr<const ByteSource> bytes_;
};

}  // namespace

std::shared_ptr<const BlobSource> make_memory_blob(std::vector<std::byte> bytes) {
    return std::make_shared<const MemoryBlob>(std::move(bytes));
}

}  // namespace fardel
