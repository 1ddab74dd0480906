// Input: a trace. What is accepted is exactly what its values are formatted as, and merging it with itself changes
// nothing.
#include "require.h"

#include <fardel/format/name.h>
#include <fardel/format/trace.h>

#include <array>
#include <cstddef>
#include <cstdint>

using namespace fardel;

int fuzz_trace(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto trace = parse_trace(text);
    if (!trace)
        return 0;
    require(format_trace(*trace) == text);
    require(merge_traces(std::array{*trace, *trace}) == *trace);
    for (const TracedAsset& traced : *trace)
        require(traced.name.empty() || verify_name(traced.name));
    return 0;
}
