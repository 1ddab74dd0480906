// The choice between the variants of a name, made by one pure function.
#pragma once

#include <fardel/format/tag.h>
#include <fardel/vfs/vfs_path.h>

#include <cstddef>
#include <span>

namespace fardel {

// The tags of a variant: axis, value; an axis at most once.
using VariantTags = TagViews;

// The index of the best of `variants`, which is not empty. The first axis of the preference ranks them: variants with a
// wanted value by that value's position in the list; then variants without the axis, which suit every preference; last
// variants with another value. The next axis ranks those that are equal so far. Of the best the first is returned.
std::size_t choose_variant(std::span<const VariantTags> variants, const VariantPreference& preference);

}  // namespace fardel
