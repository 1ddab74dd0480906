#include "fetch/tables_fetch.h"

#include "fetch/signature_fetch.h"
#include "transfer/server_faults.h"
#include "transfer/tree_urls.h"

#include <fardel/base/fits.h>
#include <fardel/base/free_space.h>
#include <fardel/delivery/tables_file.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/bundle_use.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kTableRoundsMin = 2;
constexpr std::size_t kLevelAlign = 64;

// Whether a policy refuses the signatures.
bool is_refusal(ErrorCode code) noexcept {
    return code == ErrorCode::untrusted || code == ErrorCode::revoked || code == ErrorCode::expired;
}

bool has_received_all(const FetchContext& context) {
    const std::uint64_t bytes_max = context.options.received_bytes_max;
    return bytes_max != 0 && context.client.counts().received_bytes > bytes_max;
}

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

}  // namespace

TablesFetch::TablesFetch(const FetchContext& context, const BundleId& bundle, UnitTransfer& transfer,
                         IncomingBundle& incoming, const DamagedCopy& copy)
    : context_(context),
      id_(bundle),
      transfer_(transfer),
      incoming_(incoming),
      copy_(copy),
      all_urls_(urls_of(context.trees, tables_path_of(bundle))),
      urls_(all_urls_),
      copy_tables_(copy.exists()),
      has_blocks_(incoming.held_bytes() != 0) {}

Status TablesFetch::fetch(bool is_given) {
    has_compressed_tables_ = is_given;
    return fetch_from(0);
}

Status TablesFetch::fetch_again_from(std::size_t server) {
    urls_ = all_urls_;
    std::rotate(urls_.begin(), urls_.begin() + static_cast<std::ptrdiff_t>(server % urls_.size()), urls_.end());
    return fetch_from(server);
}

Status TablesFetch::fetch_from(std::size_t first_round) {
    const std::size_t servers = context_.trees.size();
    const std::size_t rounds = first_round + std::max<std::size_t>(servers, kTableRoundsMin);
    std::vector<Error> faults;
    for (std::size_t round = first_round;;) {
        transfer_.begin_round(round);
        policy_refuses_ = false;
        Status fetched = attempt();
        if (fetched)
            return ok();
        // The policy has seen genuine tables, and what signatures the servers have.
        if (policy_refuses_)
            return std::move(fetched).error().with_context(transfer_.latest_url());
        const ErrorCode code = fetched.error().code();
        // More is not allowed: what has come is not to blame, and stays.
        if (code == ErrorCode::limit && has_received_all(context_))
            return fetched;
        const bool had_compressed = std::exchange(has_compressed_tables_, false);
        const bool had_copy = std::exchange(copy_tables_, false);
        // Bytes that do not fit together may be right at another server, or without a cache on the way.
        const bool wrong = code == ErrorCode::corrupt || code == ErrorCode::malformed || code == ErrorCode::limit ||
                           (had_compressed && code == ErrorCode::unsupported);
        if (wrong)
            FARDEL_TRY(start_over(had_compressed));
        if (wrong && (had_compressed || had_copy))
            continue;
        Error error = std::move(fetched).error();
        // Nothing but the head is bound to the bundle id alone, so what does not decode may just as well be damage.
        if (error.code() == ErrorCode::malformed && wrong)
            error = Error(ErrorCode::corrupt, error.message());
        // An error of a transfer names its servers. Otherwise some may have failed, and others sent what is wrong.
        std::vector<Error> all;
        if (!error.message().starts_with("http")) {
            if (wrong)
                context_.client.note_failure(transfer_.latest_url());
            error = std::move(error).with_context(transfer_.latest_url());
            all = transfer_.faults();
        }
        faults.push_back(std::move(error));
        if (wrong && ++round != rounds)
            continue;
        all.insert(all.end(), faults.begin(), faults.end());
        return join_faults(all);
    }
}

Status TablesFetch::start_over(bool had_compressed) {
    if (!has_blocks_)
        return incoming_.discard();
    if (had_compressed)
        FARDEL_TRY(discard_tables_file(layout_id_, incoming_));
    return incoming_.restart();
}

Status TablesFetch::attempt() {
    FARDEL_TRY(fetch_heads());
    const std::uint64_t bytes_max = context_.options.tables_bytes_max;
    if (!fits(head_.manifest_bytes, layout_.layout_bytes, bytes_max))
        return Error(ErrorCode::limit, "its tables have " +
                                           std::to_string(head_.manifest_bytes + layout_.layout_bytes) +
                                           " bytes; at most " + std::to_string(bytes_max));
    sections_ = table_sections(head_, layout_, *incoming_.file_bytes());
    // The first large write, before anybody has consented to the rest.
    FARDEL_TRY(verify_free_space(context_.store.path(), missing_table_bytes(), "the tables of bundle " + id_.hex()));
    if (copy_tables_)
        for (const FileSection& section : sections_)
            FARDEL_TRY(copy_.write_unproved(incoming_, section.offset, section.length_bytes));
    FARDEL_TRY(fetch_compressed_tables());
    std::vector<FetchUnit> units;
    for (const FileSection& section : sections_)
        add_missing_units(units, incoming_, section.offset, section.length_bytes);
    std::ranges::sort(units, {}, &FetchUnit::offset);
    FARDEL_TRY(transfer_.run(make_requests(units), context_.options.stop, nullptr));
    return open_bundle();
}

Status TablesFetch::fetch_heads() {
    if (copy_tables_ && !incoming_.file_bytes()) {
        FARDEL_TRY(incoming_.set_file_bytes(copy_.size_bytes()));
        FARDEL_TRY(copy_.write_unproved(incoming_, 0, kHeadsBytes));
    }
    std::vector<FetchUnit> units;
    add_missing_units(units, incoming_, 0, kHeadsBytes);
    FARDEL_TRY(transfer_.run(make_requests(units), context_.options.stop, nullptr));
    FARDEL_TRY_ASSIGN(const auto source, incoming_.source());
    HeadBytes head{};
    HeadBytes layout{};
    FARDEL_TRY(source->read_at(0, head));
    FARDEL_TRY(source->read_at(head.size(), layout));
    if (bundle_id(head) != id_)
        return Error(ErrorCode::corrupt, "the file on the server is another bundle, or none");
    FARDEL_TRY_ASSIGN(head_, decode_head(head));
    FARDEL_TRY_ASSIGN(layout_, decode_layout_head(layout));
    layout_id_ = layout_id(layout);
    if (source->size_bytes() > kReceivedFileBytesMax)
        return Error(ErrorCode::limit, "the file has " + std::to_string(source->size_bytes()) + " bytes");
    return verify_sections(head_, id_, layout_, source->size_bytes());
}

std::uint64_t TablesFetch::missing_table_bytes() const {
    std::vector<FetchUnit> missing;
    for (const FileSection& section : sections_)
        add_missing_units(missing, incoming_, section.offset, section.length_bytes);
    std::uint64_t bytes = 0;
    for (const FetchUnit& unit : missing)
        bytes += unit.length_bytes;
    return bytes;
}

Status TablesFetch::fetch_compressed_tables() {
    const std::vector<std::string> urls = std::exchange(urls_, {});
    const std::uint64_t missing_bytes = missing_table_bytes();
    FARDEL_TRY_ASSIGN(const bool is_begun, keeps_tables_file(layout_id_, incoming_));
    if (urls.empty() || missing_bytes == 0 || (missing_bytes < bytes_of(sections_) && !is_begun))
        return ok();
    FARDEL_TRY_ASSIGN(has_compressed_tables_, fetch_tables_file(context_.client, urls, layout_id_, sections_, incoming_,
                                                                context_.options.stop));
    return ok();
}

Status TablesFetch::open_bundle() {
    FARDEL_TRY_ASSIGN(auto source, incoming_.live_source());
    const FetchWork& work = context_.options.work;
    later_signatures_.clear();
    auto opened = Bundle::open(source, {.policy = work.policy.get(), .time = work.time});
    if (!opened && is_refusal(opened.error().code())) {
        FARDEL_TRY_ASSIGN(const auto here, Bundle::open(source, {}));
        FARDEL_TRY_ASSIGN(auto accepted, fetch_signatures(context_, *here, SignatureFiles::all));
        if (accepted) {
            opened = std::move(accepted->bundle);
            later_signatures_ = std::move(accepted->added);
        }
    }
    if (!opened) {
        policy_refuses_ = is_refusal(opened.error().code());
        return std::move(opened).error();
    }
    bundle_ = *std::move(opened);
    FARDEL_TRY(bundle_->verify_tables());
    FARDEL_TRY(verify_padding(*bundle_->source(), head_.tables, layout_.manifest_offset));
    FARDEL_TRY(verify_padding(*bundle_->source(), layout_.tables, layout_.layout_offset));
    // Now, because what a mount will refuse is not worth its content.
    return work.policy ? verify_use(*bundle_, work.policy.get(), work.time) : ok();
}

}  // namespace fardel
