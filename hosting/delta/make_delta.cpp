#include <fardel/hosting/make_delta.h>

#include "delta/delta_plan.h"
#include "delta/table_segments.h"

#include <fardel/delivery/delta_segment.h>
#include <fardel/delivery/raw_block.h>
#include <fardel/delivery/stable_tables.h>
#include <fardel/format/derived_tables.h>
#include <fardel/format/head.h>
#include <fardel/format/prefix_codec.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace fardel {
namespace {

Error differs() { return Error(ErrorCode::corrupt, "the delta does not give the new bundle; this machine is faulty"); }

// The stages of making a delta.
class DeltaMaker {
public:
    DeltaMaker(std::shared_ptr<const Bundle> old, const Bundle& target, StagedFile& file, const DeltaWork& work)
        : old_(std::move(old)), target_(target), file_(file), work_(work), old_raw_(*old_), target_raw_(target) {}

    Result<DeltaSummary> run(DeltaPlan plan) {
        plan_ = std::move(plan);
        FARDEL_TRY(verify_derived());
        fill_head();
        FARDEL_TRY_ASSIGN(reader_, open_reader());
        end_ = kDeltaHeadBytes + head_.directory_bytes;
        FARDEL_TRY(write_tables());
        head_.tables_bytes = end_ - kDeltaHeadBytes - head_.directory_bytes;
        FARDEL_TRY(write_blocks());
        head_.blocks_bytes = end_ - head_.front_bytes();
        FARDEL_TRY(write_front());
        return DeltaSummary{.old_bundle = head_.old_bundle,
                            .new_bundle = head_.new_bundle,
                            .delta_bytes = end_,
                            .tables_bytes = head_.tables_bytes,
                            .file_bytes = head_.file_bytes,
                            .level = head_.level,
                            .blocks = plan_.blocks,
                            .stored_blocks = plan_.stored_blocks,
                            .shared_blocks = plan_.shared_blocks};
    }

private:
    // Everything but the sizes of frames.
    void fill_head() {
        head_ = {.level = plan_.level,
                 .old_bundle = old_->id(),
                 .old_layout = old_->layout_id(),
                 .new_bundle = target_.id(),
                 .new_layout = target_.layout_id(),
                 .file_bytes = target_.source()->size_bytes(),
                 .directory_bytes = encode_delta_directory(plan_.directory).size(),
                 .table_segments = static_cast<std::uint32_t>(plan_.directory.tables.size()),
                 .block_segments = static_cast<std::uint32_t>(plan_.directory.blocks.size())};
    }

    Result<std::optional<DeltaReader>> open_reader() const {
        FARDEL_TRY_ASSIGN(DeltaReader reader, DeltaReader::open(old_, head_));
        return std::optional(std::move(reader));
    }

    Status write_frame(std::span<const std::byte> frame) {
        FARDEL_TRY(file_.write_at(end_, frame));
        end_ += frame.size();
        return verify_running();
    }

    // What the delta leaves out of the tables.
    Status verify_derived() const {
        std::vector<std::byte> there;
        return derive_tables(target_.head(), target_.layout_head(), *target_.source(),
                             [&](std::uint64_t offset, std::span<const std::byte> bytes) -> Status {
                                 there.resize(bytes.size());
                                 FARDEL_TRY(target_.source()->read_at(offset, there));
                                 return std::ranges::equal(there, bytes)
                                            ? ok()
                                            : Error(ErrorCode::malformed,
                                                    "the look-up tables of the new bundle are "
                                                    "not those of its names and assets");
                             });
    }

    Status write_tables() {
        FARDEL_TRY_ASSIGN(const StableTables old, StableTables::open(old_tables_of(*old_), *old_->source()));
        FARDEL_TRY_ASSIGN(const StableTables target, StableTables::open(new_tables_of(target_), *target_.source()));
        TableRestorer restorer(target.image());
        std::vector<std::byte> wanted;
        std::uint64_t offset = 0;
        return encode_table_segments(
            old, target, plan_.directory.tables, work_.effort,
            [&](const DeltaTables& segment, std::span<const std::byte> frame) -> Status {
                FARDEL_TRY_ASSIGN(std::vector<std::byte> given, reader_->read_tables(segment, frame));
                wanted.resize(segment.raw_bytes);
                FARDEL_TRY(
                    target.image().read(*target_.source(), std::exchange(offset, offset + wanted.size()), wanted));
                if (!restorer.restore(given) || given != wanted)
                    return differs();
                return write_frame(frame);
            });
    }

    Status write_blocks() {
        std::uint64_t done = 0;
        for (DeltaBlocks& segment : plan_.directory.blocks) {
            FARDEL_TRY_ASSIGN(const std::vector<std::byte> frame, encode(segment));
            segment.frame_bytes = static_cast<std::uint32_t>(frame.size());
            FARDEL_TRY(compare(segment, frame, done));
            FARDEL_TRY(write_frame(frame));
            if (work_.progress)
                work_.progress(done, plan_.blocks);
        }
        return ok();
    }

    Result<std::vector<std::byte>> encode(const DeltaBlocks& segment) {
        FARDEL_TRY_ASSIGN(const std::vector<std::byte> prefix, raw_of(*old_, old_raw_, segment.prefix));
        FARDEL_TRY_ASSIGN(const std::vector<std::byte> given, given_by(segment));
        return encode_with_prefix(prefix, given, work_.effort);
    }

    Status verify_running() const {
        return work_.stop.stop_requested() ? Error(ErrorCode::cancelled, "making the delta was stopped") : ok();
    }

    // Applies the segment as a client does.
    Status compare(const DeltaBlocks& segment, std::span<const std::byte> frame, std::uint64_t& done) {
        FARDEL_TRY_ASSIGN(const std::uint64_t differing,
                          reader_->read_blocks(
                              segment, frame, target_, [](std::uint32_t) { return true; },
                              [&](std::uint32_t, std::span<const std::byte>) {
                                  ++done;
                                  return ok();
                              }));
        return differing == 0 ? ok() : differs();
    }

    static Result<std::vector<std::byte>> raw_of(const Bundle& bundle, RawBlocks& reader,
                                                 std::span<const BlockRun> runs) {
        FARDEL_TRY_ASSIGN(const std::vector<BlockRecord> records, records_of(bundle, runs));
        std::vector<std::byte> bytes(static_cast<std::size_t>(raw_bytes_of(records)));
        FARDEL_TRY(reader.read_all(records, bytes, 0));
        return bytes;
    }

    Result<std::vector<std::byte>> given_by(const DeltaBlocks& segment) {
        if (segment.form == DeltaBlocks::Form::raw)
            return raw_of(target_, target_raw_, segment.blocks);
        FARDEL_TRY_ASSIGN(const std::vector<BlockRecord> records, records_of(target_, segment.blocks));
        std::vector<std::byte> bytes;
        for (const BlockRecord& record : records) {
            bytes.resize(bytes.size() + record.stored_bytes);
            FARDEL_TRY(read_stored_block(target_, record, std::span(bytes).last(record.stored_bytes)));
        }
        return bytes;
    }

    Status write_front() {
        const std::vector<std::byte> directory = encode_delta_directory(plan_.directory);
        const auto decoded = decode_delta_directory(head_, directory);
        if (!decoded || *decoded != plan_.directory)
            return differs();
        FARDEL_TRY(file_.write_at(0, encode_delta_head(head_)));
        return file_.write_at(kDeltaHeadBytes, directory);
    }

    const std::shared_ptr<const Bundle> old_;
    const Bundle& target_;
    StagedFile& file_;
    const DeltaWork& work_;
    RawBlocks old_raw_;
    RawBlocks target_raw_;
    DeltaPlan plan_;
    DeltaHead head_;
    std::optional<DeltaReader> reader_;
    std::uint64_t end_ = 0;  // of what was written
};

}  // namespace

Result<DeltaSummary> make_delta(std::shared_ptr<const Bundle> old, const Bundle& target, StagedFile& file,
                                const DeltaWork& work) {
    FARDEL_TRY_ASSIGN(DeltaPlan plan, plan_delta(*old, target, work.stop));
    return DeltaMaker(std::move(old), target, file, work).run(std::move(plan));
}

}  // namespace fardel
