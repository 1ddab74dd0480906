#include "bundle_fetch.h"

#include "delta/held_content.h"
#include "trace_fetch.h"
#include "tree_urls.h"

#include <fardel/base/fits.h>
#include <fardel/delivery/publish.h>
#include <fardel/format/dependencies.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/verifier/verify_bundle.h>

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kHeadsBytes = 2 * std::uint64_t{limits::kHeadBytes};
constexpr std::size_t kTableRoundsMin = 2;
constexpr std::size_t kLevelAlign = 64;
constexpr std::uint64_t kTraceWorthBytes = 1u << 20;  // less comes at once in any order

// Whether a policy refuses the signatures.
bool is_refusal(ErrorCode code) noexcept {
    return code == ErrorCode::untrusted || code == ErrorCode::revoked || code == ErrorCode::expired;
}

std::string subject_of(const BundleId& id) { return "bundle " + id.hex(); }

// The bytes between the levels of page trees belong to no page and must be zero. docs/bundle-format.md §3.
Status verify_padding(const ByteSource& file, const TableEntry& table, std::uint64_t section_offset) {
    std::uint64_t end = section_offset + table.offset;
    std::uint64_t level_bytes = table.length_bytes;
    for (;;) {
        end += level_bytes;
        std::array<std::byte, kLevelAlign> padding{};
        const auto gap = std::span(padding).first(static_cast<std::size_t>(-end % kLevelAlign));
        FARDEL_TRY(file.read_at(end, gap));
        if (!std::ranges::all_of(gap, [](std::byte byte) { return byte == std::byte{0}; }))
            return Error(ErrorCode::corrupt, "the padding of a table is not zero");
        end += gap.size();
        const std::uint64_t pages = (level_bytes + limits::kPageBytes - 1) / limits::kPageBytes;
        if (pages <= 1)
            return ok();
        level_bytes = pages * sizeof(Hash);
    }
}

Status verify_padding(const ByteSource& file, std::span<const TableEntry> tables, std::uint64_t section_offset) {
    for (const TableEntry& table : tables)
        FARDEL_TRY(verify_padding(file, table, section_offset));
    return ok();
}

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
      all_tables_urls_(urls_of(trees, tables_path_of(bundle))),
      tables_urls_(all_tables_urls_),
      copy_(std::move(copy)),
      copy_tables_(copy_ != nullptr),
      has_blocks_(incoming_.held_bytes() != 0),
      was_whole_(incoming_.file_bytes() && incoming_.held_bytes() == incoming_.file_bytes()),
      delta_(client, trees, bundle, options.stop),
      assets_(client, trees, options.stop),
      servers_(trees.size()),
      options_(options) {}

Result<std::unique_ptr<BundleFetch>> BundleFetch::open(const BundleStore& store, const BundleId& bundle,
                                                       const std::vector<std::string>& trees, RangeClient& client,
                                                       LibraryBlocks& library_blocks, const FetchOptions& options) {
    FARDEL_TRY_ASSIGN(
        IncomingBundle incoming,
        IncomingBundle::open(store, bundle, options.repairs ? StoredPart::proved : StoredPart::used, options.stop));
    incoming.set_source(trees.front());
    std::shared_ptr<const ByteSource> copy = options.damaged_copy;
    if (options.repairs && !copy)
        if (auto stored = store.open_bundle(bundle))
            copy = *std::move(stored);
    return std::unique_ptr<BundleFetch>(
        new BundleFetch(store, bundle, std::move(incoming), std::move(copy), client, trees, library_blocks, options));
}

TransferCounts BundleFetch::counts() const noexcept {
    TransferCounts sum;
    for (const TransferCounts& counts : {transfer_.counts(), tables_counts_, delta_.counts(), assets_.counts()}) {
        sum.received_bytes += counts.received_bytes;
        sum.requests += counts.requests;
    }
    return sum;
}

// ---- Tables ---------------------------------------------------------------------------------------------------------

Status BundleFetch::take_hint(const AnsweredTables& hint) {
    if (!hint.front.empty()) {
        delta_.offer(hint.front);
        return ok();
    }
    if (copy_tables_ || incoming_.file_bytes() || incoming_.held_bytes() != 0 ||
        hint.file_bytes > kReceivedFileBytesMax)
        return ok();
    HeadBytes head{};
    HeadBytes layout{};
    std::ranges::copy(hint.heads.first(head.size()), head.begin());
    std::ranges::copy(hint.heads.subspan(head.size(), layout.size()), layout.begin());
    const auto decoded_head = decode_head(head);
    const auto decoded_layout = decode_layout_head(layout);
    if (bundle_id(head) != id_ || !decoded_head || !decoded_layout ||
        !verify_sections(*decoded_head, id_, *decoded_layout, hint.file_bytes))
        return ok();
    const TableSections sections = table_sections(*decoded_head, *decoded_layout, hint.file_bytes);
    if (bytes_of(sections) > options_.tables_bytes_max || hint.tables.empty())
        return ok();
    FARDEL_TRY(incoming_.set_file_bytes(hint.file_bytes));
    FARDEL_TRY(incoming_.write(0, hint.heads));
    has_compressed_tables_ = true;
    return decode_tables(hint.tables, sections, incoming_);
}

Status BundleFetch::fetch_tables() { return fetch_tables_from(0); }

Status BundleFetch::fetch_tables_from(std::size_t first_round) {
    const std::size_t rounds = first_round + std::max<std::size_t>(servers_, kTableRoundsMin);
    for (std::size_t round = first_round;;) {
        transfer_.begin_round(round);
        policy_refuses_ = false;
        Status fetched = try_tables();
        if (fetched)
            return ok();
        const ErrorCode code = fetched.error().code();
        const bool had_compressed = std::exchange(has_compressed_tables_, false);
        const bool had_copy = std::exchange(copy_tables_, false);
        if (policy_refuses_) {
            // The policy has seen genuine tables: only the signatures may be better elsewhere.
            FARDEL_TRY(forget_signatures());
            if (!has_file_signatures_ || ++round < first_round + servers_)
                continue;
            return std::move(fetched).error().with_context(transfer_.first_url());
        }
        // Bytes that do not fit together may be right at another server, or without a cache on the way.
        const bool wrong = code == ErrorCode::corrupt || code == ErrorCode::malformed || code == ErrorCode::limit ||
                           (had_compressed && code == ErrorCode::unsupported);
        if (wrong)
            FARDEL_TRY(start_over());
        if (wrong && (had_compressed || had_copy || ++round < rounds))
            continue;
        Error error = std::move(fetched).error();
        // Nothing but the head is bound to the bundle id alone, so what does not decode may just as well be damage.
        if (error.code() == ErrorCode::malformed && round == rounds)
            error = Error(ErrorCode::corrupt, error.message());
        return std::move(error).with_context(transfer_.first_url());
    }
}

Status BundleFetch::start_over() { return has_blocks_ ? incoming_.restart() : incoming_.discard(); }

Status BundleFetch::forget_signatures() {
    const FileSection& trailer = sections_.back();
    return incoming_.forget(trailer.offset, trailer.length_bytes);
}

Status BundleFetch::open_others() {
    if (std::exchange(others_opened_, true) || options_.repairs || copy_)
        return ok();
    FARDEL_TRY_ASSIGN(others_, open_other_bundles(store_, options_.library, id_));
    FARDEL_TRY_ASSIGN(has_compressed_tables_, delta_.fetch_tables(others_, incoming_, options_.tables_bytes_max));
    return ok();
}

Status BundleFetch::try_tables() {
    FARDEL_TRY(open_others());
    FARDEL_TRY(fetch_heads());
    if (head_.manifest_bytes > options_.tables_bytes_max ||
        layout_.layout_bytes > options_.tables_bytes_max - head_.manifest_bytes)
        return Error(ErrorCode::limit, "its tables have " +
                                           std::to_string(head_.manifest_bytes + layout_.layout_bytes) +
                                           " bytes; at most " + std::to_string(options_.tables_bytes_max));
    sections_ = table_sections(head_, layout_, *incoming_.file_bytes());
    if (copy_tables_)
        for (const FileSection& section : sections_)
            FARDEL_TRY(copy_unproved(section.offset, section.length_bytes));
    FARDEL_TRY(fetch_compressed_tables());
    const FileSection& trailer = sections_.back();
    has_file_signatures_ = trailer.length_bytes == 0 || !incoming_.holds(trailer.offset, trailer.length_bytes);
    std::vector<FetchUnit> units;
    for (const FileSection& section : sections_)
        add_units(units, section.offset, section.length_bytes);
    std::ranges::sort(units, {}, &FetchUnit::offset);
    FARDEL_TRY(transfer_.run(make_requests(units), options_.stop, nullptr));
    return open_bundle();
}

Status BundleFetch::fetch_heads() {
    if (copy_tables_ && !incoming_.file_bytes()) {
        FARDEL_TRY(incoming_.set_file_bytes(copy_->size_bytes()));
        FARDEL_TRY(copy_unproved(0, kHeadsBytes));
    }
    std::vector<FetchUnit> units;
    add_units(units, 0, kHeadsBytes);
    FARDEL_TRY(transfer_.run(make_requests(units), options_.stop, nullptr));
    FARDEL_TRY_ASSIGN(const auto source, incoming_.source());
    HeadBytes head{};
    HeadBytes layout{};
    FARDEL_TRY(source->read_at(0, head));
    FARDEL_TRY(source->read_at(head.size(), layout));
    if (bundle_id(head) != id_)
        return Error(ErrorCode::corrupt, "the file on the server is another bundle, or none");
    FARDEL_TRY_ASSIGN(head_, decode_head(head));
    FARDEL_TRY_ASSIGN(layout_, decode_layout_head(layout));
    if (source->size_bytes() > kReceivedFileBytesMax)
        return Error(ErrorCode::limit, "the file has " + std::to_string(source->size_bytes()) + " bytes");
    return verify_sections(head_, id_, layout_, source->size_bytes());
}

// Does nothing if there is something of the tables already, from an earlier attempt.
Status BundleFetch::fetch_compressed_tables() {
    const std::vector<std::string> urls = std::exchange(tables_urls_, {});
    const std::uint64_t held_before = incoming_.held_bytes();
    std::vector<FetchUnit> missing;
    for (const FileSection& section : sections_)
        add_units(missing, section.offset, section.length_bytes);
    std::uint64_t missing_bytes = 0;
    for (const FetchUnit& unit : missing)
        missing_bytes += unit.length_bytes;
    if (missing_bytes == 0 || missing_bytes < bytes_of(sections_))
        return ok();
    Status fetched = fetch_tables_file(client_, urls, sections_, incoming_, options_.stop, tables_counts_);
    has_compressed_tables_ = incoming_.held_bytes() != held_before;
    return fetched;
}

void BundleFetch::add_units(std::vector<FetchUnit>& units, std::uint64_t offset, std::uint64_t length_bytes) const {
    for (std::uint64_t at = 0; at < length_bytes; at += kTableUnitBytes) {
        const std::uint64_t size = std::min(kTableUnitBytes, length_bytes - at);
        if (!incoming_.holds(offset + at, size))
            units.push_back({.offset = offset + at, .length_bytes = static_cast<std::uint32_t>(size)});
    }
}

Status BundleFetch::open_bundle() {
    FARDEL_TRY_ASSIGN(auto source, incoming_.source());
    auto opened = Bundle::open(std::move(source), {.policy = options_.policy, .time = options_.time});
    if (!opened) {
        policy_refuses_ = is_refusal(opened.error().code());
        return std::move(opened).error();
    }
    bundle_ = *std::move(opened);
    FARDEL_TRY(bundle_->verify_tables());
    FARDEL_TRY(verify_padding(*bundle_->source(), head_.tables, layout_.manifest_offset));
    return verify_padding(*bundle_->source(), layout_.tables, layout_.layout_offset);
}

// ---- Planning -------------------------------------------------------------------------------------------------------

Result<std::vector<BundleId>> BundleFetch::dependencies() const { return static_dependencies(*bundle_); }

Result<PlannedFetch> BundleFetch::plan() {
    PlannedFetch planned{.bundle = id_, .file_bytes = *incoming_.file_bytes()};
    for (const TrustedSigner& signer : bundle_->verdict().signers)
        planned.signers.push_back(signer.label);
    FARDEL_TRY_ASSIGN(planned.name, text_of(*bundle_, "name"));
    FARDEL_TRY_ASSIGN(planned.version, text_of(*bundle_, "version"));
    FARDEL_TRY_ASSIGN(planned.licence, text_of(*bundle_, "licence"));
    blocks_.clear();
    requests_.clear();
    FARDEL_TRY_ASSIGN(const std::vector<bool> wanted, chosen_blocks());
    std::unordered_set<std::uint64_t> unwanted;  // by stored offset
    for (std::uint32_t i = 0; i < bundle_->table_count(TableKind::blocks); ++i) {
        FARDEL_TRY_ASSIGN(const BlockRecord block, bundle_->block(i));
        blocks_.push_back(block);
        if (!wanted.empty() && !wanted[i])
            unwanted.insert(block.stored_offset);
    }
    std::ranges::sort(blocks_, {}, &BlockRecord::stored_offset);
    if (options_.repairs)
        FARDEL_TRY(forget_damaged_blocks());
    has_blocks_ = true;
    std::vector<bool> missing(blocks_.size(), false);
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const BlockRecord& block = blocks_[i];
        if (block.stored_offset < end || block.stored_bytes == 0 ||
            block.stored_offset + block.stored_bytes > layout_.blocks_bytes)
            return Error(ErrorCode::malformed, subject_of(id_) + ": a block is out of place");
        end = block.stored_offset + block.stored_bytes;
        const std::uint64_t offset = layout_.blocks_offset + block.stored_offset;
        if (incoming_.holds(offset, block.stored_bytes))
            continue;
        FARDEL_TRY_ASSIGN(bool has,
                          share_block(incoming_, library_blocks_, offset, block.stored_hash, block.stored_bytes));
        if (!has) {
            FARDEL_TRY_ASSIGN(has, copy_block(offset, block));
        }
        if (!has && unwanted.contains(block.stored_offset))
            planned.left_bytes += block.stored_bytes;
        else
            missing[i] = !has;
    }
    FARDEL_TRY_ASSIGN(const BlockChoice choice, use_others(missing));
    std::vector<FetchUnit> units;
    given_units_.clear();
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        if (missing[i])
            (choice.given[i] ? given_units_ : units)
                .push_back({.offset = layout_.blocks_offset + blocks_[i].stored_offset,
                            .length_bytes = blocks_[i].stored_bytes,
                            .hash = blocks_[i].stored_hash});
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
        FARDEL_TRY_ASSIGN(const Trace trace, fetch_trace(client_, trees_, id_, options_.stop, tables_counts_));
        FARDEL_TRY_ASSIGN(const auto blocks, blocks_in_order(*bundle_, trace));
        for (const std::uint32_t index : blocks) {
            FARDEL_TRY_ASSIGN(const BlockRecord block, bundle_->block(index));
            first.push_back(layout_.blocks_offset + block.stored_offset);
        }
    }
    requests_ = make_requests_in_order(units, first);
    return ok();
}

Result<std::vector<bool>> BundleFetch::chosen_blocks() const {
    std::vector<bool> wanted;
    if (!chosen_)
        return wanted;
    wanted.resize(static_cast<std::size_t>(bundle_->table_count(TableKind::blocks)));
    for (std::uint32_t i = 0; i < bundle_->asset_count(); ++i) {
        if (!(*chosen_)[i])
            continue;
        FARDEL_TRY_ASSIGN(const AssetBlocks run, blocks_of_asset(*bundle_, AssetIndex{i}));
        std::fill_n(wanted.begin() + run.first, run.count, true);
    }
    return wanted;
}

Result<BlockChoice> BundleFetch::use_others(std::vector<bool>& missing) {
    if (others_.empty() || std::ranges::find(missing, true) == missing.end())
        return BlockChoice{.given = std::vector<bool>(missing.size(), false)};
    FARDEL_TRY_ASSIGN(auto source, incoming_.source());
    FARDEL_TRY_ASSIGN(const auto target, Bundle::open(std::move(source), {}));
    std::vector<bool> held(missing.size());
    for (std::size_t i = 0; i < held.size(); ++i)
        held[i] = holds_block(blocks_[i]);
    FARDEL_TRY_ASSIGN(const std::uint32_t level, find_level_of_held(*target, held));
    const std::vector<bool> wanted = missing;
    const ReadPart read = [&](const AssetId& asset, const BlockPart& part, std::span<std::byte> out) {
        return read_held_part(others_, asset, part, out);
    };
    FARDEL_TRY(encode_content(*target, level, wanted, read, options_.stop,
                              [&](std::uint32_t index, std::span<const std::byte> stored) {
                                  missing[index] = false;
                                  return write_block(index, stored);
                              }));
    bool encodes = true;
    if (const auto of_delta = delta_.level()) {
        FARDEL_TRY_ASSIGN(encodes, may_encode_at(*target, held, *of_delta));
    }
    FARDEL_TRY_ASSIGN(BlockChoice choice, delta_.choose(bundle_, missing, encodes));
    std::vector<bool> rest = missing;
    for (std::size_t i = 0; i < rest.size(); ++i)
        rest[i] = rest[i] && !choice.given[i];
    FARDEL_TRY_ASSIGN(const BlockChoice single, assets_.choose(*bundle_, level, rest, others_));
    for (std::size_t i = 0; i < rest.size(); ++i)
        choice.given[i] = choice.given[i] || single.given[i];
    choice.fetch_bytes += single.fetch_bytes;
    choice.requests += single.requests;
    return choice;
}

bool BundleFetch::holds_block(const BlockRecord& block) const {
    return incoming_.holds(layout_.blocks_offset + block.stored_offset, block.stored_bytes);
}

Status BundleFetch::write_block(std::uint32_t index, std::span<const std::byte> stored) {
    FARDEL_TRY_ASSIGN(const BlockRecord block, bundle_->block(index));
    return incoming_.write(layout_.blocks_offset + block.stored_offset, stored);
}

// ---- Repairing ------------------------------------------------------------------------------------------------------

bool BundleFetch::is_intact() const noexcept {
    return was_whole_ && requests_.empty() && incoming_.file_bytes() &&
           incoming_.held_bytes() == *incoming_.file_bytes() && counts().received_bytes == 0;
}

Status BundleFetch::copy_unproved(std::uint64_t offset, std::uint64_t length_bytes) {
    std::vector<FetchUnit> units;
    add_units(units, offset, length_bytes);
    std::vector<std::byte> bytes;
    for (const FetchUnit& unit : units) {
        bytes.resize(unit.length_bytes);
        if (fits(unit.offset, unit.length_bytes, copy_->size_bytes()) && copy_->read_at(unit.offset, bytes))
            FARDEL_TRY(incoming_.write(unit.offset, bytes));
    }
    return ok();
}

Result<bool> BundleFetch::copy_block(std::uint64_t offset, const BlockRecord& block) {
    if (!copy_ || !fits(offset, block.stored_bytes, copy_->size_bytes()))
        return false;
    std::vector<std::byte> bytes(block.stored_bytes);
    if (!copy_->read_at(offset, bytes) || blake3(bytes) != block.stored_hash)
        return false;
    FARDEL_TRY(incoming_.write(offset, bytes));
    return true;
}

Status BundleFetch::forget_damaged_blocks() {
    FARDEL_TRY_ASSIGN(const auto source, incoming_.source());
    std::vector<std::byte> bytes;
    for (const BlockRecord& block : blocks_) {
        const std::uint64_t offset = layout_.blocks_offset + block.stored_offset;
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
    FARDEL_TRY(delta_.fetch_blocks(is_missing, take, report));
    before += delta_.counts().received_bytes - of_deltas;
    const std::uint64_t of_assets = assets_.counts().received_bytes;
    FARDEL_TRY(assets_.fetch_blocks(*bundle_, others_, is_missing, take, report));
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
    const LayoutId layout = bundle_->layout_id();
    const auto file_bytes = incoming_.file_bytes();
    while (layout_rounds_ < servers_) {
        transfer_.clear_misfit();
        FARDEL_TRY(incoming_.restart());
        tables_urls_ = all_tables_urls_;
        ++layout_rounds_;
        std::rotate(tables_urls_.begin(), tables_urls_.begin() + static_cast<std::ptrdiff_t>(layout_rounds_ % servers_),
                    tables_urls_.end());
        Status fetched = fetch_tables_from(layout_rounds_);
        if (!fetched && fetched.error().code() == ErrorCode::cancelled)
            return std::move(fetched).error();
        if (fetched && (bundle_->layout_id() != layout || incoming_.file_bytes() != file_bytes))
            return true;
    }
    return false;
}

// Writes the zeros between sections and blocks, which no one has to send.
Status BundleFetch::fill_padding() {
    std::vector<FileSection> sections(sections_.begin(), sections_.end());
    sections.push_back({0, kHeadsBytes});
    for (const BlockRecord& block : blocks_)
        sections.push_back({layout_.blocks_offset + block.stored_offset, block.stored_bytes});
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
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(std::move(source), {}));
    for (std::uint32_t i = 0; i < bundle->asset_count(); ++i) {
        if (!(*chosen_)[i])
            continue;
        if (options_.stop.stop_requested())
            return Error(ErrorCode::cancelled, "the transfer was stopped");
        Status verified = bundle->verify_asset(AssetIndex{i});
        if (!verified && verified.error().code() != ErrorCode::io) {
            FARDEL_TRY(incoming_.discard());
            return std::move(verified).error().with_context(subject_of(id_) + " is wrong in itself and was discarded");
        }
        FARDEL_TRY(std::move(verified));
    }
    return std::move(incoming_).commit(bundle_->layout_id());
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
    return std::move(incoming_).commit(bundle_->layout_id());
}

}  // namespace fardel
