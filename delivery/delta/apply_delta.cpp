#include <fardel/base/parallel.h>
#include <fardel/delivery/delta.h>
#include <fardel/delivery/delta_segment.h>
#include <fardel/delivery/raw_block.h>
#include <fardel/delivery/stable_tables.h>
#include <fardel/format/derived_tables.h>
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

Result<std::vector<std::byte>> read_part(const ByteSource& source, std::uint64_t offset, std::uint64_t length_bytes) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(length_bytes));
    FARDEL_TRY(source.read_at(offset, bytes));
    return bytes;
}

struct DeltaFront {
    DeltaHead head;
    DeltaDirectory directory;
};

Result<DeltaFront> open_front(const ByteSource& delta) {
    if (delta.size_bytes() < kDeltaHeadBytes)
        return Error(ErrorCode::malformed, "not a delta");
    DeltaFront front;
    FARDEL_TRY_ASSIGN(const auto head, read_part(delta, 0, kDeltaHeadBytes));
    FARDEL_TRY_ASSIGN(front.head, decode_delta_head(head));
    if (front.head.delta_bytes() != delta.size_bytes())
        return Error(ErrorCode::malformed, "the delta has " + std::to_string(delta.size_bytes()) +
                                               " bytes; its head says " + std::to_string(front.head.delta_bytes()));
    FARDEL_TRY_ASSIGN(const auto directory, read_part(delta, kDeltaHeadBytes, front.head.directory_bytes));
    FARDEL_TRY_ASSIGN(front.directory, decode_delta_directory(front.head, directory));
    return front;
}

DeltaSummary summary_of(const DeltaHead& head) {
    return {.old_bundle = head.old_bundle,
            .new_bundle = head.new_bundle,
            .delta_bytes = head.delta_bytes(),
            .tables_bytes = head.tables_bytes,
            .file_bytes = head.file_bytes,
            .level = head.level};
}

// The stages of applying a delta to a file.
class DeltaApplication {
public:
    DeltaApplication(std::shared_ptr<const Bundle> old, const ByteSource& delta, StagedFile& file,
                     const DeltaWork& work)
        : old_(std::move(old)), delta_(delta), file_(file), work_(work) {}

    Result<DeltaSummary> run() {
        FARDEL_TRY(read_front());
        FARDEL_TRY_ASSIGN(DeltaReader reader, DeltaReader::open(old_, head_, 0, prefix_));
        FARDEL_TRY(write_tables(reader));
        FARDEL_TRY(write_blocks());
        const auto lacking = std::ranges::find(held_, false);
        if (lacking != held_.end())
            return Error(ErrorCode::corrupt,
                         "the delta does not give all blocks of the new bundle; perhaps this version of libzstd "
                         "encodes them otherwise than the one that made them");
        summary_.blocks = held_.size() - summary_.shared_blocks;
        FARDEL_TRY(file_.resize(head_.file_bytes));
        return summary_;
    }

private:
    Result<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t length_bytes) const {
        return read_part(delta_, offset, length_bytes);
    }

    Status read_front() {
        FARDEL_TRY_ASSIGN(DeltaFront front, open_front(delta_));
        head_ = front.head;
        directory_ = std::move(front.directory);
        summary_ = summary_of(head_);
        return ok();
    }

    Status write_tables(DeltaReader& reader) {
        std::vector<std::byte> image;
        std::uint64_t at = kDeltaHeadBytes + head_.directory_bytes;
        for (const DeltaTables& segment : directory_.tables) {
            FARDEL_TRY_ASSIGN(const auto frame, read(at, segment.frame_bytes));
            FARDEL_TRY_ASSIGN(const auto tables, reader.read_tables(segment, frame));
            image.insert(image.end(), tables.begin(), tables.end());
            at += segment.frame_bytes;
        }
        FARDEL_TRY_ASSIGN(const auto source, open_target(std::move(image)));
        for (const auto& [offset, bytes] : source->parts())
            FARDEL_TRY(file_.write_at(offset, bytes));
        return ok();
    }

    // `image`: in the stable form. Compares the tables with the ids of the new bundle, and returns them.
    Result<std::shared_ptr<const PartSource>> open_target(std::vector<std::byte> image) {
        HeadBytes head{};
        HeadBytes layout{};
        if (image.size() < head.size() + layout.size())
            return Error(ErrorCode::malformed, "the delta gives no heads");
        std::copy_n(image.begin(), head.size(), head.begin());
        std::copy_n(image.begin() + head.size(), layout.size(), layout.begin());
        if (bundle_id(head) != head_.new_bundle || layout_id(layout) != head_.new_layout)
            return Error(ErrorCode::corrupt, "the delta gives the heads of another bundle than it says");
        FARDEL_TRY_ASSIGN(const BundleHead bundle_head, decode_head(head));
        FARDEL_TRY_ASSIGN(const LayoutHead layout_head, decode_layout_head(layout));
        FARDEL_TRY(verify_sections(bundle_head, head_.new_bundle, layout_head, head_.file_bytes));
        const TableImage parts = new_tables_of(bundle_head, layout_head, head_.file_bytes);
        if (parts.size_bytes() != image.size())
            return Error(ErrorCode::malformed, "the delta gives tables of another size");
        TableRestorer restorer(parts);
        std::span<std::byte> rest(image);
        for (const DeltaTables& segment : directory_.tables) {
            FARDEL_TRY(restorer.restore(rest.first(segment.raw_bytes)));
            rest = rest.subspan(segment.raw_bytes);
        }
        auto source = std::make_shared<PartSource>(head_.file_bytes);
        const auto add = [&](std::uint64_t offset, std::span<const std::byte> bytes) {
            source->add(offset, bytes);
            return ok();
        };
        FARDEL_TRY(parts.scatter(0, image, add));
        FARDEL_TRY(derive_tables(bundle_head, layout_head, *source, add));
        FARDEL_TRY_ASSIGN(target_, Bundle::open(source, {}));
        FARDEL_TRY(target_->verify_tables());
        held_.assign(target_->table_count(TableKind::blocks), false);
        return std::shared_ptr<const PartSource>(std::move(source));
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

    // The caller's thread copies what the old bundle has, while others begin with segments. Of several that fail, the
    // first one counts: the segments before it were begun earlier, and are finished.
    Status write_blocks() {
        std::vector<std::uint64_t> offsets;
        std::uint64_t end = head_.front_bytes();
        for (const DeltaBlocks& segment : directory_.blocks)
            offsets.push_back(std::exchange(end, end + segment.frame_bytes));
        std::size_t next = 0;
        std::optional<std::pair<std::size_t, Error>> failure;
        const auto note = [&](std::size_t step, Status status) {
            if (!status && (!failure || step < failure->first))
                failure.emplace(step, std::move(status).error());
        };
        const auto give = [&](const std::function<void()>& after_each) {
            std::optional<DeltaReader> reader;
            std::unique_lock lock(mutex_);
            while (!failure && next < offsets.size()) {
                const std::size_t index = next++;
                lock.unlock();
                Status written = write_segment(reader, directory_.blocks[index], offsets[index]);
                after_each();
                lock.lock();
                note(index + 1, std::move(written));
            }
        };
        run_on_threads(
            worker_count(0, kSegmentsAtOnceMax), [&] { give([] {}); },
            [&] {
                Status copied = copy_shared();
                {
                    const std::scoped_lock lock(mutex_);
                    note(0, std::move(copied));
                }
                give([&] { report_progress(); });
            });
        report_progress();
        return failure ? Status(std::move(failure->second)) : ok();
    }

    Status write_segment(std::optional<DeltaReader>& reader, const DeltaBlocks& segment, std::uint64_t offset) {
        FARDEL_TRY(verify_running());
        if (!reader) {
            FARDEL_TRY_ASSIGN(DeltaReader opened,
                              DeltaReader::open(old_, head_, worker_count(0, kSegmentThreadsMax), prefix_));
            reader.emplace(std::move(opened));
        }
        FARDEL_TRY_ASSIGN(const auto frame, read(offset, segment.frame_bytes));
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
    DeltaHead head_;
    DeltaDirectory directory_;
    const std::shared_ptr<PrefixRoom> prefix_ = std::make_shared<PrefixRoom>();
    std::shared_ptr<const Bundle> target_;  // reads the tables only
    std::mutex mutex_;                      // guards the file and the members below while segments are applied
    std::vector<bool> held_;                // per block
    std::uint64_t done_bytes_ = 0;
    DeltaSummary summary_;
};

}  // namespace

Result<DeltaSummary> describe_delta(const ByteSource& delta) {
    FARDEL_TRY_ASSIGN(const DeltaFront front, open_front(delta));
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
