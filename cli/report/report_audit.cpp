#include "report_audit.h"

#include "console/json.h"
#include "json_file.h"

#include <utility>

namespace fardel {
namespace {

std::string text_in(JsonView object, std::string_view key) { return std::string(object.at(key).text()); }

// A number, or the length of a list: "names" and "missing" of a root may be either.
std::uint64_t count_in(JsonView object, std::string_view key) {
    const JsonView value = object.at(key);
    return value.number().value_or(value.elements().size());
}

}  // namespace

Result<ReportAudit> parse_audit(std::string_view text) {
    const std::optional<Json> parsed = parse_json_object(text);
    if (!parsed)
        return Error(ErrorCode::malformed, "not a JSON object, as 'fardel audit --json' prints it");
    const JsonView json(*parsed);
    ReportAudit audit;
    for (const JsonView entry : json.at("missing").elements()) {
        ReportAudit::Missing missing{.from = text_in(entry, "from"),
                                     .spelling = text_in(entry, "spelling"),
                                     .use = text_in(entry, "use"),
                                     .line = count_in(entry, "line"),
                                     .hard = entry.at("hard").truth().value_or(true),
                                     .why = text_in(entry, "why")};
        for (const JsonView name : entry.at("tried").elements())
            if (name.is_text())
                missing.tried.emplace_back(name.text());
        audit.missing.push_back(std::move(missing));
    }
    for (const JsonView entry : json.at("unused").elements())
        audit.unused.push_back({text_in(entry, "name"), count_in(entry, "size")});
    for (const std::string_view key : {"broken", "other_formats"})
        for (const JsonView entry : json.at(key).elements())
            audit.broken.push_back({text_in(entry, "name"), text_in(entry, "reason")});
    for (const JsonView entry : json.at("roots").elements())
        audit.roots.push_back(
            {text_in(entry, "root"), count_in(entry, "names"), count_in(entry, "size"), count_in(entry, "missing")});
    return audit;
}

Result<ReportAudit> read_audit(const std::string& path) {
    FARDEL_TRY_ASSIGN(const std::string text, read_report_file(path));
    auto audit = parse_audit(text);
    if (!audit)
        return std::move(audit).error().with_context(path);
    return audit;
}

}  // namespace fardel
