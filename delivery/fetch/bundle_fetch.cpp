#include "fetch/bundle_fetch.h"

#include "fetch/asset_fetch.h"
#include "fetch/delta_fetch.h"
#include "fetch/encoded_blocks.h"
#include "fetch/other_bundles.h"
#include "fetch/range_blocks.h"
#include "fetch/slice_fetch.h"
#include "fetch/stored_blocks.h"
#include "fetch/trace_fetch.h"
#include "transfer/tree_urls.h"

#include <fardel/delivery/raw_block.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/author.h>
#include <fardel/format/extended_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/later_signatures.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/printable.h>
#include <fardel/store/stored_signatures.h>
#include <fardel/verifier/verify_bundle.h>

#include <algorithm>
#include <span>
#include <utility>

namespace fardel {
namespace {

std::string subject_of(const BundleId& id) { return "bundle " + id.hex(); }

Result<std::string> text_of(const Bundle& bundle, std::string_view key) {
    FARDEL_TRY_ASSIGN(const auto text, bundle.find_bundle_text(key));
    return printable(text.value_or(""));
}

// Returns what the plan shows of the bundle, without what it costs.
Result<PlannedFetch> describe(const Bundle& bundle, const TrustPolicy* policy) {
    PlannedFetch planned{.bundle = bundle.id(), .file_bytes = bundle.source()->size_bytes()};
    for (const TrustedSigner& signer : bundle.verdict().signers)
        planned.signers.push_back(signer.label);
    if (const auto author = author_of(bundle.verdict())) {
        planned.author = {.key = *author, .label = policy != nullptr ? label_of(*author, *policy) : ""};
        for (const TrustedSigner& signer : bundle.verdict().signers)
            if (signer.key == *author)
                planned.author->label = signer.label;
    }
    FARDEL_TRY_ASSIGN(planned.name, text_of(bundle, "name"));
    FARDEL_TRY_ASSIGN(planned.version, text_of(bundle, "version"));
    FARDEL_TRY_ASSIGN(planned.licence, text_of(bundle, "licence"));
    return planned;
}

// The verifier tells authors of names that nobody will see. A mount takes such a bundle, and so does a fetch
// (docs/trust-policy.md, "Who asks").
bool refuses_fetch(const VerifyFinding& finding) {
    return finding.severity == FindingSeverity::error && finding.rule != "name-not-allowed";
}

bool is_whole(const IncomingBundle& incoming) {
    return incoming.file_bytes() && incoming.held_bytes() == *incoming.file_bytes();
}

// Adds a supplier that is used by more than the list.
template <class Supplier>
Supplier& add(std::vector<std::unique_ptr<BlockSupplier>>& suppliers, std::unique_ptr<Supplier> supplier) {
    Supplier& added = *supplier;
    suppliers.push_back(std::move(supplier));
    return added;
}

}  // namespace

// Counts what the client receives as long as the object lives.
class BundleFetch::Meter {
public:
    explicit Meter(BundleFetch& fetch) : fetch_(fetch), before_(fetch.context_.client.counts()) {}
    ~Meter() {
        const TransferCounts more = fetch_.context_.client.counts() - before_;
        fetch_.counts_.received_bytes += more.received_bytes;
        fetch_.counts_.requests += more.requests;
    }
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;

private:
    BundleFetch& fetch_;
    const TransferCounts before_;
};

// ---- Tables ---------------------------------------------------------------------------------------------------------

BundleFetch::BundleFetch(const FetchContext& context, const BundleId& bundle, IncomingBundle incoming,
                         std::shared_ptr<const ByteSource> copy)
    : context_(context),
      id_(bundle),
      incoming_(std::move(incoming)),
      was_whole_(is_whole(incoming_)),
      transfer_(context.client, urls_of(context.trees, tree_path_of(bundle)), context.options.attempts_max, incoming_),
      copy_(add(suppliers_, std::make_unique<DamagedCopy>(std::move(copy)))),
      tables_(context, bundle, transfer_, incoming_, copy_) {
    transfer_.set_fault_observer(context.options.fault);
}
BundleFetch::~BundleFetch() = default;

Result<std::unique_ptr<BundleFetch>> BundleFetch::open(const FetchContext& context, const BundleId& bundle) {
    const FetchOptions& options = context.options;
    FARDEL_TRY_ASSIGN(IncomingBundle incoming,
                      IncomingBundle::open(context.store, bundle,
                                           options.repairs ? StoredPart::proved : StoredPart::used, options.stop));
    incoming.set_source(source_of(options));
    std::shared_ptr<const ByteSource> copy = options.damaged_copy;
    if (options.repairs && !copy)
        if (auto stored = context.store.open_bundle(bundle))
            copy = *std::move(stored);
    std::unique_ptr<BundleFetch> fetch(new BundleFetch(context, bundle, std::move(incoming), std::move(copy)));
    FARDEL_TRY(fetch->fetch_tables());
    return fetch;
}

// The list of suppliers is complete then, what costs least first.
Status BundleFetch::fetch_tables() {
    const Meter meter(*this);
    suppliers_.insert(suppliers_.begin(), std::make_unique<StoredBlocks>(incoming_, context_.library_blocks));
    suppliers_.push_back(std::make_unique<EncodedBlocks>(others_, context_.options.stop));
    DeltaFetch& delta =
        add(suppliers_, std::make_unique<DeltaFetch>(DeltaContext{.fetch = context_, .incoming = incoming_}, id_));
    suppliers_.push_back(std::make_unique<AssetFetch>(context_, others_));
    suppliers_.push_back(std::make_unique<SliceFetch>(context_, others_));
    suppliers_.push_back(std::make_unique<RangeBlocks>(context_, id_, transfer_));
    bool is_given = false;
    if (!context_.options.repairs && !copy_.exists()) {
        FARDEL_TRY_ASSIGN(others_, open_other_bundles(context_.store, context_.options.work.library.get(), id_));
        FARDEL_TRY_ASSIGN(is_given, delta.fetch_tables(others_, incoming_, context_.options.tables_bytes_max));
    }
    FARDEL_TRY(tables_.fetch(is_given));
    return context_.options.repairs ? forget_damaged_blocks() : ok();
}

// In the store's packs: those that do not have their hashes.
Status BundleFetch::forget_damaged_blocks() {
    FARDEL_TRY_ASSIGN(const auto blocks, block_records(*bundle()));
    FARDEL_TRY_ASSIGN(const auto source, incoming_.source());
    std::vector<std::byte> bytes;
    for (const BlockRecord& block : blocks) {
        if (!holds_block(block))
            continue;
        const std::uint64_t offset = tables_.layout().blocks_offset + block.stored_offset;
        bytes.resize(block.stored_bytes);
        if (source->read_at(offset, bytes) && blake3(bytes) == block.stored_hash)
            continue;
        FARDEL_TRY(incoming_.forget(offset, block.stored_bytes));
        was_whole_ = false;  // also if the block is found elsewhere in the store: its record has to change
    }
    return ok();
}

TransferCounts BundleFetch::counts() const noexcept { return counts_; }

// ---- Planning -------------------------------------------------------------------------------------------------------

bool BundleFetch::holds_block(const BlockRecord& block) const {
    return incoming_.holds(tables_.layout().blocks_offset + block.stored_offset, block.stored_bytes);
}

Result<std::vector<bool>> BundleFetch::chosen_blocks() const {
    if (!chosen_)
        return std::vector<bool>(blocks_.size(), true);
    std::vector<bool> blocks(blocks_.size(), false);
    for (std::uint32_t i = 0; i < bundle()->asset_count(); ++i) {
        if (!(*chosen_)[i])
            continue;
        FARDEL_TRY_ASSIGN(const AssetBlocks run, blocks_of_asset(*bundle(), AssetIndex{i}));
        std::fill_n(blocks.begin() + run.first, run.count, true);
    }
    return blocks;
}

Result<PlannedFetch> BundleFetch::plan(const std::optional<ChosenAssets>& chosen) {
    FARDEL_TRY_ASSIGN(PlannedFetch planned, describe(*bundle(), context_.options.work.policy.get()));
    chosen_ = chosen;
    FARDEL_TRY_ASSIGN(blocks_, block_records(*bundle()));
    FARDEL_TRY_ASSIGN(const std::vector<bool> wanted, chosen_blocks());
    const std::size_t count = blocks_.size();
    least_.resize(count, BlockCost::copy);
    planned_.assign(count, std::nullopt);
    came_short_ = false;
    std::vector<bool> missing(count);
    for (std::size_t i = 0; i < count; ++i)
        missing[i] = !holds_block(blocks_[i]);
    BlockTarget target{
        .bundle = bundle(), .holds = [this](const BlockRecord& block) { return holds_block(block); }, .level = {}};
    for (const auto& supplier : suppliers_) {
        const BlockCost cost = supplier->cost();
        std::vector<bool> sought(count);
        for (std::size_t i = 0; i < count; ++i)
            sought[i] = missing[i] && (cost == BlockCost::copy || wanted[i]) && cost >= least_[i];
        FARDEL_TRY_ASSIGN(const BlockChoice choice, choose(*supplier, target, sought));
        for (std::size_t i = 0; i < count; ++i)
            if (choice.given[i]) {
                missing[i] = false;
                if (!holds_block(blocks_[i]))
                    planned_[i] = cost;
            }
        if (choice.level)
            target.level = choice.level;
        planned.fetch_bytes += choice.fetch_bytes;
        planned.requests += choice.requests;
        planned.space_bytes += choice.temporary_bytes;
    }
    for (std::size_t i = 0; i < count; ++i) {
        planned.left_bytes += missing[i] ? blocks_[i].stored_bytes : 0;
        planned.space_bytes += planned_[i] ? blocks_[i].stored_bytes : 0;
    }
    planned.tables_bytes = counts().received_bytes;
    return planned;
}

// It may ask servers.
Result<BlockChoice> BundleFetch::choose(BlockSupplier& supplier, const BlockTarget& target,
                                        const std::vector<bool>& sought) {
    const Meter meter(*this);
    return supplier.choose(target, sought);
}

bool BundleFetch::is_intact() const noexcept {
    return was_whole_ && is_whole(incoming_) && counts().received_bytes == 0;
}

// ---- Content --------------------------------------------------------------------------------------------------------

std::vector<std::uint32_t> BundleFetch::missing_blocks() const {
    std::vector<std::uint32_t> blocks;
    for (std::uint32_t i = 0; i < blocks_.size(); ++i)
        if (planned_[i] && !holds_block(blocks_[i]))
            blocks.push_back(i);
    return blocks;
}

Status BundleFetch::fetch_content(const std::function<void(std::uint64_t)>& progress) {
    tables_.keep_blocks();
    const Meter meter(*this);
    const RangeClient& client = context_.client;
    const std::uint64_t before = client.counts().received_bytes;
    const BlockSink sink{.take =
                             [this](std::uint32_t index, std::span<const std::byte> stored) {
                                 return incoming_.write(tables_.layout().blocks_offset + blocks_[index].stored_offset,
                                                        stored);
                             },
                         .progress = [&] { progress(client.counts().received_bytes - before); }};
    // What costs more than was planned is another plan, which somebody has to agree to.
    for (const BlockCost most : {BlockCost::encoding, BlockCost::transfer, BlockCost::range}) {
        for (const auto& supplier : suppliers_)
            if (supplier->cost() == most || (supplier->cost() == BlockCost::copy && most == BlockCost::encoding))
                if (Status fetched = supplier->fetch_blocks(missing_blocks(), sink); !fetched)
                    return std::move(fetched).error().with_context(subject_of(id_));
        for (const std::uint32_t block : missing_blocks())
            if (planned_[block] <= most) {
                least_[block] = most == BlockCost::encoding ? BlockCost::transfer : BlockCost::range;
                came_short_ = true;
            }
        if (came_short_)
            return Error(ErrorCode::conflict, subject_of(id_) + ": blocks did not come in the way that was planned");
    }
    return fill_padding();
}

Result<bool> BundleFetch::can_plan_again() {
    if (came_short_)
        return true;
    if (!transfer_.has_misfit())
        return false;
    const Meter meter(*this);
    const LayoutId layout = bundle()->layout_id();
    const auto file_bytes = incoming_.file_bytes();
    while (layout_rounds_ < context_.trees.size()) {
        transfer_.clear_misfit();
        FARDEL_TRY(incoming_.restart());
        Status fetched = tables_.fetch_again_from(++layout_rounds_);
        if (!fetched && fetched.error().code() == ErrorCode::cancelled)
            return std::move(fetched).error();
        if (fetched && (bundle()->layout_id() != layout || incoming_.file_bytes() != file_bytes)) {
            least_.clear();
            return true;
        }
    }
    return false;
}

// Writes the zeros between sections and blocks, which no one has to send.
Status BundleFetch::fill_padding() {
    std::vector<FileSection> sections(tables_.sections().begin(), tables_.sections().end());
    sections.push_back({0, kHeadsBytes});
    for (const BlockRecord& block : blocks_)
        sections.push_back({tables_.layout().blocks_offset + block.stored_offset, block.stored_bytes});
    std::ranges::sort(sections, {}, &FileSection::offset);
    std::uint64_t end = 0;
    for (const FileSection& section : sections) {
        if (section.length_bytes == 0)
            continue;
        FARDEL_TRY(fill(end, section.offset));
        end = section.offset + section.length_bytes;
    }
    return fill(end, *incoming_.file_bytes());
}

Status BundleFetch::fill(std::uint64_t from, std::uint64_t to) {
    if (from >= to || incoming_.holds(from, to - from))
        return ok();
    if (to - from >= limits::kRawBlockAlign)
        return Error(ErrorCode::malformed,
                     subject_of(id_) + ": " + std::to_string(to - from) + " bytes of the file belong to nothing");
    return incoming_.write(from, std::vector<std::byte>(static_cast<std::size_t>(to - from)));
}

// What was fetched for an earlier choice was verified then.
Status BundleFetch::finish_part() {
    FARDEL_TRY_ASSIGN(auto source, incoming_.source());
    FARDEL_TRY_ASSIGN(const auto whole, Bundle::open(std::move(source), {}));
    for (std::uint32_t i = 0; i < whole->asset_count(); ++i) {
        if (!(*chosen_)[i])
            continue;
        if (context_.options.stop.stop_requested())
            return Error(ErrorCode::cancelled, "the transfer was stopped");
        Status verified = whole->verify_asset(AssetIndex{i});
        if (!verified && verified.error().code() != ErrorCode::io) {
            FARDEL_TRY(incoming_.discard());
            return std::move(verified).error().with_context(subject_of(id_) + " is wrong in itself and was discarded");
        }
        FARDEL_TRY(std::move(verified));
    }
    return commit();
}

// A kill between the two leaves a bundle that the policy refuses; the next fetch asks for its signatures again.
Status BundleFetch::commit() {
    FARDEL_TRY(std::move(incoming_).commit(bundle()->layout_id()));
    return tables_.later_signatures().empty() ? ok() : add_signatures(context_.store, id_, tables_.later_signatures());
}

Status BundleFetch::finish() {
    if (chosen_ && incoming_.held_bytes() < *incoming_.file_bytes())
        return finish_part();
    const FetchWork& work = context_.options.work;
    FARDEL_TRY_ASSIGN(auto source, incoming_.source());
    FARDEL_TRY_ASSIGN(auto later, encode_envelopes(tables_.later_signatures()));
    FARDEL_TRY_ASSIGN(const VerifyReport report,
                      verify_bundle(extend_source(std::move(source), std::move(later)),
                                    {.policy = work.policy.get(), .time = work.time, .stop = context_.options.stop}));
    const auto first = std::ranges::find_if(report.findings, refuses_fetch);
    if (first != report.findings.end()) {
        FARDEL_TRY(incoming_.discard());
        return Error(first->code, subject_of(id_) + " is wrong in itself and was discarded: " + format_finding(*first));
    }
    return commit();
}

}  // namespace fardel
