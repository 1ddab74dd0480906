#include "metadata_text.h"

#include <fardel/format/printable.h>
#include <fardel/format/shown_date.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <variant>

namespace fardel {

std::string format_metadata(std::string_view key, const MetadataValue& value) {
    const auto* const integer = std::get_if<std::int64_t>(&value);
    if (key == "expires" && integer != nullptr)
        return shown_date({static_cast<std::uint64_t>(std::max<std::int64_t>(*integer, 0))});
    if (const auto* const text = std::get_if<std::string>(&value))
        return printable(*text, 2000);
    if (const auto* const number = std::get_if<double>(&value))
        return fmt::format("{}", *number);
    return integer != nullptr ? fmt::format("{}", *integer) : std::get<bool>(value) ? "true" : "false";
}

Json metadata_json(const MetadataValue& value) {
    return std::visit([](const auto& one) { return Json(one); }, value);
}

Result<Json> metadata_json(const Bundle& bundle, std::span<const StatedMetadata> stated) {
    Json json = Json::object();
    std::set<std::string_view> keys;
    for (const StatedMetadata& one : stated) {
        const std::string_view key = metadata_key(one.key);
        if (!keys.insert(key).second)
            continue;
        FARDEL_TRY_ASSIGN(const MetadataValue value, metadata_value(bundle, one.record));
        json.set(key, metadata_json(value));
    }
    return json;
}

}  // namespace fardel
