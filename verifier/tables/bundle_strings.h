// BundleStrings: the table of all texts of a bundle, and which of them are used.
#pragma once

#include "checked_tables.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class BundleStrings {
public:
    // Walks the table of strings once and checks that each string is whole, UTF-8 and greater than the one before.
    // `tables` must outlive this object.
    BundleStrings(const CheckedTables& tables, VerifyFindings& findings);

    // Returns the text at `ref`; nothing if no string begins there or its bytes are unknown.
    std::optional<std::string_view> find(std::uint64_t ref) const noexcept;

    // Returns the text of a record of the names table.
    std::optional<std::string_view> find_name(std::uint64_t name) const;
    // Does the same for a record that refers to the text, and marks the text as used. Adds a finding if no string
    // begins there.
    std::optional<std::string_view> use(std::uint64_t ref, TableKind table, std::uint64_t record,
                                        std::string_view field, VerifyFindings& findings);

    // Adds a finding for each unused string. Call it after use() was called for every record of the bundle.
    void check_all_used(VerifyFindings& findings) const;

private:
    std::optional<std::string_view> text_at(std::uint64_t offset) const noexcept;

    const CheckedTables& tables_;
    const CheckedTable& table_;  // of the strings
    std::vector<bool> starts_;   // per byte; empty if the table is not whole
    std::vector<bool> used_;
};

// For texts of findings: printable, in quotes, shortened if long.
std::string quoted(std::string_view untrusted);

}  // namespace fardel
