// Strings: the table of all texts of a bundle, and who uses which of them.
#pragma once

#include "table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class Strings {
public:
    // Walks the table once: each string whole, UTF-8, strictly after the one before. `table` must outlive this.
    Strings(const Table& table, Findings& findings);

    // The text at `ref`; nothing where no string begins there or its bytes are not known.
    std::optional<std::string_view> find(std::uint64_t ref) const noexcept;

    // The same for a record that refers to it: it is used now, and a finding if no string begins there.
    std::optional<std::string_view> use(std::uint64_t ref, TableKind table, std::uint64_t record,
                                        std::string_view field, Findings& findings);

    // A finding for each string that nobody has used. Call it when every record of the bundle has been seen.
    void check_all_used(Findings& findings) const;

private:
    std::optional<std::string_view> text_at(std::uint64_t offset) const noexcept;

    const Table& table_;
    std::vector<bool> starts_;  // one a byte; empty where the walk could not see the whole table
    std::vector<bool> used_;
};

// Printable and in quotes, for texts of findings; long ones are cut.
std::string quoted(std::string_view untrusted);

}  // namespace fardel
