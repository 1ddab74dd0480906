#include "job_protocol.h"

#include "depfile.h"
#include "text/bounded_json.h"

#include <fardel/cache/cache_record.h>
#include <fardel/format/limits.h>
#include <fardel/format/printable.h>
#include <fardel/packer/references.h>

#include <algorithm>
#include <initializer_list>

namespace fardel {
namespace {

using Json = nlohmann::json;

constexpr int kAnswerDepthMax = 16;
constexpr std::size_t kMessagesMax = 1000;
constexpr std::size_t kAnswerTextBytesMax = 4096;

Error bad_answer(std::string what) { return Error(ErrorCode::malformed, "the program's answer: " + std::move(what)); }

// ---- The request ---------------------------------------------------------------------------------------------------

Json json_of(const JobInput& input, bool source) {
    return {{"name", input.name.text()}, {"path", "in/" + input.name.text()}, {"source", source}};
}

// ---- The answer ----------------------------------------------------------------------------------------------------

// A missing field gives an empty text.
Result<std::string> text_of(const Json& object, const char* field, std::string_view where, std::size_t bytes_max) {
    const auto found = object.find(field);
    if (found == object.end())
        return std::string();
    if (!found->is_string())
        return bad_answer(in_short_quotes(field) + " in " + std::string(where) + " is no text");
    const auto& text = found->get_ref<const std::string&>();
    if (text.size() > bytes_max || text.find('\0') != std::string::npos)
        return bad_answer(in_short_quotes(field) + " in " + std::string(where) + " has " + std::to_string(text.size()) +
                          " bytes; at most " + std::to_string(bytes_max) + ", and no NUL");
    return text;
}

// Returns nullptr if the field is absent.
Result<const Json*> list_of(const Json& answer, const char* field, std::size_t items_max) {
    const auto found = answer.find(field);
    if (found == answer.end())
        return static_cast<const Json*>(nullptr);
    if (!found->is_array())
        return bad_answer(in_short_quotes(field) + " is no list");
    if (found->size() > items_max)
        return Error(ErrorCode::limit, "the program's answer: " + in_short_quotes(field) + " has " +
                                           std::to_string(found->size()) + " items; at most " +
                                           std::to_string(items_max));
    return &*found;
}

Status verify_fields(const Json& object, std::initializer_list<std::string_view> known, std::string_view where) {
    for (const auto& [key, value] : object.items())
        // An unknown key is most often a misspelt one; ignoring it would lose what it was to say.
        if (std::ranges::find(known, key) == known.end())
            return bad_answer("there is no field " + in_short_quotes(key) + " in " + std::string(where));
    return ok();
}

Status verify_item(const Json& item, std::initializer_list<std::string_view> known, std::string_view where) {
    return item.is_object() ? verify_fields(item, known, where)
                            : bad_answer("an item of " + std::string(where) + " is no object");
}

Status read_outputs(const Json& answer, JobAnswer& target) {
    FARDEL_TRY_ASSIGN(const Json* const list, list_of(answer, "outputs", kCachedOutputsMax));
    target.lists_outputs = list != nullptr;
    if (!list)
        return ok();
    for (const Json& item : *list) {
        FARDEL_TRY(verify_item(item, {"name", "path"}, "'outputs'"));
        FARDEL_TRY_ASSIGN(std::string path, text_of(item, "path", "'outputs'", kAnswerTextBytesMax));
        FARDEL_TRY_ASSIGN(std::string name, text_of(item, "name", "'outputs'", kAnswerTextBytesMax));
        if (path.empty())
            return bad_answer("an item of 'outputs' has no 'path'");
        if (name.empty())
            name = path;
        target.outputs.push_back({.name = std::move(name), .path = std::move(path)});
    }
    return ok();
}

Status read_texts(const Json& answer, const char* field, std::size_t items_max, std::size_t bytes_max,
                  std::vector<std::string>& target) {
    FARDEL_TRY_ASSIGN(const Json* const list, list_of(answer, field, items_max));
    if (!list)
        return ok();
    for (const Json& item : *list) {
        if (!item.is_string() || item.get_ref<const std::string&>().size() > bytes_max)
            return bad_answer("an item of " + in_short_quotes(field) + " is no text of at most " +
                              std::to_string(bytes_max) + " bytes");
        target.push_back(item.get<std::string>());
    }
    return ok();
}

// Reads one of the words that `find` knows; a missing field leaves the target. `known` lists the words for people.
template <class Value>
Status read_word(const Json& object, const char* field, std::optional<Value> (*find)(std::string_view),
                 std::string_view known, Value& target) {
    FARDEL_TRY_ASSIGN(const std::string word, text_of(object, field, "'references'", kAnswerTextBytesMax));
    if (word.empty())
        return ok();
    const auto value = find(word);
    if (!value)
        return bad_answer("'" + std::string(field) + "' is " + in_short_quotes(word) + ", not one of " +
                          std::string(known));
    target = *value;
    return ok();
}

Result<std::pair<std::string, FoundReference>> reference_of(const Json& item) {
    FARDEL_TRY(verify_item(item, {"output", "spelling", "use", "form", "optional"}, "'references'"));
    FARDEL_TRY_ASSIGN(std::string output, text_of(item, "output", "'references'", kAnswerTextBytesMax));
    FARDEL_TRY_ASSIGN(std::string spelling, text_of(item, "spelling", "'references'", limits::kStringBytesMax));
    if (output.empty() || spelling.empty())
        return bad_answer("an item of 'references' has no 'output', or no 'spelling'");
    FoundReference reference{.spelling = std::move(spelling)};
    FARDEL_TRY(read_word(item, "use", find_reference_use,
                         "file, texture, shader, sound, model, video, map, script and sky_box", reference.use));
    FARDEL_TRY(read_word(item, "form", find_reference_form,
                         "from_root, below_textures, relative, relative_uri, speaker and player", reference.form));
    if (const auto optional = item.find("optional"); optional != item.end()) {
        if (!optional->is_boolean())
            return bad_answer("'optional' in 'references' is neither true nor false");
        reference.optional = optional->get<bool>();
    }
    return std::pair(std::move(output), std::move(reference));
}

Status read_references(const Json& answer, JobAnswer& target) {
    FARDEL_TRY_ASSIGN(const Json* const list, list_of(answer, "references", limits::kReferencesPerAssetMax));
    if (!list)
        return ok();
    for (const Json& item : *list) {
        FARDEL_TRY_ASSIGN(auto reference, reference_of(item));
        target.references.push_back(std::move(reference));
    }
    return ok();
}

}  // namespace

std::string format_job_request(const ProcessorJob& job) {
    Json request = {{"fardel", 1},
                    {"processor", job.processor.name},
                    {"version", job.processor.version},
                    {"parameters", Json::object()},
                    {"tags", Json::object()},
                    {"inputs", Json::array()},
                    {"outputs", job.outputs},
                    {"out", "out"}};
    for (const auto& parameter : job.processor.parameters)
        request["parameters"][parameter.first] =
            std::visit([](const auto& value) { return Json(value); }, parameter.second);
    for (const auto& tag : job.processor.tags)
        request["tags"][tag.axis] = tag.value;
    for (const JobInput& input : job.sources)
        request["inputs"].push_back(json_of(input, true));
    for (const JobInput& input : job.others)
        request["inputs"].push_back(json_of(input, false));
    return request.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<JobAnswer> parse_job_answer(std::string_view text) {
    if (text.size() > kAnswerBytesMax)
        return Error(ErrorCode::limit,
                     "the program's answer has more than " + std::to_string(kAnswerBytesMax) + " bytes");
    const std::optional<Json> parsed = parse_bounded_json(text, kAnswerDepthMax);
    if (!parsed)
        return bad_answer("values in values, deeper than " + std::to_string(kAnswerDepthMax));
    const Json& answer = *parsed;
    if (!answer.is_object())
        return bad_answer("no JSON object, which is all that the program may write to its standard output");
    FARDEL_TRY(verify_fields(answer, {"outputs", "inputs", "missing", "references", "messages"}, "the answer"));
    JobAnswer target;
    FARDEL_TRY(read_outputs(answer, target));
    FARDEL_TRY(read_texts(answer, "inputs", kFoundInputsMax, kAnswerTextBytesMax, target.read));
    FARDEL_TRY(read_texts(answer, "missing", kFoundInputsMax, kAnswerTextBytesMax, target.missing));
    FARDEL_TRY(read_references(answer, target));
    FARDEL_TRY(read_texts(answer, "messages", kMessagesMax, kAnswerTextBytesMax, target.messages));
    return target;
}

}  // namespace fardel
