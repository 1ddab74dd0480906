#include "bundle_strings.h"

#include "rising_texts.h"

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>

namespace fardel {
namespace {

constexpr std::uint64_t kLengthBytes = 2;

std::string string_location(std::uint64_t offset) { return "strings byte " + std::to_string(offset); }

}  // namespace

std::string quoted(std::string_view untrusted) { return "'" + printable(untrusted, 120) + "'"; }

BundleStrings::BundleStrings(const CheckedTables& tables, VerifyFindings& findings)
    : tables_(tables), table_(tables[TableKind::strings]) {
    if (!table_.is_complete())
        return;
    starts_.resize(in_memory(table_.length_bytes()));
    used_.resize(in_memory(table_.length_bytes()));
    RisingTexts order;
    for (std::uint64_t at = 0; at < table_.length_bytes();) {
        const auto text = text_at(at);
        if (!text) {
            findings.add(VerifierRule::string_cut_off, string_location(at),
                         "the string that begins here extends beyond the end of the table");
            return;
        }
        starts_[in_memory(at)] = true;
        if (const std::string defect = order.add(text); !defect.empty())
            findings.add(VerifierRule::strings_not_sorted, string_location(at),
                         defect + "; strings strictly increase in byte order");
        if (!is_utf8_text(*text))
            findings.add(VerifierRule::string_not_utf8, string_location(at), quoted(*text) + " is not UTF-8");
        at += kLengthBytes + text->size();
    }
}

std::optional<std::string_view> BundleStrings::text_at(std::uint64_t offset) const noexcept {
    const auto length = table_.find_bytes(offset, kLengthBytes);
    if (!length)
        return std::nullopt;
    const auto bytes = table_.find_bytes(offset + kLengthBytes, load_le<std::uint16_t>(length->data()));
    if (!bytes)
        return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

std::optional<std::string_view> BundleStrings::find(std::uint64_t ref) const noexcept {
    if (!starts_.empty() && (ref >= starts_.size() || !starts_[in_memory(ref)]))
        return std::nullopt;
    return text_at(ref);
}

std::optional<std::string_view> BundleStrings::find_name(std::uint64_t name) const {
    const auto record = tables_.find<NameRecord>(name);
    return record ? find(record->text) : std::nullopt;
}

std::optional<std::string_view> BundleStrings::use(std::uint64_t ref, TableKind table, std::uint64_t record,
                                                   std::string_view field, VerifyFindings& findings) {
    const auto text = find(ref);
    if (text && ref < used_.size())
        used_[in_memory(ref)] = true;
    // If pages of the table are damaged, only a reference beyond its end is certainly wrong.
    const bool wrong = !text && (table_.is_complete() || ref >= table_.length_bytes());
    if (wrong)
        findings.add(VerifierRule::string_reference, table, record,
                     "its " + std::string(field) + " is the string at byte " + std::to_string(ref) +
                         ", but no string begins there");
    return text;
}

void BundleStrings::check_all_used(VerifyFindings& findings) const {
    for (std::size_t at = 0; at < starts_.size(); ++at)
        if (starts_[at] && !used_[at])
            findings.add(VerifierRule::string_unused, string_location(at),
                         quoted(text_at(at).value_or("")) + " is used by no record; every string must be used");
}

}  // namespace fardel
