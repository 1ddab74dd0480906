#include <fardel/format/bundle_plan.h>

#include <algorithm>
#include <array>
#include <utility>

namespace fardel {
namespace {

class BytesStream final : public BlobStream {
public:
    explicit BytesStream(std::shared_ptr<const ByteSource> bytes) : bytes_(std::move(bytes)) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), bytes_->size_bytes() - at_));
        FARDEL_TRY(bytes_->read_at(at_, out.first(count)));
        at_ += count;
        return count;
    }

private:
    const std::shared_ptr<const ByteSource> bytes_;
    std::uint64_t at_ = 0;
};

class BytesBlob final : public BlobSource {
public:
    explicit BytesBlob(std::shared_ptr<const ByteSource> bytes) : bytes_(std::move(bytes)) {}

    Result<std::unique_ptr<BlobStream>> open() const override { return open_stream_of(bytes_); }
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override { return bytes_; }

private:
    const std::shared_ptr<const ByteSource> bytes_;
};

constexpr std::array<std::string_view, 3> kPurposeNames = {"balanced", "load", "size"};

}  // namespace

std::string_view purpose_name(BundlePurpose purpose) noexcept {
    return kPurposeNames[static_cast<std::size_t>(purpose)];
}

std::optional<BundlePurpose> find_purpose(std::string_view name) noexcept {
    const auto at = std::ranges::find(kPurposeNames, name);
    return at == kPurposeNames.end() ? std::nullopt
                                     : std::optional(static_cast<BundlePurpose>(at - kPurposeNames.begin()));
}

Result<std::size_t> read_full(BlobStream& stream, std::span<std::byte> out) {
    std::size_t size = 0;
    while (size < out.size()) {
        FARDEL_TRY_ASSIGN(const std::size_t count, stream.read(out.subspan(size)));
        if (count == 0)
            break;
        size += count;
    }
    return size;
}

std::unique_ptr<BlobStream> open_stream_of(std::shared_ptr<const ByteSource> bytes) {
    return std::make_unique<BytesStream>(std::move(bytes));
}

std::shared_ptr<const BlobSource> make_bytes_blob(std::shared_ptr<const ByteSource> bytes) {
    return std::make_shared<BytesBlob>(std::move(bytes));
}

std::shared_ptr<const BlobSource> make_memory_blob(std::vector<std::byte> bytes) {
    return make_bytes_blob(make_memory_source(std::move(bytes)));
}

}  // namespace fardel
