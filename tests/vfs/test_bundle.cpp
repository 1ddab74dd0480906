#include "test_bundle.h"

#include "kit/bundles.h"

#include <fardel/base/random.h>
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/envelope.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>

#include <array>
#include <cstring>

namespace fardel::tests {
namespace {

HeadBytes head_bytes(const Bytes& bundle, std::size_t offset) {
    HeadBytes out;
    std::memcpy(out.data(), bundle.data() + offset, out.size());
    return out;
}

LayoutHead layout_of(const Bytes& bundle) {
    return value_of(decode_layout_head(head_bytes(bundle, limits::kHeadBytes)));
}

// docs/bundle-format.md §3, for a table of one page.
Hash root_of_one_page(TableKind kind, std::span<const std::byte> records) {
    REQUIRE(records.size() <= limits::kPageBytes);
    std::array<std::byte, 32> key{};
    std::memcpy(key.data(), "FARDELPG", 8);
    key[8] = static_cast<std::byte>(static_cast<std::uint32_t>(kind));
    key[24] = static_cast<std::byte>(records.size() & 0xff);
    key[25] = static_cast<std::byte>(records.size() >> 8);
    return blake3_keyed(key, records);
}

std::byte flipped(std::byte value) { return value ^ std::byte{1}; }

}  // namespace

Hash random_hash() {
    Hash hash;
    fill_random(std::as_writable_bytes(std::span(hash.bytes)));
    return hash;
}

Author::Author() : policy_(TrustPolicy::make({}).value()) {
    signer_ = make_key_signer(SecretKey::generate());
    key_ = signer_->public_key();
    const PolicyKey author{.label = "author", .key = key_};
    auto policy = make_policy(std::span(&author, 1), {});
    REQUIRE(policy);
    policy_ = *std::move(policy);
}

Bytes Author::sign(Bytes bundle, std::string_view under, std::optional<UnixTime> expires) {
    Statement statement;
    statement.bundle = bundle_id(head_bytes(bundle, 0));
    statement.layouts = {layout_id(head_bytes(bundle, limits::kHeadBytes))};
    const auto opened = open_bundle(bundle, {.label = "test"});
    statement.name = under.empty() ? opened->find_bundle_text("name").value().value() : under;
    statement.version = opened->find_bundle_text("version").value().value_or("");
    statement.expires = expires;
    auto envelope = sign_statement(statement, *signer_);
    REQUIRE(envelope);
    auto encoded = encode_envelope(*envelope);
    REQUIRE(encoded);
    bundle.insert(bundle.end(), encoded->begin(), encoded->end());
    return bundle;
}

Bytes forge_content(Bytes bundle, std::string_view claimed_content, std::string_view true_content) {
    REQUIRE(claimed_content.size() == true_content.size());
    const Bytes needle = bytes_of(claimed_content);
    const auto found = std::search(bundle.begin(), bundle.end(), needle.begin(), needle.end());
    REQUIRE(found != bundle.end());
    const auto content_offset = static_cast<std::uint64_t>(found - bundle.begin());
    std::ranges::copy(bytes_of(true_content), found);

    LayoutHead layout = layout_of(bundle);
    const auto blocks = std::ranges::find(layout.tables, TableKind::blocks, &TableEntry::kind);
    REQUIRE(blocks != layout.tables.end());
    const std::span<std::byte> records =
        std::span(bundle).subspan(layout.layout_offset + blocks->offset, blocks->length_bytes);
    for (std::size_t at = 0; at < records.size(); at += blocks->record_bytes) {
        auto record = decode_record<BlockRecord>(records.subspan(at, blocks->record_bytes));
        REQUIRE(record);
        const std::uint64_t block_offset = layout.blocks_offset + record->stored_offset;
        if (content_offset < block_offset || content_offset >= block_offset + record->stored_bytes)
            continue;
        REQUIRE(record->codec == Codec::raw);
        record->stored_hash = blake3(std::span(bundle).subspan(block_offset, record->stored_bytes));
        Bytes encoded;
        encode_record(*record, encoded);
        std::ranges::copy(encoded, records.begin() + static_cast<std::ptrdiff_t>(at));
    }
    blocks->root = root_of_one_page(TableKind::blocks, records);
    std::ranges::copy(encode_layout_head(layout), bundle.begin() + limits::kHeadBytes);
    return bundle;
}

Bytes damage_content(Bytes bundle, const AssetId& asset) {
    const auto opened = open_bundle(bundle, {.label = "test"});
    const auto index = opened->find_asset(asset);
    REQUIRE(index);
    REQUIRE(index->has_value());
    const auto placement = opened->placement(**index);
    REQUIRE(placement);
    const auto block = opened->block(placement->first_block);
    REQUIRE(block);
    std::byte& victim = bundle[opened->layout_head().blocks_offset + block->stored_offset + block->stored_bytes / 2];
    victim = flipped(victim);
    return bundle;
}

Bytes damage_table(Bytes bundle, TableKind table) {
    const auto opened = open_bundle(bundle, {.label = "test"});
    const TableEntry* entry = opened->head().find(table);
    REQUIRE(entry != nullptr);
    for (std::uint64_t at = 0; at < entry->length_bytes; at += limits::kPageBytes) {
        std::byte& victim = bundle[opened->layout_head().manifest_offset + entry->offset + at];
        victim = flipped(victim);
    }
    return bundle;
}

Bytes rewrite_table(Bytes bundle, TableKind table, const std::function<void(std::span<std::byte>)>& change) {
    auto head = decode_head(head_bytes(bundle, 0));
    REQUIRE(head);
    LayoutHead layout = layout_of(bundle);
    const auto entry = std::ranges::find(head->tables, table, &TableEntry::kind);
    REQUIRE(entry != head->tables.end());
    const std::span<std::byte> records =
        std::span(bundle).subspan(layout.manifest_offset + entry->offset, entry->length_bytes);
    change(records);
    entry->root = root_of_one_page(table, records);
    const HeadBytes encoded = encode_head(*head);
    std::ranges::copy(encoded, bundle.begin());
    layout.bundle = bundle_id(encoded);
    std::ranges::copy(encode_layout_head(layout), bundle.begin() + limits::kHeadBytes);
    return bundle;
}

Bytes flood_name_buckets(Bytes bundle, std::uint64_t hash) {
    return rewrite_table(std::move(bundle), TableKind::name_buckets, [&](std::span<std::byte> records) {
        for (std::size_t at = 0; at < records.size(); at += 64) {
            NameBucketRecord bucket = decode_record<NameBucketRecord>(records.subspan(at, 64)).value();
            std::fill_n(bucket.hashes.begin(), bucket.used, static_cast<std::uint32_t>(hash >> 32));
            Bytes encoded;
            encode_record(bucket, encoded);
            std::ranges::copy(encoded, records.begin() + static_cast<std::ptrdiff_t>(at));
        }
    });
}

MountOptions unsigned_at(std::string mount_point, int priority) {
    return {.mount_point = std::move(mount_point), .priority = priority, .allow_unsigned = true};
}

MountId mount(Vfs& vfs, Bytes bundle, MountOptions options) {
    return value_of(vfs.mount(make_memory_source(std::move(bundle)), std::move(options)));
}

std::string content_at(const Vfs& vfs, std::string_view path) {
    const auto file = vfs.open(path);
    if (!file)
        return file.error().text();
    const auto content = file->read_all();
    if (!content)
        return content.error().text();
    return text_of(*content);
}

std::string content_at(std::shared_ptr<const ByteSource> bundle, std::string_view path) {
    Vfs vfs;
    const auto mounted = vfs.mount(std::move(bundle), unsigned_at());
    return mounted ? content_at(vfs, path) : mounted.error().text();
}

std::string listing_of(const Vfs& vfs, std::string_view path) {
    const auto entries = vfs.list(path);
    if (!entries)
        return entries.error().text();
    std::string out;
    for (const ListingEntry& entry : *entries) {
        out += out.empty() ? "" : " ";
        out += entry.name;
        out += entry.kind == NodeKind::folder ? "/" : entry.kind == NodeKind::link ? "@" : "";
    }
    return out;
}

std::string faults_of(const PureReport& report) {
    std::string out;
    for (const PureProblem& problem : report.problems())
        out += (out.empty() ? "" : " ") + std::string(pure_fault_text(problem.fault));
    return out;
}

}  // namespace fardel::tests
