#include "contents.h"

#include "block_batch.h"
#include "ordered_work.h"

#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <thread>

namespace fardel {
namespace {

// The one asset of several pieces whose blocks are going by. Its id needs all of them, in order.
class PassingAsset {
public:
    void see(std::uint32_t block, const Tenant& tenant, bool good, std::span<const std::byte> raw) {
        if (block == tenant.first_block) {
            hasher_.reset();
            intact_ = true;
        } else if (block != next_block_) {
            intact_ = false;
        }
        next_block_ = block + 1;
        intact_ = intact_ && good;
        if (intact_)
            hasher_.update(raw);
    }
    bool ends_with(std::uint32_t block, const Tenant& tenant) const noexcept {
        return intact_ && block - tenant.first_block + 1 == tenant.block_count;
    }
    AssetId id() const noexcept { return id_from<AssetId>(hasher_.finish()); }

private:
    Hasher hasher_;
    std::uint32_t next_block_ = 0;
    bool intact_ = false;
};

class ContentCheck {
public:
    ContentCheck(const ContentPlan& plan, Findings& findings) : plan_(plan), findings_(findings) {}

    void take(const BlockBatch& batch, const BatchProof& proof) {
        for (std::uint32_t i = batch.first; i < batch.last; ++i) {
            const BlockVerdict& verdict = proof.verdicts[i - batch.first];
            report_block(i, verdict);
            const auto raw = verdict.state == BlockState::good
                                 ? std::span(proof.raw).subspan(verdict.raw_at, verdict.raw_bytes)
                                 : std::span<const std::byte>();
            for (const Tenant& tenant : tenants_of(plan_.tenants, i))
                if (tenant.block_count > 1)
                    see_piece(i, tenant, verdict, raw);
            totals_.raw_bytes_proved += verdict.proved_bytes;
        }
    }

    ContentTotals totals() const noexcept { return totals_; }

private:
    void report_block(std::uint32_t index, const BlockVerdict& verdict) {
        if (verdict.gap_byte)
            findings_.add(Rule::gap_not_zero, "gap before " + record_place(TableKind::blocks, index),
                          "the byte at file offset " + std::to_string(*verdict.gap_byte) +
                              " is not zero; only zeros may stand there");
        switch (verdict.state) {
            case BlockState::good:
            case BlockState::unknown: break;
            case BlockState::unreadable: return report_bad(Rule::block_unreadable, index, *verdict.error);
            case BlockState::damaged:
                return report_bad(
                    Rule::block_damaged, index,
                    Error(ErrorCode::corrupt,
                          "its stored bytes differ from their hash; fetch the file, or these bytes, again"));
            case BlockState::undecodable:
                return report_bad(
                    Rule::block_undecodable, index,
                    Error(verdict.error->code(),
                          verdict.error->message() + "; it was made so, fetching it again will not help"));
        }
        if (verdict.piece_wrong)
            report_bad(Rule::piece_wrong, index,
                       Error(ErrorCode::corrupt, "it decodes to other bytes than the manifest says"));
        for (const std::uint32_t asset : verdict.wrong)
            findings_.add(Rule::asset_wrong, place_of(index),
                          plan_.labels.text(asset) + ": the bytes stored for it have another id",
                          {plan_.labels.hit(asset)});
    }

    void report_bad(Rule rule, std::uint32_t index, const Error& error) {
        if (findings_.is_full(rule))
            return findings_.count(rule);
        const auto tenants = tenants_of(plan_.tenants, index);
        std::vector<HitAsset> hits;
        for (const Tenant& tenant : tenants.first(std::min(tenants.size(), kHitAssetsMax)))
            hits.push_back(plan_.labels.hit(tenant.asset));
        std::string text = error.message();
        if (!tenants.empty())
            text += "; it holds " +
                    (tenants.size() == 1 ? "" : std::to_string(tenants.size()) + " assets, the first is ") +
                    plan_.labels.text(tenants.front().asset);
        findings_.add(rule, place_of(index), Error(error.code(), std::move(text)), std::move(hits));
    }

    void see_piece(std::uint32_t index, const Tenant& tenant, const BlockVerdict& verdict,
                   std::span<const std::byte> raw) {
        passing_.see(index, tenant, verdict.state == BlockState::good && !verdict.piece_wrong, raw);
        const auto asset = plan_.tables.find<AssetRecord>(tenant.asset);
        if (!asset || !passing_.ends_with(index, tenant))
            return;
        if (passing_.id() == asset->id)
            totals_.raw_bytes_proved += asset->raw_bytes;
        else
            findings_.add(
                Rule::asset_wrong, record_place(TableKind::assets, tenant.asset),
                plan_.labels.text(tenant.asset) + ": all its pieces are right, but together they have another id",
                {plan_.labels.hit(tenant.asset)});
    }

    // "blocks record 12 (file offset 81920)"
    std::string place_of(std::uint32_t index) const {
        const auto block = plan_.tables.find<BlockRecord>(index);
        return record_place(TableKind::blocks, index) +
               (block ? " (file offset " + std::to_string(plan_.layout.blocks_offset + block->stored_offset) + ")"
                      : "");
    }

    const ContentPlan& plan_;
    Findings& findings_;
    PassingAsset passing_;
    ContentTotals totals_;
};

}  // namespace

ContentTotals check_contents(const ContentPlan& plan, const VerifyOptions& options, Findings& findings) {
    const std::vector<BlockBatch> batches = plan_batches(plan.tables, plan.readable);
    VerifyProgress progress;
    for (const BlockBatch& batch : batches)
        progress.stored_bytes_total += batch.to - batch.from;

    const BlockInput input{plan.source, plan.layout, plan.tables, plan.tenants};
    ContentCheck check(plan, findings);
    const unsigned jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
    const bool done = work_in_order<BatchProof>(
        batches.size(), jobs, options.stop,
        [&](std::uint64_t i, BatchProof& proof) { prove_batch(input, batches[i], proof); },
        [&](std::uint64_t i, const BatchProof& proof) {
            check.take(batches[i], proof);
            progress.stored_bytes_done += batches[i].to - batches[i].from;
            if (options.progress)
                options.progress(progress);
        });
    ContentTotals totals = check.totals();
    totals.stopped = !done;
    return totals;
}

}  // namespace fardel
