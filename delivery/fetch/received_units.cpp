#include "fetch/received_units.h"

#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace fardel {
namespace {

// Ranges of one file, into memory.
class RangeList final : public RangeQueue {
public:
    // `urls`: of the file on several servers; the first one is asked.
    RangeList(const std::vector<std::string>& urls, std::uint64_t file_bytes, const std::vector<FetchRequest>& requests)
        : urls_(urls), file_bytes_(file_bytes), requests_(requests), collected_(requests.size()) {}

    std::optional<RangeJob> next() override {
        if (next_ == requests_.size())
            return std::nullopt;
        const std::size_t i = next_++;
        HttpRange whole = range(i);
        whole.url = urls_.front();
        whole.others = {urls_.begin() + 1, urls_.end()};
        whole.restarts = true;
        return RangeJob{std::move(whole), make_byte_collector(collected_[i])};
    }

    HttpRange range(std::size_t i) const {
        return {.url = {},
                .offset = requests_[i].front().offset,
                .length_bytes = bytes_of(requests_[i]),
                .file_bytes = file_bytes_};
    }

    CollectedRange& collected(std::size_t i) { return collected_[i]; }

private:
    const std::vector<std::string>& urls_;
    const std::uint64_t file_bytes_;
    const std::vector<FetchRequest>& requests_;
    std::size_t next_ = 0;
    std::deque<CollectedRange> collected_;
};

}  // namespace

Result<ReceivedUnits> ReceivedUnits::fetch(const FetchContext& context, const std::vector<std::string>& urls,
                                           std::uint64_t file_bytes, const std::vector<FetchUnit>& units) {
    const std::vector<FetchRequest> requests = make_requests(units);
    RangeList list(urls, file_bytes, requests);
    FARDEL_TRY(context.client.run(list, context.options.stop));
    ReceivedUnits received;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        CollectedRange range = std::move(list.collected(i));
        // Also if its server was left for a quicker one. Whether a second one failed decides about the others, too.
        if (range.failure && received.is_all_) {
            FARDEL_TRY_ASSIGN(
                range, fetch_range(context.client, urls, list.range(i), kOptionalAttempts, context.options.stop));
        }
        received.is_all_ = received.is_all_ && !range.failure;
        received.ranges_.push_back(std::move(range));
    }
    for (std::size_t i = 0; i < requests.size(); ++i)
        for (const FetchUnit& unit : requests[i]) {
            const std::span<const std::byte> bytes(received.ranges_[i].bytes);
            const std::uint64_t at = unit.offset - requests[i].front().offset;
            const bool is_here = at + unit.length_bytes <= bytes.size();
            received.is_all_ = received.is_all_ && is_here;
            received.units_.push_back(is_here ? bytes.subspan(static_cast<std::size_t>(at), unit.length_bytes)
                                              : std::span<const std::byte>());
        }
    return received;
}

}  // namespace fardel
