// The table that a benchmark prints: work, Fardel's figure, a peer's, the ratio, the target.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fardel::bench {

struct Row {
    std::string work;
    double ours = 0;
    double peer = 0;   // 0: no peer
    std::string unit;  // "ms", "µs", "MB/s", …
    bool more_is_better = false;
    std::string peer_name;
    std::string target = {};       // as in docs/performance.md; may be empty
    std::string peer_absent = {};  // why a peer that should have a figure has none
};

class Table {
public:
    void add(Row row);  // prints at once, so that a long run shows its progress
    void heading(std::string_view text);
};

}  // namespace fardel::bench
