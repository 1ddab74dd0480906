// Filters: changes of a block's bytes, each of which can be undone, that let a codec find more in samples, pixels and
// vertices. docs/bundle-format.md §7.
#pragma once

#include <fardel/format/manifest.h>

#include <cstddef>
#include <span>

namespace fardel {

// Fill `out`, which has as many bytes as the other and lies apart from it.
void apply_filter(Filter filter, std::span<const std::byte> raw, std::span<std::byte> out);
void undo_filter(Filter filter, std::span<const std::byte> filtered, std::span<std::byte> out);

// undo_filter as it is for processors without vectors. For tests, which compare the two.
void undo_filter_plainly(Filter filter, std::span<const std::byte> filtered, std::span<std::byte> out);

}  // namespace fardel
