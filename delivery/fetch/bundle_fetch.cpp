#include "fetch/bundle_fetch.h"

#include "delta/held_content.h"
#include "delta/held_pieces.h"
#include "fetch/trace_fetch.h"
#include "transfer/tree_urls.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/dependencies.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/verifier/verify_bundle.h>

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kTraceWorthBytes = 1u << 20;  // less comes at once in any order

std::string subject_of(const BundleId& id) { return "bundle " + id.hex(); }

Result<std::string> text_of(const Bundle& bundle, std::string_view key) {
    FARDEL_TRY_ASSIGN(const auto text, bundle.find_bundle_text(key));
    return printable(text.value_or(""));
}

}  // namespace

BundleFetch::BundleFetch(const BundleStore& store, const BundleId& bundle, IncomingBundle incoming,
                         std::shared_ptr<const ByteSource> copy, RangeClient& client,
                         const std::vector<std::string>& trees, LibraryBlocks& library_blocks,
                         const FetchOptions& options)
    : store_(store),
      id_(bundle),
      incoming_(std::move(incoming)),
      client_(client),
      library_blocks_(library_blocks),
      transfer_(client, urls_of(trees, tree_path_of(bundle)), options.attempts_max, incoming_),
      trees_(trees),
      copy_(std::move(copy)),
      tables_(bundle, trees, client, transfer_, incoming_, copy_, options),
      was_whole_(incoming_.file_bytes() && incoming_.held_bytes() == incoming_.file_bytes()),
      delta_({.store = store, .client = client, .incoming = incoming_, .trees = trees, .stop = options.stop}, bundle),
      assets_(client, trees, options.stop),
      servers_(trees.size()),
      options_(options) {}

Result<std::unique_ptr<BundleFetch>> BundleFetch::open(const BundleStore& store, const BundleId& bundle,
                                                       const std::vector<std::string>& trees, RangeClient& client,
                                                       LibraryBlocks& library_blocks, const FetchOptions& options) {
    FARDEL_TRY_ASSIGN(
        IncomingBundle incoming,
        IncomingBundle::open(store, bundle, options.repairs ? StoredPart::proved : StoredPart::used, options.stop));
    incoming.set_source(source_of(options));
    std::shared_ptr<const ByteSource> copy = options.damaged_copy;
    if (options.repairs && !copy)
        if (auto stored = store.open_bundle(bundle))
            copy = *std::move(stored);
    return std::unique_ptr<BundleFetch>(
        new BundleFetch(store, bundle, std::move(incoming), std::move(copy), client, trees, library_blocks, options));
}

TransferCounts BundleFetch::counts() const noexcept {
    TransferCounts sum;
    for (const TransferCounts& counts :
         {transfer_.counts(), tables_.counts(), trace_counts_, delta_.counts(), assets_.counts()}) {
        sum.received_bytes += counts.received_bytes;
        sum.requests += counts.requests;
    }
    return sum;
}

// ---- Tables ---------------------------------------------------------------------------------------------------------

Status BundleFetch::fetch_tables() { return fetch_tables_from(0); }

Status BundleFetch::fetch_tables_from(std::size_t first_round) {
    return tables_.fetch([this] { return give_tables(); }, first_round);
}

Result<std::optional<bool>> BundleFetch::give_tables() {
    if (std::exchange(others_opened_, true) || options_.repairs || copy_.exists())
        return std::optional<bool>();
    FARDEL_TRY_ASSIGN(others_, open_other_bundles(store_, options_.library, id_));
    FARDEL_TRY_ASSIGN(const bool given, delta_.fetch_tables(others_, incoming_, options_.tables_bytes_max));
    return std::optional(given);
}

// ---- Planning -------------------------------------------------------------------------------------------------------

Result<std::vector<BundleId>> BundleFetch::dependencies() const { return static_dependencies(*bundle()); }

Result<PlannedFetch> BundleFetch::plan() {
    PlannedFetch planned{.bundle = id_, .file_bytes = *incoming_.file_bytes()};
    for (const TrustedSigner& signer : bundle()->verdict().signers)
        planned.signers.push_back(signer.label);
    FARDEL_TRY_ASSIGN(planned.name, text_of(*bundle(), "name"));
    FARDEL_TRY_ASSIGN(planned.version, text_of(*bundle(), "version"));
    FARDEL_TRY_ASSIGN(planned.licence, text_of(*bundle(), "licence"));
    blocks_.clear();
    requests_.clear();
    FARDEL_TRY_ASSIGN(const std::vector<bool> wanted, chosen_blocks());
    std::unordered_set<std::uint64_t> unwanted;  // by stored offset
    for (std::uint32_t i = 0; i < bundle()->table_count(TableKind::blocks); ++i) {
        FARDEL_TRY_ASSIGN(const BlockRecord block, bundle()->block(i));
        blocks_.push_back(block);
        if (!wanted.empty() && !wanted[i])
            unwanted.insert(block.stored_offset);
    }
    std::ranges::sort(blocks_, {}, &BlockRecord::stored_offset);
    if (options_.repairs)
        FARDEL_TRY(forget_damaged_blocks());
    tables_.keep_blocks();
    std::vector<bool> missing(blocks_.size(), false);
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const BlockRecord& block = blocks_[i];
        if (block.stored_offset < end || block.stored_bytes == 0 ||
            block.stored_offset + block.stored_bytes > tables_.layout().blocks_bytes)
            return Error(ErrorCode::malformed, subject_of(id_) + ": a block is out of place");
        end = block.stored_offset + block.stored_bytes;
        const std::uint64_t offset = tables_.layout().blocks_offset + block.stored_offset;
        if (incoming_.holds(offset, block.stored_bytes))
            continue;
        FARDEL_TRY_ASSIGN(bool has,
                          share_block(incoming_, library_blocks_, offset, block.stored_hash, block.stored_bytes));
        if (!has) {
            FARDEL_TRY_ASSIGN(has, copy_.write_block(incoming_, offset, block));
        }
        if (!has && unwanted.contains(block.stored_offset))
            planned.left_bytes += block.stored_bytes;
        else
            missing[i] = !has;
    }
    FARDEL_TRY_ASSIGN(const BlockChoice choice, use_others(missing));
    std::vector<FetchUnit> units;
    given_units_.clear();
    planned.space_bytes = choice.temporary_bytes;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        if (!missing[i])
            continue;
        planned.space_bytes += blocks_[i].stored_bytes;
        (choice.given[i] ? given_units_ : units)
            .push_back({.offset = tables_.layout().blocks_offset + blocks_[i].stored_offset,
                        .length_bytes = blocks_[i].stored_bytes,
                        .hash = blocks_[i].stored_hash});
    }
    FARDEL_TRY(request(units));
    planned.tables_bytes = counts().received_bytes;
    planned.requests = requests_.size() + choice.requests;
    planned.fetch_bytes = choice.fetch_bytes;
    for (const FetchRequest& request : requests_)
        planned.fetch_bytes += bytes_of(request);
    return planned;
}

Status BundleFetch::request(const std::vector<FetchUnit>& units) {
    std::uint64_t bytes = 0;
    for (const FetchUnit& unit : units)
        bytes += unit.length_bytes;
    std::vector<std::uint64_t> first;  // offsets
    if (bytes >= kTraceWorthBytes && !options_.repairs) {
        if (!trace_) {
            FARDEL_TRY_ASSIGN(trace_, fetch_trace(client_, trees_, id_, options_.stop, trace_counts_));
        }
        FARDEL_TRY_ASSIGN(const auto blocks, blocks_in_order(*bundle(), *trace_));
        for (const std::uint32_t index : blocks) {
            FARDEL_TRY_ASSIGN(const BlockRecord block, bundle()->block(index));
            first.push_back(tables_.layout().blocks_offset + block.stored_offset);
        }
    }
    requests_ = make_requests_in_order(units, first);
    return ok();
}

Result<std::vector<bool>> BundleFetch::chosen_blocks() const {
    std::vector<bool> wanted;
    if (!chosen_)
        return wanted;
    wanted.resize(static_cast<std::size_t>(bundle()->table_count(TableKind::blocks)));
    for (std::uint32_t i = 0; i < bundle()->asset_count(); ++i) {
        if (!(*chosen_)[i])
            continue;
        FARDEL_TRY_ASSIGN(const AssetBlocks run, blocks_of_asset(*bundle(), AssetIndex{i}));
        std::fill_n(wanted.begin() + run.first, run.count, true);
    }
    return wanted;
}

Result<BlockChoice> BundleFetch::use_others(std::vector<bool>& missing) {
    if ((others_.empty() && !delta_.level()) || std::ranges::find(missing, true) == missing.end())
        return BlockChoice{.given = std::vector<bool>(missing.size(), false)};
    FARDEL_TRY_ASSIGN(auto source, incoming_.source());
    FARDEL_TRY_ASSIGN(const auto target, Bundle::open(std::move(source), {}));
    std::vector<bool> held(missing.size());
    for (std::size_t i = 0; i < held.size(); ++i)
        held[i] = holds_block(blocks_[i]);
    FARDEL_TRY_ASSIGN(const auto level_of_held, find_level_of_held(*target, held));
    FARDEL_TRY_ASSIGN(const std::vector<BlockPart> parts, block_parts(*target, missing));
    FARDEL_TRY_ASSIGN(const HeldPieces pieces, HeldPieces::find(*target, parts, others_, options_.stop));
    const ReadPart read = [&](const AssetId& asset, const BlockPart& part, std::span<std::byte> out) {
        return read_held_part(others_, asset, part, out) || pieces.read(part, out);
    };
    const TakeBlock take = [&](std::uint32_t index, std::span<const std::byte> stored) {
        missing[index] = false;
        return write_block(index, stored);
    };
    FARDEL_TRY_ASSIGN(const std::uint32_t level,
                      encode_parts(*target, level_of_held, parts, read, options_.stop, take));
    bool encodes = true;
    if (const auto of_delta = delta_.level()) {
        FARDEL_TRY_ASSIGN(encodes, may_encode_at(*target, held, *of_delta));
    }
    FARDEL_TRY_ASSIGN(BlockChoice choice, delta_.choose(bundle(), missing, encodes));
    std::vector<bool> rest = missing;
    for (std::size_t i = 0; i < rest.size(); ++i)
        rest[i] = rest[i] && !choice.given[i];
    FARDEL_TRY_ASSIGN(const BlockChoice single, assets_.choose(*bundle(), level, rest, others_));
    for (std::size_t i = 0; i < rest.size(); ++i)
        choice.given[i] = choice.given[i] || single.given[i];
    choice.fetch_bytes += single.fetch_bytes;
    choice.requests += single.requests;
    return choice;
}

bool BundleFetch::holds_block(const BlockRecord& block) const {
    return incoming_.holds(tables_.layout().blocks_offset + block.stored_offset, block.stored_bytes);
}

Status BundleFetch::write_block(std::uint32_t index, std::span<const std::byte> stored) {
    FARDEL_TRY_ASSIGN(const BlockRecord block, bundle()->block(index));
    return incoming_.write(tables_.layout().blocks_offset + block.stored_offset, stored);
}

// ---- Repairing ------------------------------------------------------------------------------------------------------

bool BundleFetch::is_intact() const noexcept {
    return was_whole_ && requests_.empty() && incoming_.file_bytes() &&
           incoming_.held_bytes() == *incoming_.file_bytes() && counts().received_bytes == 0;
}

Status BundleFetch::forget_damaged_blocks() {
    FARDEL_TRY_ASSIGN(const auto source, incoming_.source());
    std::vector<std::byte> bytes;
    for (const BlockRecord& block : blocks_) {
        const std::uint64_t offset = tables_.layout().blocks_offset + block.stored_offset;
        if (!incoming_.holds(offset, block.stored_bytes))
            continue;
        bytes.resize(block.stored_bytes);
        if (source->read_at(offset, bytes) && blake3(bytes) == block.stored_hash)
            continue;
        FARDEL_TRY(incoming_.forget(offset, block.stored_bytes));
        was_whole_ = false;
    }
    return ok();
}

// ---- Content --------------------------------------------------------------------------------------------------------

Status BundleFetch::fetch_content(const std::function<void(std::uint64_t)>& progress) {
    std::uint64_t before = 0;  // by this call, in its earlier steps
    const auto report = [&](std::uint64_t received) {
        if (progress)
            progress(before + received);
    };
    const auto is_missing = [&](std::uint32_t index) { return index < blocks_.size() && !holds_block(blocks_[index]); };
    const TakeBlock take = [&](std::uint32_t index, std::span<const std::byte> stored) {
        return write_block(index, stored);
    };
    const std::uint64_t of_deltas = delta_.counts().received_bytes;
    FARDEL_TRY(delta_.fetch_blocks(is_missing, take, [&] { report(delta_.counts().received_bytes - of_deltas); }));
    before += delta_.counts().received_bytes - of_deltas;
    const std::uint64_t of_assets = assets_.counts().received_bytes;
    FARDEL_TRY(assets_.fetch_blocks(*bundle(), others_, is_missing, take, report));
    before += assets_.counts().received_bytes - of_assets;
    std::erase_if(given_units_, [&](const FetchUnit& unit) { return incoming_.holds(unit.offset, unit.length_bytes); });
    for (FetchRequest& request : make_requests(std::exchange(given_units_, {})))
        requests_.push_back(std::move(request));
    const std::uint64_t of_ranges = transfer_.counts().received_bytes;
    Status fetched = transfer_.run(std::move(requests_), options_.stop,
                                   [&](std::uint64_t received) { report(received - of_ranges); });
    return fetched ? fill_padding() : std::move(fetched).error().with_context(subject_of(id_));
}

Result<bool> BundleFetch::find_other_layout() {
    if (!transfer_.has_misfit() || layout_rounds_ == servers_)
        return false;
    const LayoutId layout = bundle()->layout_id();
    const auto file_bytes = incoming_.file_bytes();
    while (layout_rounds_ < servers_) {
        transfer_.clear_misfit();
        FARDEL_TRY(incoming_.restart());
        ++layout_rounds_;
        tables_.ask_again_from(layout_rounds_);
        Status fetched = fetch_tables_from(layout_rounds_);
        if (!fetched && fetched.error().code() == ErrorCode::cancelled)
            return std::move(fetched).error();
        if (fetched && (bundle()->layout_id() != layout || incoming_.file_bytes() != file_bytes))
            return true;
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
        if (options_.stop.stop_requested())
            return Error(ErrorCode::cancelled, "the transfer was stopped");
        Status verified = whole->verify_asset(AssetIndex{i});
        if (!verified && verified.error().code() != ErrorCode::io) {
            FARDEL_TRY(incoming_.discard());
            return std::move(verified).error().with_context(subject_of(id_) + " is wrong in itself and was discarded");
        }
        FARDEL_TRY(std::move(verified));
    }
    return std::move(incoming_).commit(bundle()->layout_id());
}

Status BundleFetch::finish() {
    if (chosen_ && incoming_.held_bytes() < *incoming_.file_bytes())
        return finish_part();
    FARDEL_TRY_ASSIGN(auto source, incoming_.source());
    FARDEL_TRY_ASSIGN(
        const VerifyReport report,
        verify_bundle(std::move(source), {.policy = options_.policy, .time = options_.time, .stop = options_.stop}));
    if (!report.good()) {
        const auto first = std::ranges::find(report.findings, FindingSeverity::error, &VerifyFinding::severity);
        FARDEL_TRY(incoming_.discard());
        return Error(first->code, subject_of(id_) + " is wrong in itself and was discarded: " + format_finding(*first));
    }
    return std::move(incoming_).commit(bundle()->layout_id());
}

}  // namespace fardel
