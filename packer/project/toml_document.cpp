#include "toml_document.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <utility>

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 8
#include <toml++/toml.h>

namespace fardel {
namespace {

TomlPosition position_of(const toml::source_region& region) { return {region.begin.line, region.begin.column}; }

TomlTable table_of(const toml::table& table);

TomlValue value_of(const toml::node& node) {
    TomlValue value{.value = TomlDate(), .at = position_of(node.source())};
    if (const auto* text = node.as_string())
        value.value = text->get();
    else if (const auto* integer = node.as_integer())
        value.value = integer->get();
    else if (const auto* number = node.as_floating_point())
        value.value = number->get();
    else if (const auto* truth = node.as_boolean())
        value.value = truth->get();
    else if (const auto* array = node.as_array()) {
        std::vector<TomlValue> values;
        for (const toml::node& item : *array)
            values.push_back(value_of(item));
        value.value = std::move(values);
    } else if (const auto* table = node.as_table())
        value.value = table_of(*table);
    return value;
}

TomlTable table_of(const toml::table& table) {
    TomlTable entries;
    for (auto entry = table.cbegin(); entry != table.cend(); ++entry)
        entries.push_back({.key = std::string(entry->first.str()),
                           .at = position_of(entry->first.source()),
                           .value = value_of(entry->second)});
    std::ranges::stable_sort(entries, {}, &TomlEntry::at);
    return entries;
}

Status verify_dots(std::string_view text, std::string_view file) {
    TomlPosition at;
    for (std::size_t from = 0; from < text.size(); ++at.line) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        if (static_cast<std::size_t>(std::ranges::count(text.substr(from, end - from), '.')) > kTomlDotsPerLineMax)
            return Error(ErrorCode::limit, format_position(file, at) + ": the line has more than " +
                                               std::to_string(kTomlDotsPerLineMax) +
                                               " dots; break it into several lines");
        from = end + 1;
    }
    return ok();
}

}  // namespace

const TomlEntry* find_entry(const TomlTable& table, std::string_view key) {
    const auto entry = std::ranges::find(table, key, &TomlEntry::key);
    return entry == table.end() ? nullptr : &*entry;
}

std::string format_position(std::string_view file, TomlPosition at) {
    return printable(file) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

Result<TomlTable> parse_toml(std::string_view text, std::string_view file) {
    if (text.size() > kTomlBytesMax)
        return Error(ErrorCode::limit, printable(file) + ": longer than " + std::to_string(kTomlBytesMax) +
                                           " bytes; is it the right file?");
    FARDEL_TRY(verify_dots(text, file));
    const toml::parse_result result = toml::parse(text);
    if (!result) {
        const toml::parse_error& error = result.error();
        return Error(ErrorCode::malformed, format_position(file, position_of(error.source())) + ": " +
                                               printable(error.description()) +
                                               "; write text in \"quotes\", a list in [ ], a table in { }");
    }
    return table_of(result.table());
}

}  // namespace fardel
