#include "bundle_input.h"

#include "bundle_forge/bundle_forge.h"

#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace fardel::sweep {
namespace {

using forge::Draft;

constexpr std::uint8_t kAuthorSeed = 1;
constexpr std::uint8_t kRegistrySeed = 2;
constexpr std::uint8_t kAttackerSeed = 9;

std::span<const std::byte, limits::kHeadBytes> head_at(const Bytes& bytes, std::size_t at) {
    return std::span<const std::byte, limits::kHeadBytes>(bytes.data() + at, limits::kHeadBytes);
}

// ---- Bytes of a good bundle → its tables ----------------------------------------------------------------------------

class DraftReader {
public:
    DraftReader(const Bytes& bytes, std::span<const TableEntry> tables, std::uint64_t section)
        : bytes_(bytes), tables_(tables), section_(section) {}

    Bytes records(TableKind kind) const {
        const auto entry = std::ranges::find(tables_, kind, &TableEntry::kind);
        if (entry == tables_.end())
            return {};
        const auto at = bytes_.begin() + static_cast<std::ptrdiff_t>(section_ + entry->offset);
        return {at, at + static_cast<std::ptrdiff_t>(entry->length_bytes)};
    }

    template <class Record>
    void read(TableKind kind, std::vector<Record>& out) const {
        const Bytes all = records(kind);
        for (std::size_t at = 0; at < all.size(); at += record_bytes(kind)) {
            const auto record = std::span(all).subspan(at, record_bytes(kind));
            if constexpr (std::is_same_v<Record, std::uint32_t>)
                out.push_back(
                    std::to_integer<std::uint32_t>(record[0]) | std::to_integer<std::uint32_t>(record[1]) << 8 |
                    std::to_integer<std::uint32_t>(record[2]) << 16 | std::to_integer<std::uint32_t>(record[3]) << 24);
            else if constexpr (std::is_same_v<Record, Hash>)
                std::ranges::transform(record, out.emplace_back().bytes.begin(), std::to_integer<std::uint8_t>);
            else
                out.push_back(decode_record<Record>(record).value());
        }
    }

private:
    const Bytes& bytes_;
    std::span<const TableEntry> tables_;
    std::uint64_t section_;
};

Draft draft_of(const Bytes& bytes) {
    using enum TableKind;
    const BundleHead head = decode_head(head_at(bytes, 0)).value();
    const LayoutHead layout = decode_layout_head(head_at(bytes, limits::kHeadBytes)).value();
    Draft draft;
    const DraftReader manifest(bytes, head.tables, layout.manifest_offset);
    draft.strings = manifest.records(strings);
    manifest.read(assets, draft.assets);
    manifest.read(asset_buckets, draft.asset_buckets);
    manifest.read(names, draft.names);
    manifest.read(name_buckets, draft.name_buckets);
    manifest.read(name_filters, draft.name_filters);
    manifest.read(pieces, draft.pieces);
    manifest.read(variants, draft.variants);
    manifest.read(tags, draft.tags);
    manifest.read(references, draft.references);
    manifest.read(foreign_assets, draft.foreign_assets);
    manifest.read(consumes, draft.consumes);
    manifest.read(dependencies, draft.dependencies);
    manifest.read(metadata, draft.metadata);
    manifest.read(creator_metadata, draft.creator_metadata);
    const DraftReader stored(bytes, layout.tables, layout.layout_offset);
    stored.read(placements, draft.placements);
    stored.read(blocks, draft.blocks);
    const auto section = bytes.begin() + static_cast<std::ptrdiff_t>(layout.blocks_offset);
    draft.block_section.assign(section, section + static_cast<std::ptrdiff_t>(layout.blocks_bytes));
    draft.codecs = layout.codecs;
    return draft;
}

// ---- What an author of bundles can change ---------------------------------------------------------------------------

class Mutation {
public:
    Mutation(Draft& draft, Random& random, std::vector<std::string>& changes)
        : draft_(draft), random_(random), changes_(changes) {}

    void run() {
        // Changes of values come first: they compute look-up tables, which needs good string references.
        const std::size_t values = random_.below(3);
        for (std::size_t i = 0; i < values; ++i)
            change_value();
        const std::size_t blocks = random_.below(2);
        for (std::size_t i = 0; i < blocks; ++i)
            change_block();
        const std::size_t tables = values + blocks == 0 ? 1 + random_.below(4) : random_.below(2);
        for (std::size_t i = 0; i < tables; ++i)
            change_table();
        if (random_.once_in(8))
            change_head();
        if (random_.once_in(8))
            change_layout_head();
        install_edits();
    }

private:
    void done(std::string what) { changes_.push_back(std::move(what)); }

    // ---- Values

    void change_value() {
        const std::string text = hostile_text(random_).substr(0, 60'000);
        switch (random_.below(9)) {
            case 0: return rename(text);
            case 1: return change_reference(text);
            case 2: return add_consumes(text);
            case 3: return change_dependency(text);
            case 4: return change_metadata(text);
            case 5: return share_runs();
            case 6: return change_tags(text);
            case 7: return change_size();
            default: return publish_all();
        }
    }

    void rename(const std::string& text) {
        if (draft_.names.empty())
            return;
        NameRecord& name = random_.pick(draft_.names);
        name.text = draft_.add_string(text);
        if (random_.once_in(2))
            std::ranges::sort(draft_.names, {}, &NameRecord::text);  // strings are in order, so names are
        draft_.index_again();
        done("a name is \"" + text + "\"");
    }

    void change_reference(const std::string& text) {
        if (draft_.references.empty() || draft_.assets.empty())
            return;
        ReferenceRecord& reference = random_.pick(draft_.references);
        if (random_.once_in(2)) {  // to an asset of this bundle, often the one that refers: a cycle
            reference = {.spelling = reference.spelling,
                         .kind = ReferenceKind::internal,
                         .target = static_cast<std::uint32_t>(random_.below(draft_.assets.size()))};
            return done("a reference leads into a cycle");
        }
        const StringRef added = draft_.add_string(text);
        ReferenceRecord& again = random_.pick(draft_.references);
        again.spelling = added;
        if (again.kind == ReferenceKind::dynamic)
            again.target = added;
        done("a reference is \"" + text + "\"");
    }

    void add_consumes(const std::string& text) {
        static const std::array kCounts = std::to_array<std::size_t>({1, 50, 1000, 5000});
        const std::size_t count = random_.pick(kCounts);
        std::vector<std::string> texts{text};
        for (std::size_t i = 1; i < count; ++i)
            texts.push_back("**/*" + std::to_string(i) + (random_.once_in(2) ? "*?*?*" : "/**"));
        std::ranges::sort(texts);
        // The others are appended, out of order, because a rebuilt table for each would be slow.
        const StringRef first = draft_.add_string(texts.front());
        draft_.consumes.assign(1, {first, ConsumeRecord::pattern});
        for (std::size_t i = 1; i < texts.size(); ++i) {
            const auto at = static_cast<StringRef>(draft_.strings.size());
            draft_.strings.push_back(static_cast<std::byte>(texts[i].size() & 0xff));
            draft_.strings.push_back(static_cast<std::byte>(texts[i].size() >> 8));
            const Bytes chars = tests::bytes_of(texts[i]);
            draft_.strings.insert(draft_.strings.end(), chars.begin(), chars.end());
            draft_.consumes.push_back({at, ConsumeRecord::pattern | (random_.once_in(2) ? 1u : 0u)});
        }
        done(std::to_string(count) + " consumed patterns");
    }

    void change_dependency(const std::string& text) {
        DependencyRecord record;
        for (std::uint8_t& byte : record.bundle.bytes)
            byte = static_cast<std::uint8_t>(random_.next());
        record.name = draft_.add_string(text);
        record.version = record.name;
        record.flags = random_.once_in(2) ? 1 : 0;
        draft_.dependencies.push_back(record);
        done("a dependency is called \"" + text + "\"");
    }

    void change_metadata(const std::string& text) {
        static const auto kKeys = std::to_array<std::string_view>({"name", "version", "licence", "origin", "expires"});
        const std::string_view key = random_.pick(kKeys);
        const StringRef value = draft_.add_string(text);
        draft_.metadata.push_back(
            {.subject = kBundleSubject, .key = value, .kind = MetadataKind::text, .value = value});
        const StringRef added = draft_.add_string(key);  // keeps the text, because a record uses it now
        MetadataRecord record = draft_.metadata.back();
        draft_.metadata.pop_back();
        record.key = added;
        record.kind = static_cast<MetadataKind>(1 + random_.below(4));
        if (record.kind != MetadataKind::text)
            record.value = hostile_number(random_, 1, 1);
        const auto same = std::ranges::find_if(draft_.metadata, [&](const MetadataRecord& at) {
            return at.subject == record.subject && at.key == record.key;
        });
        if (same != draft_.metadata.end())
            *same = record;
        else
            draft_.metadata.push_back(record);
        done("metadata of the bundle: \"" + text + "\"");
    }

    // Many assets claim the same references, pieces or metadata.
    void share_runs() {
        const std::size_t what = random_.below(4);
        for (AssetRecord& asset : draft_.assets) {
            if (what == 0) {
                asset.reference_first = 0;
                asset.reference_count = static_cast<std::uint32_t>(draft_.references.size());
            } else if (what == 1) {
                asset.metadata_first = 0;
            } else if (what == 2 && asset.piece_count() > 1) {
                asset.piece_first = 0;
            }
        }
        if (what == 3)
            for (NameRecord& name : draft_.names)
                if (name.is(NameRecord::has_variants)) {
                    name.target = 0;
                    name.count = static_cast<std::uint16_t>(draft_.variants.size());
                }
        done("records claim the same ranges");
    }

    void change_tags(const std::string& text) {
        if (draft_.tags.empty())
            return;
        const StringRef added = draft_.add_string(text);
        TagRecord& tag = random_.pick(draft_.tags);
        (random_.once_in(2) ? tag.axis : tag.value) = added;
        done("a tag is \"" + text + "\"");
    }

    void change_size() {
        if (draft_.assets.empty())
            return;
        AssetRecord& asset = random_.pick(draft_.assets);
        asset.raw_bytes = random_.once_in(2) ? std::uint64_t{1} << 46 : hostile_number(random_, asset.raw_bytes, 65536);
        if (asset.piece_count() > 1 && asset.piece_first == kNoIndex)
            asset.piece_first = 0;
        done("an asset has " + std::to_string(asset.raw_bytes) + " bytes");
    }

    void publish_all() {
        for (NameRecord& name : draft_.names)
            name.flags |= NameRecord::published;
        done("every name is published");
    }

    // ---- Blocks: the stored hash is always right

    void change_block() {
        if (draft_.blocks.empty())
            return;
        const auto index = static_cast<std::uint32_t>(random_.below(draft_.blocks.size()));
        const BlockRecord block = draft_.blocks[index];
        const auto from = draft_.block_section.begin() + static_cast<std::ptrdiff_t>(block.stored_offset);
        Bytes stored(from, from + block.stored_bytes);
        Codec codec = block.codec;
        const std::byte seven{7};
        switch (random_.below(10)) {
            case 0:  // other content of the right size: only the comparison with the manifest finds it
                if (codec == Codec::raw)
                    stored[random_.below(stored.size())] ^= std::byte{1};
                else
                    stored = forge::rle_frame(seven, block.raw_bytes);
                done("a block has other content");
                break;
            case 1:
                codec = Codec::zstd;
                stored = forge::rle_frame(seven, block.raw_bytes);
                done("a block is a frame of one byte");
                break;
            case 2:
                codec = Codec::zstd;
                stored =
                    forge::rle_frame(seven, static_cast<std::size_t>(hostile_number(random_, block.raw_bytes, 70'000) %
                                                                     (std::size_t{1} << 24)));
                done("a frame has another length");
                break;
            case 3:
                codec = Codec::zstd;
                stored = tests::noise(random_.below(300) + 1, random_.next());
                done("a frame is noise");
                break;
            case 4:
                codec = Codec::zstd;
                stored = forge::rle_frame(seven, block.raw_bytes);
                for (std::size_t i = 1 + random_.below(3); i > 0; --i)
                    damage(stored, random_);
                done("a frame is damaged");
                break;
            case 5: {
                codec = Codec::zstd;
                const Bytes frame = forge::rle_frame(seven, block.raw_bytes);
                stored = frame;
                stored.insert(stored.end(), frame.begin(), frame.end());
                done("two frames in one block");
                break;
            }
            case 6:
                codec = codec == Codec::raw ? Codec::zstd : Codec::raw;
                done("a block has the other codec");
                break;
            case 7:
                draft_.blocks[index].raw_bytes =
                    static_cast<std::uint32_t>(hostile_number(random_, block.raw_bytes, 65'536));
                done("a block has another raw size");
                break;
            case 8: {  // bytes behind a piece: in a view they would lie where the next piece belongs
                codec = Codec::raw;
                const Bytes more = tests::noise(random_.once_in(2) ? 4096 : random_.below(5000), random_.next());
                stored.insert(stored.end(), more.begin(), more.end());
                draft_.blocks[index].raw_bytes = static_cast<std::uint32_t>(stored.size());
                done("a block has more bytes");
                break;
            }
            default:
                damage(stored, random_);
                done("a block is damaged");
                break;
        }
        if (stored.empty())
            stored.push_back(seven);
        draft_.store_block(index, std::move(stored), codec);
        if (std::ranges::find(draft_.codecs, codec, &CodecVersion::codec) == draft_.codecs.end()) {
            draft_.codecs.push_back({codec, 1});
            std::ranges::sort(draft_.codecs, {}, &CodecVersion::codec);
        }
    }

    // ---- Tables and heads

    void change_table() {
        const TableTraits& table = random_.pick(kTables);
        edits_[table.kind].push_back(random_.next());
        done("table " + std::string(table.name) + " is changed");
    }

    void install_edits() {
        draft_.edit_table = [edits = std::move(edits_)](TableKind kind, Bytes& records) {
            const auto found = edits.find(kind);
            if (found == edits.end())
                return;
            for (const std::uint64_t seed : found->second) {
                Random random(seed);
                if (kind == TableKind::strings && !records.empty())
                    damage(records, random);
                else
                    change_records(records, record_bytes(kind), random);
            }
        };
    }

    void change_head() {
        draft_.edit_head = [seed = random_.next()](BundleHead& head) {
            Random random(seed);
            if (head.tables.empty())
                return;
            TableEntry& entry = random.pick(head.tables);
            switch (random.below(6)) {
                case 0: entry.count = hostile_number(random, entry.count, entry.count); break;
                case 1: entry.length_bytes = hostile_number(random, entry.length_bytes, 4096); break;
                case 2: entry.offset = hostile_number(random, entry.offset, 4096); break;
                case 3: head.manifest_bytes = hostile_number(random, head.manifest_bytes, 4096); break;
                case 4: std::swap(entry.root, random.pick(head.tables).root); break;
                default: head.optional_flags = random.next(); break;
            }
        };
        done("the head is changed");
    }

    void change_layout_head() {
        draft_.edit_layout_head = [seed = random_.next()](LayoutHead& head) {
            Random random(seed);
            std::uint64_t* const fields[] = {&head.blocks_offset, &head.blocks_bytes, &head.manifest_offset,
                                             &head.layout_offset, &head.layout_bytes, &head.trailer_offset,
                                             &head.optional_flags};
            std::uint64_t& field = *random.pick(fields);
            if (random.once_in(2))
                field = *random.pick(fields);
            else
                field = hostile_number(random, field, 4096) & ~std::uint64_t{random.once_in(2) ? 4095u : 0u};
        };
        done("the layout head is changed");
    }

    Draft& draft_;
    Random& random_;
    std::vector<std::string>& changes_;
    std::map<TableKind, std::vector<std::uint64_t>> edits_;  // seeds of the changes of each table
};

// ---- Signatures -----------------------------------------------------------------------------------------------------

std::string text_of_metadata(const Draft& draft, std::string_view key) {
    const auto text = [&](std::uint64_t at) -> std::string {
        if (at + 2 > draft.strings.size())
            return {};
        const auto size =
            std::to_integer<std::size_t>(draft.strings[at]) | std::to_integer<std::size_t>(draft.strings[at + 1]) << 8;
        if (at + 2 + size > draft.strings.size())
            return {};
        return tests::text_of(std::span(draft.strings).subspan(static_cast<std::size_t>(at) + 2, size));
    };
    for (const MetadataRecord& record : draft.metadata)
        if (record.subject == kBundleSubject && record.kind == MetadataKind::text && text(record.key) == key)
            return text(record.value);
    return {};
}

void append_bytes(Bytes& out, const Result<std::vector<std::byte>>& envelope) {
    if (envelope)
        out.insert(out.end(), envelope->begin(), envelope->end());
}

void sign_bundle(forge::ForgedBundle& bundle, const Draft& draft, SignedBy who, Random& random) {
    const auto signer = make_key_signer(forge::test_key(who == SignedBy::author ? kAuthorSeed : kAttackerSeed));
    Statement statement = forge::statement_about(bundle, text_of_metadata(draft, "name"));
    statement.version = text_of_metadata(draft, "version");
    if (who == SignedBy::attacker && random.once_in(3))
        statement.author = forge::test_key(kAuthorSeed).public_key();  // replaced by the key that signs
    const auto envelope = sign_statement(statement, *signer);
    if (!envelope)
        return;  // the name is none that a statement can have
    append_bytes(bundle.bytes, encode_envelope(*envelope));
    if (who == SignedBy::attacker && random.once_in(2)) {  // the author's key, and a signature that it never made
        Envelope lie = *envelope;
        lie.signatures.front().key = forge::test_key(kAuthorSeed).public_key();
        append_bytes(bundle.bytes, encode_envelope(lie));
    }
    const auto registry = make_key_signer(forge::test_key(who == SignedBy::author ? kRegistrySeed : kAttackerSeed));
    CountersignRequest request;
    request.created = {1'700'000'100};
    if (const auto counter = countersign(*envelope, request, *registry))
        append_bytes(bundle.bytes, encode_envelope(*counter));
}

}  // namespace

std::string author_policy() {
    return "fardel-trust 1\nkey author " + forge::test_key(kAuthorSeed).public_key().hex() +
           "\nallow ** author=1:author\n";
}

BundleInput make_bundle_input(const Bytes& base, Random& random) {
    BundleInput input;
    Draft draft = draft_of(base);
    const bool changed = !random.once_in(20);
    if (changed)
        Mutation(draft, random, input.changes).run();
    forge::ForgedBundle bundle = forge::forge(draft);
    const std::size_t signature = random.below(4);
    input.signed_by = signature == 0 ? SignedBy::nobody : signature == 3 ? SignedBy::attacker : SignedBy::author;
    if (input.signed_by != SignedBy::nobody)
        sign_bundle(bundle, draft, input.signed_by, random);
    input.bytes = std::move(bundle.bytes);
    if (changed && random.once_in(8)) {
        const std::size_t trailer = static_cast<std::size_t>(bundle.layout_head.trailer_offset);
        if (random.once_in(2) || trailer >= input.bytes.size()) {
            damage(input.bytes, random);
            input.changes.push_back("the file is damaged");
        } else {
            Bytes tail(input.bytes.begin() + static_cast<std::ptrdiff_t>(trailer), input.bytes.end());
            damage(tail, random);
            input.bytes.resize(trailer);
            input.bytes.insert(input.bytes.end(), tail.begin(), tail.end());
            input.changes.push_back("the trailer is damaged");
        }
    }
    return input;
}

}  // namespace fardel::sweep
