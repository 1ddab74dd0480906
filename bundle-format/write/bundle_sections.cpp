#include "bundle_sections.h"

#include "manifest_tables.h"
#include "resolved_plan.h"
#include "table_section.h"

#include <fardel/base/fits.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <cassert>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint64_t kLayoutHeadOffset = limits::kHeadBytes;

std::uint64_t align_section(std::uint64_t offset) { return align_up(offset, limits::kPageBytes); }

std::vector<CodecVersion> codecs_of(std::span<const BlockRecord> blocks) {
    std::set<Codec> used;
    for (const BlockRecord& block : blocks)
        used.insert(block.codec);
    std::vector<CodecVersion> codecs;
    for (const Codec codec : used)
        codecs.push_back({codec, 1});
    return codecs;
}

}  // namespace

std::uint64_t manifest_offset(std::uint64_t blocks_bytes) noexcept {
    return align_section(kBlocksOffset + blocks_bytes);
}

Result<WrittenHeads> write_sections(const BundlePlan& plan, std::span<const std::uint32_t> names_by_text,
                                    const StoredContent& content, StagedFile& file) {
    // The plan in terms of distinct assets, which are known now.
    FARDEL_TRY_ASSIGN(const ResolvedPlan resolved, resolve_plan(plan, content));

    WrittenHeads out;
    LayoutHead& layout = out.layout;
    layout.blocks_offset = kBlocksOffset;
    layout.blocks_bytes = content.blocks_bytes;
    layout.codecs = codecs_of(content.blocks);
    layout.manifest_offset = manifest_offset(layout.blocks_bytes);
    TableSection manifest(file, layout.manifest_offset, limits::kManifestBytesMax);
    FARDEL_TRY(write_manifest_tables(plan, names_by_text, content, resolved, manifest));
    layout.layout_offset = align_section(layout.manifest_offset + manifest.length_bytes());
    TableSection layout_tables(file, layout.layout_offset, limits::kLayoutBytesMax);
    FARDEL_TRY(write_layout_tables(content, layout_tables));
    layout.layout_bytes = layout_tables.length_bytes();
    layout.tables = layout_tables.entries();
    layout.trailer_offset = align_section(layout.layout_offset + layout.layout_bytes);
    FARDEL_TRY(file.resize(layout.trailer_offset));

    // The heads come last: until then the file is not a bundle.
    out.head.manifest_bytes = manifest.length_bytes();
    out.head.tables = manifest.entries();
    const HeadBytes head_bytes = encode_head(out.head);
    layout.bundle = bundle_id(head_bytes);
    const HeadBytes layout_bytes = encode_layout_head(layout);
    out.layout_id = layout_id(layout_bytes);
    assert(verify_sections(out.head, layout.bundle, layout, layout.trailer_offset));
    FARDEL_TRY(file.write_at(kLayoutHeadOffset, layout_bytes));
    FARDEL_TRY(file.write_at(0, head_bytes));
    return out;
}

}  // namespace fardel
