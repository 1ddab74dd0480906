#include <fardel/packer/scan_memory.h>

#include "text/record_fields.h"

#include <fardel/format/limits.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kReferenceBytes = 27;  // the size of a reference with an empty spelling
constexpr std::size_t kMacroBytes = 17;      // the size of a macro with an empty name and value

void scan_fields(auto& record, auto& scanned) {
    record.text(scanned.broken);
    record.texts(scanned.findings.defines);
    const auto reference_fields = [&](auto& reference) {
        record.text(reference.spelling);
        record.compact(reference.use);
        record.compact(reference.form);
        record.compact(reference.optional);
        record.compact(reference.line);
        record.compact(reference.defined_in);
        record.compact(reference.statement);
        record.compact(reference.reading);
    };
    record.list(scanned.findings.references, reference_fields, kReferenceBytes);
    record.list(scanned.findings.by_macro, reference_fields, kReferenceBytes);
    const auto macro_fields = [&](auto& macro) {
        record.text(macro.name);
        record.text(macro.value);
        record.compact(macro.quoted);
    };
    record.list(scanned.findings.macros, macro_fields, kMacroBytes);
    record.texts(scanned.findings.mistakes);
    record.text(scanned.findings.other_format);
}

bool is_spelling(const std::string& text) {
    return text.size() <= limits::kStringBytesMax && text.find('\0') == text.npos;
}

// Whether a scanner can find this.
bool is_possible(const ScanFindings& findings) {
    const auto is_reference = [&](const FoundReference& reference) {
        return !reference.spelling.empty() && is_spelling(reference.spelling) && reference.use <= kReferenceUseLast &&
               reference.form <= kReferenceFormLast &&
               (reference.defined_in == kNoDefinition || reference.defined_in < findings.defines.size());
    };
    const auto is_macro = [](const MacroDefinition& one) { return is_spelling(one.name) && is_spelling(one.value); };
    return findings.defines.size() <= limits::kReferencesPerAssetMax &&
           findings.references.size() <= limits::kReferencesPerAssetMax &&
           findings.by_macro.size() <= limits::kReferencesPerAssetMax &&
           findings.macros.size() <= limits::kReferencesPerAssetMax &&
           findings.mistakes.size() <= kMistakesPerAssetMax && std::ranges::all_of(findings.defines, is_spelling) &&
           std::ranges::all_of(findings.references, is_reference) &&
           std::ranges::all_of(findings.by_macro, is_reference) && std::ranges::all_of(findings.macros, is_macro);
}

}  // namespace

std::string encode_scan_record(const ScanRecord& record) {
    RecordWriter writer;
    scan_fields(writer, record);
    return writer.take();
}

std::optional<ScanRecord> decode_scan_record(std::string_view bytes) {
    RecordReader reader(bytes);
    ScanRecord record;
    scan_fields(reader, record);
    const bool empty = is_empty(record.findings);
    const bool good = reader.is_complete() && is_possible(record.findings) && (record.broken.empty() || empty);
    return good ? std::optional(std::move(record)) : std::nullopt;
}

std::optional<ScanRecord> ScanMemory::find(const Hash& key) {
    const auto at = records_.find(key);
    auto record = at != records_.end() ? decode_scan_record(at->second) : std::nullopt;
    if (record) {
        const std::lock_guard lock(mutex_);
        used_.insert(key);
    }
    return record;
}

void ScanMemory::add(const Hash& key, const ScanRecord& record) {
    std::string bytes = encode_scan_record(record);
    if (bytes.size() > kScanRecordBytesMax)
        return;
    const std::lock_guard lock(mutex_);
    used_.insert(key);
    added_.insert_or_assign(key, std::move(bytes));
}

std::vector<Hash> ScanMemory::used() const {
    const std::lock_guard lock(mutex_);
    return {used_.begin(), used_.end()};
}

std::map<Hash, std::string> ScanMemory::take_added() {
    const std::lock_guard lock(mutex_);
    return std::exchange(added_, {});
}

}  // namespace fardel
