#include <fardel/format/bundle_plan.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace fardel {
namespace {

class MemoryStream final : public BlobStream {
public:
    explicit MemoryStream(std::span<const std::byte> bytes) : rest_(bytes) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        const std::size_t count = std::min(out.size(), rest_.size());
        if (count != 0)
            std::memcpy(out.data(), rest_.data(), count);
        rest_ = rest_.subspan(count);
        return count;
    }

private:
    std::span<const std::byte> rest_;
};

class MemoryBlob final : public BlobSource {
public:
    explicit MemoryBlob(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        return std::unique_ptr<BlobStream>(std::make_unique<MemoryStream>(bytes_));
    }

private:
    const std::vector<std::byte> bytes_;
};

}  // namespace

std::shared_ptr<const BlobSource> make_memory_blob(std::vector<std::byte> bytes) {
    return std::make_shared<const MemoryBlob>(std::move(bytes));
}

}  // namespace fardel
