#include <fardel/packer/scan_memory.h>

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/format/limits.h>

#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kReferenceBytes = 24;  // the size of a reference with an empty spelling

bool is_spelling(std::string_view text) {
    return text.size() <= limits::kStringBytesMax && text.find('\0') == text.npos;
}

std::string read_text(ByteReader& reader) { return std::string(reader.text(reader.count<std::uint64_t>(1))); }

void write_reference(ByteWriter& writer, const FoundReference& reference) {
    writer.sized_text<std::uint64_t>(reference.spelling);
    writer.u64(static_cast<std::uint64_t>(reference.use) | static_cast<std::uint64_t>(reference.form) << 8 |
               (reference.optional ? 1u << 16 : 0u));
    writer.u64(reference.line | static_cast<std::uint64_t>(reference.defined_in) << 32);
}

std::optional<FoundReference> decode_reference(ByteReader& reader, std::size_t definitions) {
    FoundReference reference{.spelling = read_text(reader)};
    const std::uint64_t kind = reader.u64();
    const std::uint64_t line_and_definition = reader.u64();
    const std::uint64_t use = kind & 255;
    const std::uint64_t form = (kind >> 8) & 255;
    if (kind >> 17 != 0 || use > static_cast<std::uint64_t>(kReferenceUseLast) ||
        form > static_cast<std::uint64_t>(ReferenceForm::relative_uri))
        return std::nullopt;
    reference.use = static_cast<ReferenceUse>(use);
    reference.form = static_cast<ReferenceForm>(form);
    reference.optional = (kind >> 16 & 1) != 0;
    reference.line = static_cast<std::uint32_t>(line_and_definition);
    reference.defined_in = static_cast<std::uint32_t>(line_and_definition >> 32);
    const bool good = !reference.spelling.empty() && is_spelling(reference.spelling) &&
                      (reference.defined_in == kNoDefinition || reference.defined_in < definitions);
    return good ? std::optional(std::move(reference)) : std::nullopt;
}

}  // namespace

std::string encode_scan_record(const ScanRecord& record) {
    ByteWriter writer;
    writer.sized_text<std::uint64_t>(record.broken);
    writer.u64(record.findings.defines.size());
    for (const std::string& name : record.findings.defines)
        writer.sized_text<std::uint64_t>(name);
    writer.u64(record.findings.references.size());
    for (const FoundReference& reference : record.findings.references)
        write_reference(writer, reference);
    return std::string(writer.view());
}

std::optional<ScanRecord> decode_scan_record(std::string_view bytes) {
    ByteReader reader(bytes);
    ScanRecord record{.broken = read_text(reader)};
    const std::uint64_t definitions = reader.count<std::uint64_t>(8);
    if (definitions > limits::kReferencesPerAssetMax)
        return std::nullopt;
    record.findings.defines.resize(definitions);
    for (std::string& name : record.findings.defines) {
        name = read_text(reader);
        if (!is_spelling(name))
            return std::nullopt;
    }
    const std::uint64_t references = reader.count<std::uint64_t>(kReferenceBytes);
    if (references > limits::kReferencesPerAssetMax)
        return std::nullopt;
    for (std::uint64_t i = 0; i < references; ++i) {
        auto reference = decode_reference(reader, record.findings.defines.size());
        if (!reference)
            return std::nullopt;
        record.findings.references.push_back(*std::move(reference));
    }
    const bool empty = record.findings.references.empty() && record.findings.defines.empty();
    return reader.is_whole() && (record.broken.empty() || empty) ? std::optional(std::move(record)) : std::nullopt;
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
