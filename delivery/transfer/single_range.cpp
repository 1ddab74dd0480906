#include "transfer/single_range.h"

namespace fardel {
namespace {

// What was received counts even if the file turns out to be shorter.
class ByteCollector final : public RangeReceiver {
public:
    ByteCollector(std::vector<std::byte>& bytes, std::optional<Error>& failure) : bytes_(bytes), failure_(failure) {}
    Status begin(std::uint64_t) override { return ok(); }
    Status receive(std::span<const std::byte> bytes) override {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        return ok();
    }
    void end(Status result) override {
        if (!result)
            failure_ = std::move(result).error();
    }

private:
    std::vector<std::byte>& bytes_;
    std::optional<Error>& failure_;
};

}  // namespace

std::unique_ptr<RangeReceiver> make_byte_collector(std::vector<std::byte>& bytes, std::optional<Error>& failure) {
    return std::make_unique<ByteCollector>(bytes, failure);
}

Result<std::vector<std::byte>> fetch_range(RangeClient& client, HttpRange range, const std::stop_token& stop,
                                           TransferCounts& counts) {
    std::vector<std::byte> bytes;
    std::optional<Error> failure;
    const bool names_size = range.file_bytes.has_value();
    SingleRange queue({std::move(range), make_byte_collector(bytes, failure)});
    ++counts.requests;
    FARDEL_TRY(client.run(queue, stop));
    counts.received_bytes += bytes.size();
    if (names_size && failure)
        return std::move(*failure);
    return bytes;
}

bool ends_fetch(const Error& error) noexcept {
    return error.code() == ErrorCode::cancelled || error.code() == ErrorCode::no_space ||
           error.code() == ErrorCode::denied;
}

}  // namespace fardel
