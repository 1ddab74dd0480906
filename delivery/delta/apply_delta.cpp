#include <fardel/base/fits.h>
#include <fardel/base/parallel.h>
#include <fardel/delivery/delta.h>
#include <fardel/delivery/delta_segment.h>
#include <fardel/delivery/delta_tables.h>
#include <fardel/delivery/raw_block.h>
#include <fardel/format/envelope.h>
#include <fardel/format/head.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// In 128 MiB: of each segment, a frame, what it gives and its encoded blocks, 25 MiB; and a prefix of 24 MiB for all.
constexpr unsigned kSegmentsAtOnceMax = 2;
constexpr unsigned kSegmentThreadsMax = 3;  // that decode and encode the blocks of one; up to 5 MiB each

// The parts of a bundle file that are in memory. Others are missing.
class PartSource final : public ByteSource {
public:
    explicit PartSource(std::uint64_t size_bytes) : size_bytes_(size_bytes) {}

    void add(std::uint64_t offset, std::span<const std::byte> bytes) {
        std::vector<std::byte>& part = parts_[offset];
        part.assign(bytes.begin(), bytes.end());
    }
    const std::map<std::uint64_t, std::vector<std::byte>>& parts() const noexcept { return parts_; }

    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        while (!out.empty()) {
            auto part = parts_.upper_bound(offset);
            if (part == parts_.begin() || offset - (--part)->first >= part->second.size())
                return Error(ErrorCode::missing, "these bytes are not part of the tables");
            const auto at = static_cast<std::size_t>(offset - part->first);
            const std::size_t count = std::min(out.size(), part->second.size() - at);
            std::copy_n(part->second.begin() + static_cast<std::ptrdiff_t>(at), count, out.begin());
            out = out.subspan(count);
            offset += count;
        }
        return ok();
    }

private:
    const std::uint64_t size_bytes_;
    std::map<std::uint64_t, std::vector<std::byte>> parts_;
};

DeltaSummary summary_of(const DeltaHead& head) {
    return {.old_bundle = head.old_bundle,
            .new_bundle = head.new_bundle,
            .delta_bytes = head.delta_bytes(),
            .tables_bytes = head.tables_bytes,
            .file_bytes = head.file_bytes,
            .level = head.level};
}

// No hash covers the trailer of a bundle, so what a delta gives of it is right if its signatures are.
Status verify_trailer(const ByteSource& target, std::uint64_t trailer_offset) {
    std::vector<std::byte> trailer(static_cast<std::size_t>(target.size_bytes() - trailer_offset));  // has a limit
    FARDEL_TRY(target.read_at(trailer_offset, trailer));
    const auto envelopes = decode_trailer(trailer);
    if (!envelopes)
        return Error(ErrorCode::corrupt, "the delta gives signatures that are none: " + envelopes.error().message());
    for (const Envelope& envelope : *envelopes)
        for (const EnvelopeSignature& entry : envelope.signatures)
            if (!verify_envelope_signature(envelope, entry))
                return Error(ErrorCode::corrupt, "the delta gives a signature that is wrong");
    return ok();
}

// The stages of applying a delta to a file.
class DeltaApplication {
public:
    DeltaApplication(std::shared_ptr<const Bundle> old, const ByteSource& delta, StagedFile& file,
                     const DeltaWork& work)
        : old_(std::move(old)), delta_(delta), file_(file), work_(work) {}

    Result<DeltaSummary> run() {
        FARDEL_TRY_ASSIGN(front_, open_delta_front(delta_));
        summary_ = summary_of(front_.head);
        FARDEL_TRY(write_tables());
        FARDEL_TRY(write_blocks());
        const auto lacking = std::ranges::find(held_, false);
        if (lacking != held_.end())
            return Error(ErrorCode::corrupt,
                         "the delta does not give all blocks of the new bundle; perhaps this version of libzstd "
                         "encodes them otherwise than the one that made them");
        summary_.blocks = held_.size() - summary_.shared_blocks;
        FARDEL_TRY(file_.resize(front_.head.file_bytes));
        return summary_;
    }

private:
    // The tables are compared with the ids of the new bundle before any of them is written.
    Status write_tables() {
        const auto source = std::make_shared<PartSource>(front_.head.file_bytes);
        FARDEL_TRY(place_delta_tables(old_.get(), front_, delta_, kDeltaTablesBytesMax,
                                      {.set_file_bytes = [](std::uint64_t) { return ok(); },
                                       .write =
                                           [&](std::uint64_t offset, std::span<const std::byte> bytes) {
                                               source->add(offset, bytes);
                                               return ok();
                                           }}));
        FARDEL_TRY_ASSIGN(target_, Bundle::open(source, {}));
        FARDEL_TRY(target_->verify_tables());
        FARDEL_TRY(verify_trailer(*source, target_->layout_head().trailer_offset));
        held_.assign(in_memory(target_->table_count(TableKind::blocks)), false);
        for (const auto& [offset, bytes] : source->parts())
            FARDEL_TRY(file_.write_at(offset, bytes));
        return ok();
    }

    // Any thread.
    Status write_block(std::uint32_t index, const BlockRecord& record, std::span<const std::byte> stored) {
        const std::scoped_lock lock(mutex_);
        if (held_[index])
            return ok();
        held_[index] = true;
        done_bytes_ += stored.size();
        return file_.write_at(target_->layout_head().blocks_offset + record.stored_offset, stored);
    }

    bool holds(std::uint32_t index) {
        const std::scoped_lock lock(mutex_);
        return held_[index];
    }

    // On the caller's thread.
    void report_progress() {
        if (!work_.progress)
            return;
        std::unique_lock lock(mutex_);
        const std::uint64_t done_bytes = done_bytes_;
        lock.unlock();
        work_.progress(done_bytes, target_->layout_head().blocks_bytes);
    }

    Status verify_running() const {
        return work_.stop.stop_requested() ? Error(ErrorCode::cancelled, "applying the delta was stopped") : ok();
    }

    Status copy_shared() {
        FARDEL_TRY_ASSIGN(const auto old_blocks, blocks_by_hash(*old_));
        std::vector<std::byte> stored;
        for (std::uint32_t i = 0; i < held_.size(); ++i) {
            FARDEL_TRY_ASSIGN(const BlockRecord record, target_->block(i));
            const auto found = old_blocks.find(record.stored_hash);
            if (found == old_blocks.end())
                continue;
            FARDEL_TRY_ASSIGN(const BlockRecord old_record, old_->block(found->second));
            if (old_record.stored_bytes != record.stored_bytes)
                continue;
            stored.resize(record.stored_bytes);
            FARDEL_TRY(read_stored_block(*old_, old_record, stored));
            FARDEL_TRY(write_block(i, record, stored));
            FARDEL_TRY(verify_running());
            report_progress();
            ++summary_.shared_blocks;
        }
        return ok();
    }

    // The caller's thread copies what the old bundle has, while others begin with segments.
    Status write_blocks() {
        std::vector<std::uint64_t> offsets;
        std::uint64_t end = front_.head.front_bytes();
        for (const DeltaBlocks& segment : front_.directory.blocks)
            offsets.push_back(std::exchange(end, end + segment.frame_bytes));
        OrderedWork work(1 + offsets.size());  // copying, then the segments
        const std::optional<std::size_t> copying = work.take();
        const auto give = [&](const std::function<void()>& after_each) {
            std::optional<DeltaReader> reader;
            while (const auto part = work.take()) {
                const std::size_t index = *part - 1;
                Status written = write_segment(reader, front_.directory.blocks[index], offsets[index]);
                after_each();
                work.note(*part, std::move(written));
            }
        };
        run_on_threads(
            worker_count(0, kSegmentsAtOnceMax), [&] { give([] {}); },
            [&] {
                work.note(*copying, copy_shared());
                give([&] { report_progress(); });
            });
        report_progress();
        return std::move(work).finish();
    }

    Status write_segment(std::optional<DeltaReader>& reader, const DeltaBlocks& segment, std::uint64_t offset) {
        FARDEL_TRY(verify_running());
        if (!reader) {
            FARDEL_TRY_ASSIGN(DeltaReader opened,
                              DeltaReader::open(old_, front_.head, worker_count(0, kSegmentThreadsMax), prefix_));
            reader.emplace(std::move(opened));
        }
        std::vector<std::byte> frame(segment.frame_bytes);
        FARDEL_TRY(delta_.read_at(offset, frame));
        FARDEL_TRY(reader->read_blocks(
            segment, frame, *target_, [&](std::uint32_t block) { return !holds(block); },
            [&](std::uint32_t block, std::span<const std::byte> stored) -> Status {
                FARDEL_TRY_ASSIGN(const BlockRecord record, target_->block(block));
                return write_block(block, record, stored);
            }));
        return ok();
    }

    const std::shared_ptr<const Bundle> old_;
    const ByteSource& delta_;
    StagedFile& file_;
    const DeltaWork& work_;
    DeltaFront front_;
    const std::shared_ptr<PrefixRoom> prefix_ = std::make_shared<PrefixRoom>();
    std::shared_ptr<const Bundle> target_;  // reads the tables only
    std::mutex mutex_;                      // guards the file and the members below while segments are applied
    std::vector<bool> held_;                // per block
    std::uint64_t done_bytes_ = 0;
    DeltaSummary summary_;
};

}  // namespace

Result<DeltaSummary> describe_delta(const ByteSource& delta) {
    FARDEL_TRY_ASSIGN(const DeltaFront front, open_delta_front(delta));
    DeltaSummary summary = summary_of(front.head);
    for (const DeltaBlocks& segment : front.directory.blocks)
        for (const BlockRun& run : segment.blocks) {
            summary.blocks += run.count;
            summary.stored_blocks += segment.form == DeltaBlocks::Form::stored ? run.count : 0;
        }
    return summary;
}

Result<DeltaSummary> apply_delta(std::shared_ptr<const Bundle> old, const ByteSource& delta, StagedFile& file,
                                 const DeltaWork& work) {
    return DeltaApplication(std::move(old), delta, file, work).run();
}

}  // namespace fardel
