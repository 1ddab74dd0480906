// Recipe → Draft: builds the canonical tables in the simplest way.
#include "bundle_forge.h"

#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace fardel::forge {
namespace {

constexpr std::size_t kSharedBytesMax = 65536;
constexpr std::uint64_t kAlign = 4096;

// The string table of a draft: each text is stored once, as a u16 length and its bytes.
class TextTable {
public:
    void add(std::string_view text) { texts_.emplace(text, 0); }
    Bytes seal() {
        Bytes bytes;
        for (auto& [text, offset] : texts_) {
            offset = static_cast<StringRef>(bytes.size());
            bytes.push_back(static_cast<std::byte>(text.size() & 0xff));
            bytes.push_back(static_cast<std::byte>(text.size() >> 8));
            const Bytes chars = bytes_of(text);
            bytes.insert(bytes.end(), chars.begin(), chars.end());
        }
        return bytes;
    }
    StringRef at(std::string_view text) const { return texts_.at(std::string(text)); }

private:
    std::map<std::string, StringRef> texts_;
};

std::string text_at(const Bytes& strings, std::uint64_t ref) {
    const auto length =
        std::to_integer<std::size_t>(strings.at(ref)) | std::to_integer<std::size_t>(strings.at(ref + 1)) << 8;
    std::string text;
    for (std::size_t i = 0; i < length; ++i)
        text.push_back(static_cast<char>(strings.at(ref + 2 + i)));
    return text;
}

// Calls `visit` with a modifiable reference to every StringRef.
template <class Visit>
void visit_refs(Draft& draft, const Visit& visit) {
    for (auto& asset : draft.assets)
        visit(asset.content_type);
    for (auto& name : draft.names)
        visit(name.text);
    for (auto& bucket : draft.name_buckets)
        for (std::size_t i = 0; i < bucket.used; ++i)
            visit(bucket.texts[i]);
    for (auto& tag : draft.tags) {
        visit(tag.axis);
        visit(tag.value);
    }
    for (auto& reference : draft.references) {
        visit(reference.spelling);
        if (reference.kind == ReferenceKind::dynamic)
            visit(reference.target);
        if ((reference.flags & ReferenceRecord::named) != 0)
            visit(reference.name);
    }
    for (auto& consume : draft.consumes)
        visit(consume.text);
    for (auto& dependency : draft.dependencies) {
        visit(dependency.name);
        visit(dependency.version);
    }
    for (auto* metadata : {&draft.metadata, &draft.creator_metadata})
        for (auto& record : *metadata) {
            visit(record.key);
            if (record.kind == MetadataKind::text)
                visit(record.value);
        }
}

class DraftMaker {
public:
    explicit DraftMaker(const Recipe& recipe) : recipe_(recipe) {
        gather_texts();
        draft_.strings = texts_.seal();
        make_assets();
        make_names();
        make_references();
        make_rest();
        store();
        draft_.index_again();
    }
    Draft take() { return std::move(draft_); }

private:
    void gather_metadata(const Metadata& metadata) {
        for (const auto& [key, value] : metadata) {
            texts_.add(key);
            if (const auto* text = std::get_if<std::string>(&value))
                texts_.add(*text);
        }
    }

    void gather_texts() {
        for (const Asset& asset : recipe_.assets) {
            texts_.add(asset.content_type);
            gather_metadata(asset.metadata);
            gather_metadata(asset.creator_metadata);
            for (const Reference& reference : asset.references) {
                texts_.add(reference.spelling);
                if (const auto* dynamic = std::get_if<Reference::Dynamic>(&reference.target))
                    texts_.add(dynamic->name);
            }
        }
        for (const Name& name : recipe_.names) {
            texts_.add(name.text);
            for (const Variant& variant : name.variants)
                for (const auto& [axis, value] : variant.tags) {
                    texts_.add(axis);
                    texts_.add(value);
                }
        }
        for (const Consume& consume : recipe_.consumes)
            texts_.add(consume.text);
        for (const Dependency& dependency : recipe_.dependencies) {
            texts_.add(dependency.name);
            texts_.add(dependency.version);
        }
        gather_metadata(recipe_.metadata);
        gather_metadata(recipe_.creator_metadata);
    }

    // A recipe contains each content once.
    void make_assets() {
        std::vector<AssetId> ids;
        for (const Asset& asset : recipe_.assets)
            ids.push_back(id_from<AssetId>(blake3(asset.bytes)));
        order_.resize(ids.size());
        std::iota(order_.begin(), order_.end(), 0u);
        std::ranges::sort(order_, {}, [&](std::uint32_t i) { return ids[i]; });
        position_.resize(ids.size());
        for (std::uint32_t i = 0; i < order_.size(); ++i) {
            const Asset& asset = recipe_.assets[order_[i]];
            position_[order_[i]] = i;
            AssetRecord record;
            record.id = ids[order_[i]];
            record.raw_bytes = asset.bytes.size();
            record.content_type = texts_.at(asset.content_type);
            record.piece_log2 = asset.streamed ? limits::kStreamBlockLog2 : limits::kBlockLog2;
            if (record.piece_count() > 1) {
                record.piece_first = static_cast<std::uint32_t>(draft_.pieces.size());
                for (std::uint64_t at = 0; at < record.raw_bytes; at += std::uint64_t{1} << record.piece_log2)
                    draft_.pieces.push_back(blake3(piece(asset, record, at)));
            }
            draft_.assets.push_back(record);
        }
    }

    static std::span<const std::byte> piece(const Asset& asset, const AssetRecord& record, std::uint64_t at) {
        return std::span(asset.bytes)
            .subspan(at, std::min(std::uint64_t{1} << record.piece_log2, record.raw_bytes - at));
    }

    void make_names() {
        std::vector<const Name*> names;
        for (const Name& name : recipe_.names)
            names.push_back(&name);
        std::ranges::sort(names, {}, &Name::text);
        for (const Name* name : names) {
            NameRecord record;
            record.text = texts_.at(name->text);
            unsigned flags = name->published ? 1u : 0u;
            if (name->variants.empty())
                flags |= NameRecord::tombstone;
            else if (name->variants.size() == 1 && name->variants[0].tags.empty() && !name->extends)
                record.target = position_[name->variants[0].asset];
            else {
                flags |= NameRecord::has_variants | (name->extends ? unsigned{NameRecord::extends} : 0u);
                record.target = static_cast<std::uint32_t>(draft_.variants.size());
                record.count = static_cast<std::uint16_t>(name->variants.size());
                for (const Variant& variant : name->variants)
                    make_variant(variant);
            }
            record.flags = static_cast<std::uint16_t>(flags);
            draft_.names.push_back(record);
        }
    }

    void make_variant(const Variant& variant) {
        auto tags = variant.tags;
        std::ranges::sort(tags);
        const auto first = tags.empty() ? 0 : static_cast<std::uint32_t>(draft_.tags.size());
        draft_.variants.push_back({position_[variant.asset], static_cast<std::uint32_t>(draft_.names.size()), first,
                                   static_cast<std::uint16_t>(tags.size())});
        for (const auto& [axis, value] : tags)
            draft_.tags.push_back({texts_.at(axis), texts_.at(value)});
    }

    void make_references() {
        std::set<std::pair<AssetId, std::uint32_t>> foreign;
        for (const Asset& asset : recipe_.assets)
            for (const Reference& reference : asset.references)
                if (const auto* target = std::get_if<Reference::Foreign>(&reference.target))
                    foreign.emplace(target->asset, target->dependency);
        for (const auto& [id, dependency] : foreign)
            draft_.foreign_assets.push_back({id, dependency});
        for (std::uint32_t i = 0; i < order_.size(); ++i) {
            auto references = recipe_.assets[order_[i]].references;
            std::ranges::sort(references, {}, &Reference::spelling);
            AssetRecord& asset = draft_.assets[i];
            asset.reference_first = references.empty() ? 0 : static_cast<std::uint32_t>(draft_.references.size());
            asset.reference_count = static_cast<std::uint32_t>(references.size());
            for (const Reference& reference : references)
                draft_.references.push_back(make_reference(reference));
        }
    }

    ReferenceRecord make_reference(const Reference& reference) const {
        ReferenceRecord record;
        record.spelling = texts_.at(reference.spelling);
        record.flags = reference.optional ? 1 : 0;
        if (const auto* internal = std::get_if<Reference::Internal>(&reference.target)) {
            record.kind = ReferenceKind::internal;
            record.target = position_[internal->asset];
        } else if (const auto* foreign = std::get_if<Reference::Foreign>(&reference.target)) {
            record.kind = ReferenceKind::foreign;
            const auto at = std::ranges::find(draft_.foreign_assets, foreign->asset, &ForeignAssetRecord::id);
            record.target = static_cast<std::uint32_t>(at - draft_.foreign_assets.begin());
        } else {
            record.kind = ReferenceKind::dynamic;
            record.target = texts_.at(std::get<Reference::Dynamic>(reference.target).name);
        }
        return record;
    }

    void append_metadata(Metadata metadata, std::uint32_t subject, std::vector<MetadataRecord>& out) const {
        std::ranges::sort(metadata, {}, &Metadata::value_type::first);
        for (const auto& [key, value] : metadata) {
            MetadataRecord record;
            record.subject = subject;
            record.key = texts_.at(key);
            record.kind = static_cast<MetadataKind>(value.index() + 1);
            if (const auto* text = std::get_if<std::string>(&value))
                record.value = texts_.at(*text);
            else if (const auto* number = std::get_if<double>(&value))
                record.value = std::bit_cast<std::uint64_t>(*number);
            else if (const auto* integer = std::get_if<std::int64_t>(&value))
                record.value = static_cast<std::uint64_t>(*integer);
            else
                record.value = std::get<bool>(value) ? 1 : 0;
            out.push_back(record);
        }
    }

    void make_rest() {
        auto consumes = recipe_.consumes;
        std::ranges::sort(consumes, {}, &Consume::text);
        for (const Consume& consume : consumes)
            draft_.consumes.push_back(
                {texts_.at(consume.text), (consume.optional ? 1u : 0u) | (consume.pattern ? 2u : 0u)});
        for (const Dependency& dependency : recipe_.dependencies)
            draft_.dependencies.push_back({dependency.bundle, texts_.at(dependency.name), texts_.at(dependency.version),
                                           dependency.is_static ? 1u : 0u});
        for (std::uint32_t i = 0; i < order_.size(); ++i) {
            const Asset& asset = recipe_.assets[order_[i]];
            if (!asset.metadata.empty())
                draft_.assets[i].metadata_first = static_cast<std::uint32_t>(draft_.metadata.size());
            append_metadata(asset.metadata, i, draft_.metadata);
            append_metadata(asset.creator_metadata, i, draft_.creator_metadata);
        }
        append_metadata(recipe_.metadata, kBundleSubject, draft_.metadata);
        append_metadata(recipe_.creator_metadata, kBundleSubject, draft_.creator_metadata);
    }

    void store() {
        draft_.placements.resize(order_.size());
        Bytes shared;
        const auto close = [&] {
            if (!shared.empty())
                put(std::exchange(shared, {}), false);
        };
        for (std::uint32_t a = 0; a < recipe_.assets.size(); ++a) {
            const Asset& asset = recipe_.assets[a];
            const AssetRecord& record = draft_.assets[position_[a]];
            PlacementRecord& placement = draft_.placements[position_[a]];
            if (asset.bytes.empty())
                continue;
            if (record.piece_count() > 1 || asset.bytes.size() > kSharedBytesMax) {
                close();
                placement.first_block = static_cast<std::uint32_t>(draft_.blocks.size());
                for (std::uint64_t at = 0; at < record.raw_bytes; at += std::uint64_t{1} << record.piece_log2) {
                    const auto bytes = piece(asset, record, at);
                    put(Bytes(bytes.begin(), bytes.end()), record.piece_count() > 1);
                }
                continue;
            }
            if (shared.size() + asset.bytes.size() > kSharedBytesMax)
                close();
            placement = {static_cast<std::uint32_t>(draft_.blocks.size()), static_cast<std::uint32_t>(shared.size())};
            shared.insert(shared.end(), asset.bytes.begin(), asset.bytes.end());
        }
        close();
    }

    void put(const Bytes& raw, bool is_piece) {
        const bool flat = raw.size() > 64 && std::ranges::adjacent_find(raw, std::ranges::not_equal_to()) == raw.end();
        const Bytes stored = flat ? rle_frame(raw.front(), raw.size()) : raw;
        if (!flat && is_piece && raw.size() >= kAlign)
            draft_.block_section.resize((draft_.block_section.size() + kAlign - 1) / kAlign * kAlign);
        BlockRecord block;
        block.stored_hash = blake3(stored);
        block.stored_offset = draft_.block_section.size();
        block.stored_bytes = static_cast<std::uint32_t>(stored.size());
        block.raw_bytes = static_cast<std::uint32_t>(raw.size());
        block.codec = flat ? Codec::zstd : Codec::raw;
        draft_.blocks.push_back(block);
        draft_.block_section.insert(draft_.block_section.end(), stored.begin(), stored.end());
        if (std::ranges::find(draft_.codecs, block.codec, &CodecVersion::codec) == draft_.codecs.end())
            draft_.codecs.push_back({block.codec, 1});
        std::ranges::sort(draft_.codecs, {}, &CodecVersion::codec);
    }

    const Recipe& recipe_;
    TextTable texts_;
    Draft draft_;
    std::vector<std::uint32_t> order_;     // record → asset of the recipe
    std::vector<std::uint32_t> position_;  // asset of the recipe → record
};

template <class KeyOf>
std::vector<std::uint32_t> buckets_of(std::size_t count, std::uint64_t load, const KeyOf& key_of) {
    if (count == 0)
        return {};
    int bits = 0;
    while (count > load << bits)
        ++bits;
    std::vector<std::uint32_t> buckets((std::size_t{1} << bits) + 1);
    for (std::size_t i = 0; i < count; ++i)
        ++buckets[1 + (bits == 0 ? 0 : key_of(i) >> (64 - bits))];
    std::partial_sum(buckets.begin(), buckets.end(), buckets.begin());
    return buckets;
}

std::uint64_t leading_bits(const AssetId& id) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 8; ++i)
        bits = bits << 8 | id.bytes[i];
    return bits;
}

}  // namespace

Draft draft(const Recipe& recipe) { return DraftMaker(recipe).take(); }

StringRef Draft::ref(std::string_view text) const {
    for (std::uint64_t at = 0; at < strings.size();) {
        const std::string here = text_at(strings, at);
        if (here == text)
            return static_cast<StringRef>(at);
        at += 2 + here.size();
    }
    std::abort();
}

std::uint32_t Draft::asset_with(std::span<const std::byte> bytes) const {
    const auto at = std::ranges::find(assets, id_from<AssetId>(blake3(bytes)), &AssetRecord::id);
    if (at == assets.end())
        std::abort();
    return static_cast<std::uint32_t>(at - assets.begin());
}

std::uint32_t Draft::name_with(std::string_view text) const {
    const auto at = std::ranges::find(names, ref(text), &NameRecord::text);
    if (at == names.end())
        std::abort();
    return static_cast<std::uint32_t>(at - names.begin());
}

StringRef Draft::add_string(std::string_view text) {
    TextTable texts;
    texts.add(text);
    visit_refs(*this, [&](auto& ref) { texts.add(text_at(strings, ref)); });
    const Bytes before = std::exchange(strings, texts.seal());
    visit_refs(*this, [&](auto& ref) { ref = texts.at(text_at(before, ref)); });
    return texts.at(text);
}

void Draft::index_again() {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> hashed;
    for (std::uint32_t i = 0; i < names.size(); ++i)
        hashed.emplace_back(name_hash(text_at(strings, names[i].text)), i);
    std::ranges::sort(hashed);
    const std::uint64_t homes = (2 * hashed.size() + 6) / 7;
    std::size_t words = hashed.empty() ? 0 : 1;
    while (4 * words < hashed.size())
        words *= 2;
    name_buckets.assign(homes, {});
    name_filters.assign(words, 0);
    std::uint64_t at = 0;
    for (const auto& [hash, name] : hashed) {
        at = std::max(at, (hash >> 32) * homes >> 32);
        if (name_buckets[at].used == 5) {
            name_buckets[at++].spills = 1;
            if (at == name_buckets.size())
                name_buckets.emplace_back();
        }
        NameBucketRecord& bucket = name_buckets[at];
        bucket.hashes[bucket.used] = static_cast<std::uint32_t>(hash >> 32);
        bucket.texts[bucket.used] = names[name].text;
        bucket.names[bucket.used++] = name;
        name_filters[words == 1 ? 0 : hash >> (64 - std::countr_zero(words))] |= 1u << hash % 32 | 1u << hash / 32 % 32;
    }
    asset_buckets = buckets_of(assets.size(), 2, [&](std::size_t i) { return leading_bits(assets[i].id); });
}

void Draft::store_block(std::uint32_t index, Bytes stored, Codec codec) {
    const Bytes before = std::exchange(block_section, {});
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
        BlockRecord& block = blocks[i];
        Bytes bytes(before.begin() + static_cast<std::ptrdiff_t>(block.stored_offset),
                    before.begin() + static_cast<std::ptrdiff_t>(block.stored_offset + block.stored_bytes));
        const bool aligned = block.stored_offset % kAlign == 0 && i != 0 && block.codec == Codec::raw;
        if (i == index) {
            bytes = std::move(stored);
            block.codec = codec;
            block.stored_bytes = static_cast<std::uint32_t>(bytes.size());
            block.stored_hash = blake3(bytes);
        }
        if (aligned)
            block_section.resize((block_section.size() + kAlign - 1) / kAlign * kAlign);
        block.stored_offset = block_section.size();
        block_section.insert(block_section.end(), bytes.begin(), bytes.end());
    }
}

}  // namespace fardel::forge
