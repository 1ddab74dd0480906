#include "checks.h"

#include <fardel/format/name.h>

#include <utility>

namespace fardel {
namespace {

// What is wrong with one record of the index; empty if nothing.
std::string defect_of(const NameIndexRecord& entry, const Tables& tables, const Strings& texts) {
    if (entry.name >= tables.count(TableKind::names))
        return "it leads to name " + std::to_string(entry.name) + "; the bundle has " +
               std::to_string(tables.count(TableKind::names));
    const auto name = tables.find<NameRecord>(entry.name);
    if (!name)
        return "";
    if (entry.text != name->text)
        return "it says that the text of name " + std::to_string(entry.name) + " is at byte " +
               std::to_string(entry.text) + "; it is at " + std::to_string(name->text);
    const auto text = texts.find(name->text);
    if (text && name_hash(*text) != entry.hash)
        return "its hash is not that of " + quoted(*text);
    return "";
}

}  // namespace

// Strictly increasing, as many records as names, each right about its name: so each name has one.
void check_name_index(const Tables& tables, const Strings& texts, Findings& findings) {
    using enum TableKind;
    std::optional<NameIndexRecord> before;
    for (std::uint64_t i = 0; i < tables.count(name_index); ++i) {
        const auto entry = tables.find<NameIndexRecord>(i);
        if (entry) {
            if (std::string defect = defect_of(*entry, tables, texts); !defect.empty())
                findings.add(Rule::name_index_wrong, record_place(name_index, i), std::move(defect));
            if (before && std::pair(entry->hash, entry->name) <= std::pair(before->hash, before->name))
                findings.add(Rule::name_index_wrong, record_place(name_index, i),
                             "it does not come after the one before; (hash, name) strictly increases");
        }
        before = entry;
    }
}

}  // namespace fardel
