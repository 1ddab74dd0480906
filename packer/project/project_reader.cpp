#include "project_reader.h"

#include <fardel/base/ascii.h>
#include <fardel/format/bundle_metadata.h>
#include <fardel/format/limits.h>

#include <cmath>

namespace fardel {
namespace {

void read_metadata_table(const TomlTable& table, const std::string& prefix, std::vector<PlannedMetadata>& metadata,
                         Mistakes& mistakes);

std::optional<MetadataValue> read_metadata_value(const TomlEntry& entry, const std::string& key, Mistakes& mistakes) {
    const auto& value = entry.value.value;
    const auto* const integer = std::get_if<std::int64_t>(&value);
    const auto* const number = std::get_if<double>(&value);
    if (key.starts_with("metric.")) {
        if (integer)
            return static_cast<double>(*integer);
        if (number && std::isfinite(*number))
            return *number;
        mistakes.add(entry.value.at, in_short_quotes(key) + " is " + std::string(kind_of(entry.value)) +
                                         "; a metric is a finite number, such as 1.5");
        return std::nullopt;
    }
    if (key == "expires" && !integer) {
        mistakes.add(entry.value.at, "'expires' is " + std::string(kind_of(entry.value)) +
                                         "; write the Unix time in seconds, such as 1798761600");
        return std::nullopt;
    }
    if (integer)
        return *integer;
    if (number && std::isfinite(*number))
        return *number;
    if (const auto* const truth = std::get_if<bool>(&value))
        return *truth;
    if (std::holds_alternative<std::string>(value)) {
        const TomlEntry named{.key = key, .at = entry.at, .value = entry.value};
        const auto* const text = KeyValue{named, "a text", mistakes}.expect_text(entry.value, limits::kStringBytesMax);
        return text ? std::optional<MetadataValue>(*text) : std::nullopt;
    }
    mistakes.add(entry.value.at, in_short_quotes(key) + " is " +
                                     (number ? "not a finite number" : std::string(kind_of(entry.value))) +
                                     "; write a text in quotes, a number, true or false");
    return std::nullopt;
}

void read_metadata_entry(const TomlEntry& entry, const std::string& key, std::vector<PlannedMetadata>& metadata,
                         Mistakes& mistakes) {
    if (entry.key.empty() || key.size() > kMetadataKeyBytesMax || key.find('\0') != std::string::npos)
        return mistakes.add(entry.at, "a metadata key has 1 to " + std::to_string(kMetadataKeyBytesMax) +
                                          " bytes and no NUL; write licence = \"CC-BY-4.0\"");
    if (const auto* const table = std::get_if<TomlTable>(&entry.value.value))
        return read_metadata_table(*table, key + ".", metadata, mistakes);
    if (std::ranges::find(metadata, key, &PlannedMetadata::key) != metadata.end())
        return mistakes.add(
            entry.at, in_short_quotes(key) + " is there twice" +
                          (metadata_key(entry.key) == entry.key ? "" : ", once as " + in_short_quotes(entry.key)) +
                          "; remove one");
    if (metadata.size() == limits::kMetadataPerSubjectMax - 2)  // name and version are such entries as well
        return mistakes.add(entry.at, "too much metadata: at most " + std::to_string(metadata.size()) + " keys",
                            ErrorCode::limit);
    if (auto value = read_metadata_value(entry, key, mistakes))
        metadata.push_back({.key = key, .value = *std::move(value)});
}

void read_metadata_table(const TomlTable& table, const std::string& prefix, std::vector<PlannedMetadata>& metadata,
                         Mistakes& mistakes) {
    for (const TomlEntry& entry : table)
        read_metadata_entry(entry, prefix.empty() ? std::string(metadata_key(entry.key)) : prefix + entry.key, metadata,
                            mistakes);
}

}  // namespace

// ---- Mistakes -------------------------------------------------------------------------------------------------------

void Mistakes::add(TomlPosition at, std::string text, ErrorCode code) {
    ++count_;
    // Keys are read in the order in which this program knows them, and a file is mended from its top.
    if (count_ == 1 || at < at_) {
        at_ = at;
        text_ = std::move(text);
        code_ = code;
    }
}

Status Mistakes::status() const {
    if (count_ == 0)
        return ok();
    const std::string others = count_ == 1 ? ""
                                           : " (and " + std::to_string(count_ - 1) +
                                                 (count_ == 2 ? " more mistake" : " more mistakes") +
                                                 (files_.size() == 1 ? " in this file)" : " in the project)");
    return Error(code_, format_position(files_[at_.file], at_) + ": " + text_ + others);
}

bool is_pattern(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

// ---- Values of one kind ---------------------------------------------------------------------------------------------

std::string_view kind_of(const TomlValue& value) {
    constexpr std::string_view kKinds[] = {"a text", "an integer", "a number", "true or false",
                                           "a date", "a list",     "a table"};
    return kKinds[value.value.index()];
}

const std::string* KeyValue::expect_text(const TomlValue& value, std::size_t bytes_max) const {
    const auto* const text = expect<std::string>(value);
    if (!text)
        return nullptr;
    const std::string key = in_short_quotes(entry.key);
    if (text->empty())
        mistakes.add(value.at, key + " is empty; write " + std::string(example) + ", or leave it out");
    else if (text->size() > bytes_max)
        mistakes.add(value.at,
                     key + " has " + std::to_string(text->size()) + " bytes; at most " + std::to_string(bytes_max),
                     ErrorCode::limit);
    else if (text->find('\0') != std::string::npos)
        mistakes.add(value.at, key + " contains a NUL character; remove it");
    else
        return text;
    return nullptr;
}

std::span<const TomlValue> KeyValue::expect_list() const {
    const auto* const list = expect<std::vector<TomlValue>>();
    if (!list)
        return {};
    if (list->size() <= kProjectItemsMax)
        return *list;
    mistakes.add(entry.at,
                 in_short_quotes(entry.key) + " has " + std::to_string(list->size()) + " items; at most " +
                     std::to_string(kProjectItemsMax),
                 ErrorCode::limit);
    return {};
}

void KeyValue::read(std::string& target) const {
    if (const auto* const text = expect_text())
        target = *text;
}

void KeyValue::read(std::string& target, VerifyText verify) const {
    read(target);
    if (target.empty())
        return;
    if (const Status good = verify(target); !good)
        mistakes.add(entry.value.at, in_short_quotes(target), good.error());
}

void KeyValue::read(std::vector<std::string>& target, VerifyText verify) const {
    for (const TomlValue& item : expect_list()) {
        const auto* const text = expect_text(item);
        if (!text)
            continue;
        if (const Status good = verify(*text); !good)
            mistakes.add(item.at, in_short_quotes(*text), good.error());
        else if (std::ranges::find(target, *text) != target.end())
            mistakes.add(item.at,
                         in_short_quotes(*text) + " is in " + in_short_quotes(entry.key) + " twice; remove one");
        else
            target.push_back(*text);
    }
}

void KeyValue::read(std::optional<bool>& target) const {
    const std::string either = entry.key + " = true or " + entry.key + " = false";
    if (const bool* const truth = KeyValue{entry, either, mistakes}.expect<bool>())
        target = *truth;
}

void KeyValue::read(bool& target) const {
    std::optional<bool> truth;
    read(truth);
    target = truth.value_or(target);
}

// ---- Tags and metadata ----------------------------------------------------------------------------------------------

void KeyValue::read(Tags& target) const {
    constexpr std::string_view kExample = "tags = { quality = \"hd\" }";
    const auto* const table = KeyValue{entry, kExample, mistakes}.expect<TomlTable>();
    if (!table)
        return;
    if (table->empty() || table->size() > limits::kTagsPerVariantMax)
        mistakes.add(entry.at, "a variant has 1 to " + std::to_string(limits::kTagsPerVariantMax) + " tags; write " +
                                   std::string(kExample));
    for (const TomlEntry& tag : *table) {
        const auto* const value = KeyValue{tag, kExample, mistakes}.expect_text();
        if (!value)
            continue;
        if (!is_word(tag.key) || !is_word(*value))
            mistakes.add(tag.at, "the tag " + in_short_quotes(tag.key + "=" + *value) +
                                     " contains other characters than letters, digits and - _ . +; write " +
                                     std::string(kExample));
        else
            target.push_back({tag.key, *value});
    }
}

void KeyValue::read(std::vector<PlannedMetadata>& target) const {
    if (const auto* const table =
            KeyValue{entry, "metadata = { licence = \"CC-BY-4.0\" }", mistakes}.expect<TomlTable>())
        read_metadata_table(*table, "", target, mistakes);
}

}  // namespace fardel
