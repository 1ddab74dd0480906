// The choice between the variants of a name, made by one pure function.
#pragma once

#include <fardel/format/tag.h>
#include <fardel/vfs/vfs_path.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace fardel {

// The tags of a variant: axis, value; an axis at most once.
using VariantTags = TagViews;

// A metric of a variant's asset: "triangles" of the metadata "metric.triangles".
struct VariantMetric {
    std::string_view name;
    double value = 0;
};

// What a preference judges a variant by.
struct VariantTraits {
    VariantTags tags;
    std::vector<VariantMetric> metrics;  // those that the preference bounds
};

// The index of the best of `variants`, which is not empty. The first item of the preference ranks them. An axis: first
// variants with a wanted value, by that value's position in the list; then variants without the axis, which suit every
// preference; last variants with another value. A bound of a metric: first what is within it, the greatest first; then
// variants without the metric; last what is beyond it, the smallest first. The next item ranks those that are equal so
// far. Of the best the first is returned.
std::size_t choose_variant(std::span<const VariantTraits> variants, const VariantPreference& preference);

}  // namespace fardel
