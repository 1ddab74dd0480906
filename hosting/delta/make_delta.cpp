#include <fardel/hosting/make_delta.h>

#include "delta/delta_plan.h"
#include "delta/table_segments.h"

#include <fardel/delivery/delta_segment.h>
#include <fardel/delivery/delta_tables.h>
#include <fardel/delivery/raw_block.h>
#include <fardel/delivery/table_image.h>
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
        // This is the order of the file, except that the front comes last, because it has the sizes of the rest.
        head_ = delta_head(old_.get(), target_, plan_.directory);
        head_.level = plan_.level;
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
    Result<std::optional<DeltaReader>> open_reader() const {
        FARDEL_TRY_ASSIGN(DeltaReader reader, DeltaReader::open(old_, head_));
        return std::optional(std::move(reader));
    }

    Status write_frame(std::span<const std::byte> frame) {
        FARDEL_TRY(file_.write_at(end_, frame));
        end_ += frame.size();
        return verify_running();
    }

    Status write_tables() {
        const TableImage image = new_tables_of(target_);
        TableDecoder decoder(old_.get());
        std::vector<std::byte> wanted;
        std::uint64_t offset = 0;
        return encode_table_segments(
            old_.get(), target_, plan_.directory.tables, work_.effort,
            [&](const DeltaTables& segment, std::span<const std::byte> frame) -> Status {
                FARDEL_TRY_ASSIGN(const std::vector<std::byte> given, decoder.decode(segment, frame));
                wanted.resize(segment.raw_bytes);
                FARDEL_TRY(image.read(*target_.source(), std::exchange(offset, offset + wanted.size()), wanted));
                return given == wanted ? write_frame(frame) : differs();
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
        // A directory that clients refuse must not be published.
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
