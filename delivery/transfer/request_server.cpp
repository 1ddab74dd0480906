#include "transfer/request_server.h"

#include <algorithm>

namespace fardel {

void RequestServer::choose(const RangeClient& client, const std::vector<std::string>& urls, std::size_t first,
                           HttpRange& range) {
    servers_ = urls.size();
    index_ = (first + attempt_) % servers_;
    if (sooner_)
        index_ = *sooner_;
    else if (attempt_ == 0 && first == 0)
        index_ = client.quickest(urls, index_);
    range.url = urls[index_];
    range.others.clear();
    // Those before the first one were asked and are of no use, such as one that has left out signatures: that it is
    // quick must not lead back to it.
    const std::size_t useful = servers_ - std::min(first, servers_ - 1);
    if (leaves_ < kLeavesMax * servers_)
        for (std::size_t i = 1; i < useful; ++i)
            range.others.push_back(urls[(index_ + i) % servers_]);
}

void RequestServer::leave_for(std::size_t other) noexcept {
    sooner_ = (index_ + 1 + other) % servers_;
    ++leaves_;
}

void RequestServer::fail() noexcept {
    sooner_.reset();
    ++attempt_;
}

}  // namespace fardel
