#include "report_audit.h"

#include "console/json.h"

#include <fardel/format/byte_source.h>

#include <span>
#include <utility>

namespace fardel {
namespace {

const Json* find(const Json& object, const char* key) {
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

std::string text_in(const Json& object, const char* key) {
    const Json* value = find(object, key);
    return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

// A number, or the length of a list: "names" and "missing" of a root may be either.
std::uint64_t count_in(const Json& object, const char* key) {
    const Json* value = find(object, key);
    if (value == nullptr)
        return 0;
    if (value->is_number_unsigned())
        return value->get<std::uint64_t>();
    return value->is_array() ? value->size() : 0;
}

bool truth_in(const Json& object, const char* key, bool otherwise) {
    const Json* value = find(object, key);
    return value != nullptr && value->is_boolean() ? value->get<bool>() : otherwise;
}

template <class Take>
void each_in(const Json& object, const char* key, Take take) {
    const Json* list = find(object, key);
    if (list == nullptr || !list->is_array())
        return;
    for (const Json& entry : *list)
        take(entry);
}

}  // namespace

Result<ReportAudit> parse_audit(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return Error(ErrorCode::malformed, "not a JSON object, as 'fardel audit --json' prints it");
    ReportAudit audit;
    each_in(json, "missing", [&](const Json& entry) {
        ReportAudit::Missing missing{.from = text_in(entry, "from"),
                                     .spelling = text_in(entry, "spelling"),
                                     .use = text_in(entry, "use"),
                                     .line = count_in(entry, "line"),
                                     .hard = truth_in(entry, "hard", true),
                                     .why = text_in(entry, "why")};
        each_in(entry, "tried", [&](const Json& name) {
            if (name.is_string())
                missing.tried.push_back(name.get<std::string>());
        });
        audit.missing.push_back(std::move(missing));
    });
    each_in(json, "unused", [&](const Json& entry) {
        audit.unused.push_back({text_in(entry, "name"), count_in(entry, "size")});
    });
    each_in(json, "broken", [&](const Json& entry) {
        audit.broken.push_back({text_in(entry, "name"), text_in(entry, "reason")});
    });
    each_in(json, "roots", [&](const Json& entry) {
        audit.roots.push_back(
            {text_in(entry, "root"), count_in(entry, "names"), count_in(entry, "size"), count_in(entry, "missing")});
    });
    return audit;
}

Result<ReportAudit> read_audit(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    if (source->size_bytes() > kAuditBytesMax)
        return Error(ErrorCode::limit, path + ": the report of an audit is never so large");
    std::string text(source->size_bytes(), '\0');
    FARDEL_TRY(source->read_at(0, std::as_writable_bytes(std::span(text))));
    auto audit = parse_audit(text);
    if (!audit)
        return std::move(audit).error().with_context(path);
    return audit;
}

}  // namespace fardel
