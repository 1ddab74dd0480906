#include "source_digest.h"

#include <fardel/base/parallel.h>
#include <fardel/format/content_type.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <atomic>

namespace fardel {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;

Result<KnownSource> digest(const SourceEntry& entry, std::span<std::byte> buffer, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const auto stream, entry.blob->open());
    KnownSource digest{.version = entry.blob->find_version().value_or(Hash{})};
    Hasher hasher;
    std::size_t filled = 0;
    for (bool ended = false; !ended;) {
        // Fills the whole buffer each time: the first one then has all bytes that content type detection needs.
        filled = 0;
        while (filled < buffer.size() && !ended) {
            FARDEL_TRY_ASSIGN(const std::size_t count, stream->read(buffer.subspan(filled)));
            filled += count;
            ended = count == 0;
        }
        if (digest.size_bytes == 0)
            digest.content_type = content_type(entry.name.view(), buffer.first(std::min(filled, kContentHeadBytes)));
        hasher.update(buffer.first(filled));
        digest.size_bytes += filled;
        if (digest.size_bytes > limits::kAssetBytesMax)
            return Error(ErrorCode::limit,
                         entry.origin.text() + ": larger than " + std::to_string(limits::kAssetBytesMax) + " bytes");
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "asked to stop");
    }
    digest.asset = id_from<AssetId>(hasher.finish());
    return digest;
}

}  // namespace

Result<std::vector<KnownSource>> digest_sources(std::span<const SourceEntry* const> entries, unsigned jobs,
                                                std::stop_token stop,
                                                const std::function<void(std::uint64_t)>& progress) {
    std::vector<KnownSource> digests(entries.size());
    std::atomic<std::size_t> done = 0;
    OrderedWork work(entries.size());
    const auto digest_some = [&](const std::function<void(std::uint64_t)>& report) {
        std::vector<std::byte> buffer(kReadBytes);
        const auto digest_one = [&](std::size_t i) -> Status {
            FARDEL_TRY_ASSIGN(digests[i], digest(*entries[i], buffer, stop));
            return ok();
        };
        while (const auto i = work.take()) {
            work.note(*i, digest_one(*i));
            report(++done);
        }
    };
    run_on_threads(
        work.useful_workers(worker_count(jobs)), [&] { digest_some([](std::uint64_t) {}); },
        [&] { digest_some(progress); });
    FARDEL_TRY(std::move(work).finish());
    return digests;
}

}  // namespace fardel
