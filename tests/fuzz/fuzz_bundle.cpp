// Input: a byte whose lowest bit means "signed", then parts of a bundle: the kind of a table, or 0 for the block
// section; a length (16 bits, little-endian); that many bytes. Parts of one kind are joined. The target forges them
// into a bundle in which every hash of pages, heads and stored blocks is correct, so that no hash protects the reader,
// and reads all of it. The reader can read every bundle that the verifier accepts. First, the raw input is opened as a
// file.
#include "bundle_forge/bundle_forge.h"
#include "require.h"

#include <fardel/format/bundle.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/name_buckets.h>
#include <fardel/verifier/verify_bundle.h>

#include <algorithm>
#include <cstdint>
#include <map>

using namespace fardel;

namespace {

constexpr std::uint64_t kReadMax = 1 << 18;
constexpr UnixTime kNow{1'750'000'000};

// ---- Input → bundle

struct Parts {
    bool is_signed = false;
    std::map<std::uint32_t, forge::Bytes> tables;  // by kind
    forge::Bytes blocks;                           // the section
};

Parts split(std::span<const std::byte> input) {
    Parts parts;
    if (input.empty())
        return parts;
    parts.is_signed = (input[0] & std::byte{1}) != std::byte{0};
    input = input.subspan(1);
    while (input.size() >= 3) {
        const auto kind = std::to_integer<std::uint32_t>(input[0]);
        const auto length = std::to_integer<std::size_t>(input[1]) | std::to_integer<std::size_t>(input[2]) << 8;
        input = input.subspan(3);
        const auto part = input.first(std::min(length, input.size()));
        input = input.subspan(part.size());
        if (kind != 0 && record_bytes(TableKind{kind}) == 0)
            continue;
        forge::Bytes& out = kind == 0 ? parts.blocks : parts.tables[kind];
        out.insert(out.end(), part.begin(), part.end());
    }
    return parts;
}

// Resizes the tables whose size follows from another table: otherwise hardly any bundle would open.
void fit_sizes(Parts& parts) {
    const auto count = [&](TableKind kind) {
        return parts.tables[static_cast<std::uint32_t>(kind)].size() / record_bytes(kind);
    };
    const auto resize = [&](TableKind kind, std::size_t records) {
        parts.tables[static_cast<std::uint32_t>(kind)].resize(records * record_bytes(kind));
    };
    const auto asset_bucket_records = [](std::size_t assets) {
        std::size_t buckets = 1;
        while (assets > 2 * buckets)
            buckets *= 2;
        return assets == 0 ? 0 : buckets + 1;
    };
    for (auto& [kind, bytes] : parts.tables)
        bytes.resize(bytes.size() / record_bytes(TableKind{kind}) * record_bytes(TableKind{kind}));
    using enum TableKind;
    resize(asset_buckets, asset_bucket_records(count(assets)));
    resize(placements, count(assets));
    const std::size_t homes = home_buckets(count(names));
    resize(name_buckets,
           std::clamp<std::size_t>(count(name_buckets), homes, homes == 0 ? 0 : homes + limits::kNameSpillMax));
    resize(name_filters, filter_words(count(names)));
}

// Sets the hash of each block inside the section to that of its stored bytes.
void fit_hashes(Parts& parts, forge::Draft& draft) {
    forge::Bytes& records = parts.tables[static_cast<std::uint32_t>(TableKind::blocks)];
    bool used[2] = {};
    for (std::size_t at = 0; at < records.size(); at += 64) {
        auto block = decode_record<BlockRecord>(std::span(records).subspan(at, 64));
        if (!block || block->stored_offset > parts.blocks.size() ||
            block->stored_bytes > parts.blocks.size() - block->stored_offset)
            continue;
        block->stored_hash = blake3(std::span(parts.blocks).subspan(block->stored_offset, block->stored_bytes));
        forge::Bytes again;
        encode_record(*block, again);
        std::ranges::copy(again, records.begin() + static_cast<std::ptrdiff_t>(at));
        used[static_cast<std::size_t>(block->codec)] = true;
        draft.blocks.push_back(*block);  // counted in a statement
    }
    for (std::uint16_t codec = 0; codec < 2; ++codec)
        if (used[codec])
            draft.codecs.push_back({Codec{codec}, 1});
}

forge::ForgedBundle forged(Parts parts) {
    forge::Draft draft;
    fit_sizes(parts);
    fit_hashes(parts, draft);
    const forge::Bytes& assets = parts.tables[static_cast<std::uint32_t>(TableKind::assets)];
    for (std::size_t at = 0; at < assets.size(); at += 64)
        if (const auto asset = decode_record<AssetRecord>(std::span(assets).subspan(at, 64)))
            draft.assets.push_back(*asset);  // counted in a statement
    draft.block_section = parts.blocks;
    draft.edit_table = [&](TableKind kind, forge::Bytes& bytes) {
        bytes = parts.tables[static_cast<std::uint32_t>(kind)];
    };
    forge::ForgedBundle bundle = forge::forge(draft);
    if (parts.is_signed)
        forge::sign(bundle);
    return bundle;
}

// ---- Bundle → everything in it

// Requires that a failure has one of the error codes that bad bytes may cause. `untrusted` is one for a signed bundle:
// its statement may give another name or version than the manifest.
template <class T>
bool had(const Result<T>& result, bool is_signed = false) {
    if (result)
        return true;
    const ErrorCode code = result.error().code();
    require((is_signed && code == ErrorCode::untrusted) || code == ErrorCode::malformed || code == ErrorCode::corrupt ||
            code == ErrorCode::limit || code == ErrorCode::unsupported || code == ErrorCode::missing);
    return false;
}

void read_names(const Bundle& bundle) {
    for (std::uint32_t i = 0; i < bundle.name_count(); ++i) {
        const auto name = bundle.name(NameIndex{i});
        if (!had(name))
            continue;
        if (const auto text = bundle.string(name->text); had(text)) {
            (void)had(bundle.find_name(*text, CaseRule::exact));
            (void)had(bundle.find_name(*text, CaseRule::fold));
            (void)had(bundle.lower_bound_name(*text));
        }
        (void)had(bundle.default_asset(*name));
        for (std::uint32_t v = 0; v < name->count; ++v) {
            const auto variant = bundle.variant(name->target + v);
            if (!had(variant))
                break;
            for (std::uint32_t t = 0; t < variant->tag_count; ++t)
                if (const auto tag = bundle.tag(variant->tag_first + t); had(tag))
                    (void)(had(bundle.string(tag->axis)) && had(bundle.string(tag->value)));
        }
    }
}

void read_assets(const Bundle& bundle) {
    std::byte few[3];
    for (std::uint32_t i = 0; i < bundle.asset_count(); ++i) {
        const auto asset = bundle.asset(AssetIndex{i});
        if (!had(asset))
            continue;
        (void)had(bundle.find_asset(asset->id));
        const auto bytes = bundle.read_all(AssetIndex{i}, kReadMax);
        if (had(bytes)) {
            require(bytes->size() == asset->raw_bytes);
            // The bytes of an asset of one piece were compared with its id, whoever signed the layout.
            if (asset->piece_count() == 1)
                require(id_from<AssetId>(blake3(*bytes)) == asset->id);
        }
        if (const std::uint64_t size = asset->raw_bytes; size > sizeof few)
            for (const std::uint64_t offset : {size - sizeof few, size / 2, std::uint64_t{65534} % (size - sizeof few)})
                if (bundle.read_at(AssetIndex{i}, offset, few) && had(bytes))
                    require(std::ranges::equal(few, std::span(*bytes).subspan(offset, sizeof few)));
    }
}

void read_other_tables(const Bundle& bundle) {
    const auto each = [&](TableKind kind, const auto& read) {
        for (std::uint32_t i = 0; i < bundle.table_count(kind); ++i)
            read(i);
    };
    using enum TableKind;
    each(references, [&](std::uint32_t i) {
        if (const auto record = bundle.reference(i); had(record))
            (void)had(bundle.string(record->spelling));
    });
    each(consumes, [&](std::uint32_t i) {
        if (const auto record = bundle.consume(i); had(record))
            (void)had(bundle.string(record->text));
    });
    each(dependencies, [&](std::uint32_t i) {
        if (const auto record = bundle.dependency(i); had(record))
            (void)(had(bundle.string(record->name)) && had(bundle.string(record->version)));
    });
    each(metadata, [&](std::uint32_t i) {
        if (const auto record = bundle.metadata(i); had(record))
            (void)had(bundle.string(record->key));
    });
    each(creator_metadata, [&](std::uint32_t i) { (void)had(bundle.creator_metadata(i)); });
    each(foreign_assets, [&](std::uint32_t i) { (void)had(bundle.foreign_asset(i)); });
    each(blocks, [&](std::uint32_t i) { (void)had(bundle.block(i)); });
    (void)had(bundle.find_bundle_text("name"));
}

// Requires everything that a bundle without findings of the verifier guarantees.
void require_readable(const Bundle& bundle) {
    for (std::uint32_t i = 0; i < bundle.asset_count(); ++i) {
        const auto asset = bundle.asset(AssetIndex{i});
        require(asset && bundle.verify_asset(AssetIndex{i}));
        const auto found = bundle.find_asset(asset->id);
        require(found && *found == AssetIndex{i});
    }
    for (std::uint32_t i = 0; i < bundle.name_count(); ++i) {
        const auto text = bundle.name_text(NameIndex{i});
        require(text && verify_name(*text));
        const auto found = bundle.find_name(*text);
        const auto first = bundle.lower_bound_name(*text);
        require(found && *found == NameIndex{i} && first && *first == NameIndex{i});
    }
}

}  // namespace

int fuzz_bundle(const std::uint8_t* data, std::size_t size) {
    const auto input = std::as_bytes(std::span(data, size));
    if (const auto bundle = Bundle::open(make_memory_source({input.begin(), input.end()}), {}); had(bundle))
        read_assets(**bundle);

    static const TrustPolicy policy = forge::test_policy();
    const Parts parts = split(input);
    const auto source = make_memory_source(forged(parts).bytes);
    BundleOptions options;
    options.policy = parts.is_signed ? &policy : nullptr;
    options.time = TrustTime::at(kNow);
    const auto bundle = Bundle::open(source, options);
    if (had(bundle, parts.is_signed)) {
        require((*bundle)->verdict().layout_signed == parts.is_signed);
        read_names(**bundle);
        read_assets(**bundle);
        read_other_tables(**bundle);
    }

    VerifyOptions verify;
    verify.policy = options.policy;
    verify.time = TrustTime::at(kNow);
    verify.jobs = 1;
    const auto report = verify_bundle(source, verify);
    require(report.has_value());
    if (report->good()) {
        require(bundle.has_value());
        require_readable(**bundle);
    }
    return 0;
}
