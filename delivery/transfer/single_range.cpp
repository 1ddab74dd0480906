#include "transfer/single_range.h"

#include "transfer/request_server.h"

#include <algorithm>

namespace fardel {
namespace {

// What was received counts even if the file turns out to be shorter.
class ByteCollector final : public RangeReceiver {
public:
    explicit ByteCollector(CollectedRange& collected) : collected_(collected) {}
    Status begin(std::uint64_t) override { return ok(); }
    Status receive(std::span<const std::byte> bytes) override {
        collected_.bytes.insert(collected_.bytes.end(), bytes.begin(), bytes.end());
        return ok();
    }
    void leave_for(std::size_t other) override { collected_.left_for = other; }
    void end(Status result) override {
        if (!result)
            collected_.failure = std::move(result).error();
    }

private:
    CollectedRange& collected_;
};

}  // namespace

std::unique_ptr<RangeReceiver> make_byte_collector(CollectedRange& collected) {
    return std::make_unique<ByteCollector>(collected);
}

std::vector<std::string> urls_in(std::span<const std::string> trees, const std::string& url) {
    std::vector<std::string> urls{url};
    const auto is_own = [&](const std::string& tree) { return url.starts_with(tree + "/"); };
    const auto own = std::ranges::find_if(trees, is_own);
    for (const std::string& tree : trees)
        if (own != trees.end() && tree != *own)
            urls.push_back(tree + url.substr(own->size()));
    return urls;
}

Result<std::vector<std::byte>> fetch_range(RangeClient& client, std::span<const std::string> trees, HttpRange range,
                                           const std::stop_token& stop, TransferCounts& counts) {
    const bool names_size = range.file_bytes.has_value();
    std::vector<std::string> urls = urls_in(trees, range.url);
    range.restarts = true;
    for (RequestServer server;;) {
        CollectedRange collected;
        server.choose(client, urls, 0, range);
        SingleRange queue({range, make_byte_collector(collected)});
        ++counts.requests;
        FARDEL_TRY(client.run(queue, stop));
        counts.received_bytes += collected.bytes.size();
        if (collected.left_for) {
            server.leave_for(*collected.left_for);
            continue;
        }
        const bool has_failed = collected.failure && (names_size || collected.bytes.empty());
        if (has_failed && server.index() != 0) {
            // The others may lack what the first one has, and that it is slower is no reason to go without.
            urls.resize(1);
            server = {};
            continue;
        }
        if (names_size && collected.failure)
            return std::move(*collected.failure);
        return std::move(collected.bytes);
    }
}

bool ends_fetch(const Error& error) noexcept {
    return error.code() == ErrorCode::cancelled || error.code() == ErrorCode::no_space ||
           error.code() == ErrorCode::denied;
}

}  // namespace fardel
