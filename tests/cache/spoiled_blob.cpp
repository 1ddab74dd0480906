#include "spoiled_blob.h"

#include <utility>

namespace fardel {
namespace {

class SpoiledStream final : public BlobStream {
public:
    explicit SpoiledStream(std::unique_ptr<BlobStream> stream) : stream_(std::move(stream)) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        FARDEL_TRY_ASSIGN(std::size_t count, stream_->read(out));
        if (spoiled_ || out.empty())
            return count;
        spoiled_ = true;
        if (count == 0)
            out[count++] = std::byte{0};
        out[0] ^= std::byte{0x10};
        return count;
    }

private:
    const std::unique_ptr<BlobStream> stream_;
    bool spoiled_ = false;
};

class SpoiledBlob final : public BlobSource {
public:
    explicit SpoiledBlob(std::shared_ptr<const BlobSource> blob) : blob_(std::move(blob)) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        FARDEL_TRY_ASSIGN(auto stream, blob_->open());
        return std::unique_ptr<BlobStream>(std::make_unique<SpoiledStream>(std::move(stream)));
    }

private:
    const std::shared_ptr<const BlobSource> blob_;
};

}  // namespace

void spoil(std::vector<std::byte>& bytes, std::uint64_t number) {
    if (!bytes.empty())
        bytes[static_cast<std::size_t>(number / 8 % bytes.size())] ^= std::byte(1u << (number % 8));
}

std::shared_ptr<const BlobSource> make_spoiled_blob(std::shared_ptr<const BlobSource> blob) {
    return std::make_shared<SpoiledBlob>(std::move(blob));
}

}  // namespace fardel
