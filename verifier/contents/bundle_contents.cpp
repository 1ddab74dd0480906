#include <fardel/base/fits.h>
#include <fardel/verifier/bundle_contents.h>

#include "findings/record_run.h"

#include <fardel/format/bundle_metadata.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>

namespace fardel {
namespace {

// Texts may be shared by any number of records; a real bundle's use a small part of this.
constexpr std::uint64_t kTextBytesMin = std::uint64_t{64} << 20;
constexpr std::uint64_t kTextBytesPerTableByte = 64;
constexpr TableKind kTablesWithTexts[] = {TableKind::assets,   TableKind::names,           TableKind::references,
                                          TableKind::tags,     TableKind::dependencies,    TableKind::consumes,
                                          TableKind::metadata, TableKind::creator_metadata};

Error bad_contents(const std::string& text) { return Error(ErrorCode::malformed, text); }

// A run that overlaps another would let a small bundle fill the memory.
Status verify_run(RecordRun& run, std::uint64_t first, std::uint64_t count, TableKind of, const std::string& whose) {
    if (run.add(first, count) == RunDefect::none)
        return ok();
    return bad_contents(whose + " claims records of " + std::string(table_name(of)) +
                        " that do not exist or that another record has");
}

class ContentsReader {
public:
    explicit ContentsReader(const Bundle& bundle)
        : bundle_(bundle),
          references_(bundle.table_count(TableKind::references)),
          pieces_(bundle.table_count(TableKind::pieces)),
          variants_(bundle.table_count(TableKind::variants)),
          tags_(bundle.table_count(TableKind::tags)) {
        std::uint64_t records = 0;
        for (const TableKind kind : kTablesWithTexts)
            records += bundle.table_count(kind);
        text_bytes_left_ = kTextBytesMin + kTextBytesPerTableByte * (records * sizeof(std::uint64_t));
    }

    Result<BundleContents> read() {
        FARDEL_TRY(read_blocks());
        FARDEL_TRY(read_dependencies());
        FARDEL_TRY(read_assets());
        FARDEL_TRY(read_names());
        FARDEL_TRY(read_consumes());
        FARDEL_TRY(read_metadata(TableKind::metadata));
        FARDEL_TRY(read_metadata(TableKind::creator_metadata));
        return std::move(out_);
    }

private:
    Result<std::string> text(StringRef ref) {
        FARDEL_TRY_ASSIGN(const std::string_view text, bundle_.string(ref));
        // A million records that share one long text would fill the memory.
        if (text.size() > text_bytes_left_)
            return Error(ErrorCode::limit, "its records repeat the same texts too often to be shown");
        text_bytes_left_ -= text.size();
        return std::string(text);
    }

    // No table has more than limits::kBlocksMax records.
    std::uint32_t count(TableKind kind) const { return static_cast<std::uint32_t>(bundle_.table_count(kind)); }

    Status read_blocks() {
        for (std::uint32_t i = 0; i < count(TableKind::blocks); ++i) {
            FARDEL_TRY_ASSIGN(const BlockRecord block, bundle_.block(i));
            out_.stored_bytes += block.stored_bytes;
            out_.blocks.push_back(block);
        }
        return ok();
    }

    Status read_dependencies() {
        for (std::uint32_t i = 0; i < count(TableKind::dependencies); ++i) {
            FARDEL_TRY_ASSIGN(const DependencyRecord record, bundle_.dependency(i));
            ContentDependency dependency;
            dependency.bundle = record.bundle;
            dependency.is_static = (record.flags & DependencyRecord::is_static) != 0;
            FARDEL_TRY_ASSIGN(dependency.name, text(record.name));
            FARDEL_TRY_ASSIGN(dependency.version, text(record.version));
            out_.dependencies.push_back(std::move(dependency));
        }
        return ok();
    }

    Status read_assets() {
        for (std::uint32_t i = 0; i < bundle_.asset_count(); ++i) {
            FARDEL_TRY_ASSIGN(const AssetRecord record, bundle_.asset(AssetIndex{i}));
            ContentAsset asset;
            asset.id = record.id;
            asset.raw_bytes = record.raw_bytes;
            FARDEL_TRY_ASSIGN(asset.content_type, text(record.content_type));
            FARDEL_TRY(read_placement(AssetIndex{i}, record, asset));
            FARDEL_TRY(read_references(record, asset));
            out_.raw_bytes += record.raw_bytes;
            out_.assets.push_back(std::move(asset));
        }
        return ok();
    }

    Status read_placement(AssetIndex index, const AssetRecord& record, ContentAsset& asset) {
        const std::uint64_t pieces = record.piece_count();
        if (pieces == 0)
            return ok();
        FARDEL_TRY_ASSIGN(const PlacementRecord placement, bundle_.placement(index));
        if (!fits(placement.first_block, pieces, out_.blocks.size()))
            return bad_contents("asset " + record.id.hex() + " lies in blocks that do not exist");
        asset.first_block = placement.first_block;
        if (pieces > 1) {
            for (std::uint64_t i = 0; i < pieces; ++i)
                asset.stored_bytes += out_.blocks[in_memory(placement.first_block + i)].stored_bytes;
            return read_pieces(record, pieces, asset);
        }
        const BlockRecord& block = out_.blocks[placement.first_block];
        if (!fits(placement.offset, record.raw_bytes, block.raw_bytes))
            return bad_contents("asset " + record.id.hex() + " does not fit into its block");
        const auto stored_until = [&](std::uint64_t raw) {
            return raw * block.stored_bytes / block.raw_bytes;
        };  // cannot overflow: both factors are little more than 2^18
        asset.stored_bytes = stored_until(placement.offset + record.raw_bytes) - stored_until(placement.offset);
        return ok();
    }

    Status read_pieces(const AssetRecord& record, std::uint64_t pieces, ContentAsset& asset) {
        FARDEL_TRY(verify_run(pieces_, record.piece_first, pieces, TableKind::pieces, "asset " + record.id.hex()));
        const std::uint64_t bytes = sizeof(Hash::bytes);
        FARDEL_TRY_ASSIGN(const auto hashes,
                          bundle_.table_bytes(TableKind::pieces, record.piece_first * bytes, pieces * bytes));
        asset.pieces.resize(in_memory(pieces));
        for (std::size_t i = 0; i < pieces; ++i)
            std::memcpy(asset.pieces[i].bytes.data(), hashes.data() + i * bytes, bytes);
        return ok();
    }

    Status read_references(const AssetRecord& record, ContentAsset& asset) {
        if (record.reference_count == 0)
            return ok();
        FARDEL_TRY(verify_run(references_, record.reference_first, record.reference_count, TableKind::references,
                              "asset " + record.id.hex()));
        for (std::uint32_t i = 0; i < record.reference_count; ++i) {
            FARDEL_TRY_ASSIGN(const ReferenceRecord found, bundle_.reference(record.reference_first + i));
            ContentReference reference;
            reference.kind = found.kind;
            reference.optional = (found.flags & ReferenceRecord::optional) != 0;
            FARDEL_TRY_ASSIGN(reference.spelling, text(found.spelling));
            FARDEL_TRY(read_target(found, reference));
            asset.references.push_back(std::move(reference));
        }
        return ok();
    }

    Status read_target(const ReferenceRecord& found, ContentReference& reference) {
        if (found.kind == ReferenceKind::internal) {
            FARDEL_TRY_ASSIGN(const AssetRecord target, bundle_.asset(AssetIndex{found.target}));
            reference.asset = target.id;
        } else if (found.kind == ReferenceKind::foreign) {
            FARDEL_TRY_ASSIGN(const ForeignAssetRecord target, bundle_.foreign_asset(found.target));
            if (target.dependency >= out_.dependencies.size())
                return bad_contents("a reference leads into a dependency that does not exist");
            reference.asset = target.id;
            reference.dependency = target.dependency;
        } else {
            FARDEL_TRY_ASSIGN(reference.name, text(found.target));
        }
        if ((found.flags & ReferenceRecord::named) != 0) {
            FARDEL_TRY_ASSIGN(reference.name, text(found.name));
        }
        return ok();
    }

    Status read_names() {
        for (std::uint32_t i = 0; i < bundle_.name_count(); ++i) {
            FARDEL_TRY_ASSIGN(const std::string_view spelled, bundle_.name_text(NameIndex{i}));
            if (Status good = verify_name(spelled); !good)
                return std::move(good).error().with_context("name " + std::to_string(i));
            FARDEL_TRY_ASSIGN(const NameRecord record, bundle_.name(NameIndex{i}));
            ContentName name;
            name.text = spelled;
            name.published = record.is(NameRecord::published);
            name.extends = record.is(NameRecord::extends);
            FARDEL_TRY(read_variants(record, name));
            out_.names.push_back(std::move(name));
        }
        return ok();
    }

    Status read_variants(const NameRecord& record, ContentName& name) {
        if (record.is(NameRecord::has_variants)) {
            FARDEL_TRY(verify_run(variants_, record.target, record.count, TableKind::variants,
                                  "\"" + printable(name.text) + "\""));
            for (std::uint32_t i = 0; i < record.count; ++i)
                FARDEL_TRY(read_variant(std::uint64_t{record.target} + i, name));
            return ok();
        }
        if (record.is(NameRecord::tombstone))
            return ok();
        ContentVariant variant;
        variant.asset = record.target;
        return add_variant(std::move(variant), name);
    }

    Status read_variant(std::uint64_t index, ContentName& name) {
        FARDEL_TRY_ASSIGN(const VariantRecord record, bundle_.variant(static_cast<std::uint32_t>(index)));
        ContentVariant variant;
        variant.asset = record.asset;
        if (record.tag_count != 0)
            FARDEL_TRY(verify_run(tags_, record.tag_first, record.tag_count, TableKind::tags,
                                  "a variant of \"" + printable(name.text) + "\""));
        for (std::uint32_t i = 0; i < record.tag_count; ++i) {
            FARDEL_TRY_ASSIGN(const TagRecord tag, bundle_.tag(record.tag_first + i));
            FARDEL_TRY_ASSIGN(std::string axis, text(tag.axis));
            FARDEL_TRY_ASSIGN(std::string value, text(tag.value));
            variant.tags.push_back({std::move(axis), std::move(value)});
        }
        return add_variant(std::move(variant), name);
    }

    Status add_variant(ContentVariant variant, ContentName& name) const {
        if (variant.asset >= out_.assets.size())
            return bad_contents("\"" + printable(name.text) + "\" leads to an asset that does not exist");
        name.variants.push_back(std::move(variant));
        return ok();
    }

    Status read_consumes() {
        for (std::uint32_t i = 0; i < count(TableKind::consumes); ++i) {
            FARDEL_TRY_ASSIGN(const ConsumeRecord record, bundle_.consume(i));
            FARDEL_TRY_ASSIGN(std::string spelled, text(record.text));
            out_.consumes.push_back({.text = std::move(spelled),
                                     .pattern = (record.flags & ConsumeRecord::pattern) != 0,
                                     .optional = (record.flags & ConsumeRecord::optional) != 0});
        }
        return ok();
    }

    Status read_metadata(TableKind kind) {
        const bool creator = kind == TableKind::creator_metadata;
        for (std::uint32_t i = 0; i < count(kind); ++i) {
            FARDEL_TRY_ASSIGN(const MetadataRecord record, creator ? bundle_.creator_metadata(i) : bundle_.metadata(i));
            if (record.subject != kBundleSubject && record.subject >= out_.assets.size())
                return bad_contents("metadata of an asset that does not exist");
            ContentMetadata entry;
            entry.creator = creator;
            FARDEL_TRY_ASSIGN(entry.key, text(record.key));
            FARDEL_TRY_ASSIGN(entry.value, metadata_value(bundle_, record));
            (record.subject == kBundleSubject ? out_.metadata : out_.assets[record.subject].metadata)
                .push_back(std::move(entry));
        }
        return ok();
    }

    const Bundle& bundle_;
    RecordRun references_;
    RecordRun pieces_;
    RecordRun variants_;
    RecordRun tags_;
    std::uint64_t text_bytes_left_ = 0;
    BundleContents out_;
};

}  // namespace

Result<BundleContents> read_contents(const Bundle& bundle) {
    auto contents = ContentsReader(bundle).read();
    if (!contents)
        return std::move(contents).error().with_context(bundle.label());
    return contents;
}

std::string format_tags(const ContentVariant& variant) {
    std::string text;
    for (const auto& [axis, value] : variant.tags)
        text += (text.empty() ? "" : " ") + axis + "=" + value;
    return text;
}

std::string format_value(const MetadataValue& value) {
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return std::to_string(*integer);
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "true" : "false";
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, std::get<double>(value)).ptr;
    return std::string(digits, end);
}

}  // namespace fardel
