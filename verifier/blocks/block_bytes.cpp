#include "block_bytes.h"

#include "ordered_work.h"

#include <fardel/base/fits.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <algorithm>

namespace fardel {
namespace {

// Computes the id of an asset that has several pieces, from its blocks in order. At most one such asset is under way.
class AssetHasher {
public:
    void add(std::uint32_t block, const PlacedAsset& placed, bool good, std::span<const std::byte> raw) {
        if (block == placed.first_block) {
            hasher_.reset();
            intact_ = true;
            // A block of the asset was left out (damaged, or in a batch that was stopped), so the hash would be of
            // other bytes.
        } else if (block != next_block_) {
            intact_ = false;
        }
        next_block_ = block + 1;
        intact_ = intact_ && good;
        if (intact_)
            hasher_.update(raw);
    }
    bool ends_with(std::uint32_t block, const PlacedAsset& placed) const noexcept {
        return intact_ && block - placed.first_block + 1 == placed.block_count;
    }
    AssetId id() const noexcept { return id_from<AssetId>(hasher_.finish()); }

private:
    Hasher hasher_;
    std::uint32_t next_block_ = 0;
    bool intact_ = false;
};

class BlockBytesCheck {
public:
    BlockBytesCheck(const BlockBytesPlan& plan, VerifyFindings& findings) : plan_(plan), findings_(findings) {}

    void add(const BlockBatch& batch, const BatchProof& proof) {
        for (std::uint32_t i = batch.first; i < batch.last; ++i) {
            const BlockVerdict& verdict = proof.verdicts[i - batch.first];
            report_block(i, verdict);
            const auto raw = verdict.state == BlockState::good
                                 ? std::span(proof.raw).subspan(verdict.raw_at, verdict.raw_bytes)
                                 : std::span<const std::byte>();
            for (const PlacedAsset& placed : assets_in_block(plan_.input.placed_assets, i)) {
                if (plan_.classes != nullptr && i == placed.first_block && placed.offset < raw.size())
                    plan_.classes->add(placed.asset, head_of(placed, raw));
                if (placed.block_count > 1)
                    add_piece(i, placed, verdict, raw);
            }
            raw_bytes_proved_ += verdict.proved_bytes;
        }
    }

    std::uint64_t raw_bytes_proved() const noexcept { return raw_bytes_proved_; }

private:
    static std::span<const std::byte> head_of(const PlacedAsset& placed, std::span<const std::byte> raw) {
        const auto rest = raw.subspan(in_memory(placed.offset));
        return rest.first(in_memory(std::min<std::uint64_t>({rest.size(), placed.bytes, kContentClassBytes})));
    }

    void report_block(std::uint32_t index, const BlockVerdict& verdict) {
        if (verdict.gap_byte)
            findings_.add(VerifierRule::gap_not_zero, "gap before " + record_location(TableKind::blocks, index),
                          "the byte at file offset " + std::to_string(*verdict.gap_byte) +
                              " is not zero; only zeros are allowed there");
        switch (verdict.state) {
            case BlockState::good:
            case BlockState::unknown: break;
            case BlockState::unreadable: return report_bad(VerifierRule::block_unreadable, index, *verdict.error);
            case BlockState::damaged:
                return report_bad(
                    VerifierRule::block_damaged, index,
                    Error(ErrorCode::corrupt,
                          "its stored bytes differ from their hash; fetch the file, or these bytes, again"));
            // The hash is right, so whoever wrote the bundle wrote this block: another copy is no better.
            case BlockState::undecodable:
                return report_bad(VerifierRule::block_undecodable, index,
                                  Error(verdict.error->code(),
                                        verdict.error->message() +
                                            "; the bundle was written that way, so fetching it again will not help"));
        }
        if (verdict.piece_wrong)
            report_bad(VerifierRule::piece_wrong, index,
                       Error(ErrorCode::corrupt, "its raw bytes differ from the hash of this piece in the manifest"));
        for (const std::uint32_t asset : verdict.wrong_assets)
            findings_.add(VerifierRule::asset_wrong, location_of(index),
                          plan_.labels.text(asset) + ": the bytes stored for it have another id",
                          {plan_.labels.affected(asset)});
    }

    void report_bad(VerifierRule rule, std::uint32_t index, const Error& error) {
        if (findings_.is_full(rule))
            return findings_.count(rule);
        const auto placed_assets = assets_in_block(plan_.input.placed_assets, index);
        std::vector<AffectedAsset> affected;
        for (const PlacedAsset& placed : placed_assets.first(std::min(placed_assets.size(), kAffectedAssetsMax)))
            affected.push_back(plan_.labels.affected(placed.asset));
        std::string text = error.message();
        if (!placed_assets.empty())
            text += "; it contains " +
                    (placed_assets.size() == 1 ? "" : std::to_string(placed_assets.size()) + " assets, the first is ") +
                    plan_.labels.text(placed_assets.front().asset);
        findings_.add(rule, location_of(index), Error(error.code(), std::move(text)), std::move(affected));
    }

    void add_piece(std::uint32_t index, const PlacedAsset& placed, const BlockVerdict& verdict,
                   std::span<const std::byte> raw) {
        hasher_.add(index, placed, verdict.state == BlockState::good && !verdict.piece_wrong, raw);
        const auto asset = plan_.input.tables.find<AssetRecord>(placed.asset);
        if (!asset || !hasher_.ends_with(index, placed))
            return;
        if (hasher_.id() == asset->id)
            raw_bytes_proved_ += asset->raw_bytes;
        else
            findings_.add(
                VerifierRule::asset_wrong, TableKind::assets, placed.asset,
                plan_.labels.text(placed.asset) + ": each of its pieces is right, but together they have another id",
                {plan_.labels.affected(placed.asset)});
    }

    // "blocks record 12 (file offset 81920)"
    std::string location_of(std::uint32_t index) const {
        const auto block = plan_.input.tables.find<BlockRecord>(index);
        return record_location(TableKind::blocks, index) +
               (block ? " (file offset " + std::to_string(plan_.input.layout.blocks_offset + block->stored_offset) + ")"
                      : "");
    }

    const BlockBytesPlan& plan_;
    VerifyFindings& findings_;
    AssetHasher hasher_;
    std::uint64_t raw_bytes_proved_ = 0;
};

}  // namespace

std::uint64_t check_block_bytes(const BlockBytesPlan& plan, const VerifyOptions& options, VerifyFindings& findings) {
    const std::vector<BlockBatch> batches = plan_batches(plan.input.tables, plan.readable);
    std::uint64_t done_bytes = 0;
    std::uint64_t total_bytes = 0;
    for (const BlockBatch& batch : batches)
        total_bytes += batch.to - batch.from;

    BlockBytesCheck check(plan, findings);
    // Batches are proved on all cores and received in order, so findings have one order whatever the number of threads.
    work_in_order<BatchProof>(
        batches.size(), worker_count(options.jobs), options.stop,
        [&](std::uint64_t i, BatchProof& proof) { prove_batch(plan.input, batches[in_memory(i)], proof); },
        [&](std::uint64_t i, const BatchProof& proof) {
            const BlockBatch& batch = batches[in_memory(i)];
            check.add(batch, proof);
            done_bytes += batch.to - batch.from;
            if (options.progress)
                options.progress({.stored_bytes_done = done_bytes, .stored_bytes_total = total_bytes});
        });
    return check.raw_bytes_proved();
}

}  // namespace fardel
