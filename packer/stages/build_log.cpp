#include <fardel/packer/build_log.h>

#include "text/bounded_json.h"

#include <fardel/base/file.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/printable.h>
#include <fardel/format/whole_file.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace fardel {
namespace {

using LogJson = nlohmann::json;

constexpr int kBuildLogVersion = 1;
constexpr int kBuildLogDepthMax = 3;              // an object, a list, a part
constexpr std::size_t kBuildLogKeyDigitsMin = 8;  // shorter beginnings of keys could be names

constexpr std::array<std::pair<ResultOrigin, std::string_view>, 3> kOriginWords{
    {{ResultOrigin::run, "run"}, {ResultOrigin::cache, "cache"}, {ResultOrigin::verified, "verified"}}};

std::string_view word_of(ResultOrigin origin) {
    return std::ranges::find(kOriginWords, origin, [](const auto& pair) { return pair.first; })->second;
}

std::optional<ResultOrigin> find_origin(std::string_view word) {
    const auto found = std::ranges::find(kOriginWords, word, [](const auto& pair) { return pair.second; });
    return found == kOriginWords.end() ? std::nullopt : std::optional(found->first);
}

// ---- Writing --------------------------------------------------------------------------------------------------------

std::string format_line(const LogJson& json) {
    return json.dump(-1, ' ', false, LogJson::error_handler_t::replace) + "\n";
}

LogJson json_of(const LoggedJob& job) {
    LogJson parts = LogJson::array();
    for (const KeyPart& part : job.parts)
        parts.push_back({part.kind, part.name, part.value});
    return {{"job", job.job}, {"key", job.key.hex()}, {"parts", std::move(parts)}, {"result", word_of(job.origin)}};
}

// ---- Reading --------------------------------------------------------------------------------------------------------

Error bad_log(std::string what) { return Error(ErrorCode::malformed, "no log of a build: " + std::move(what)); }

// Nothing if the member is absent or no text.
std::optional<std::string> find_member(const LogJson& object, const char* name) {
    const auto member = object.find(name);
    return member == object.end() || !member->is_string() ? std::nullopt
                                                          : std::optional(member->get_ref<const std::string&>());
}

Result<LogJson> parse_line(std::string_view line) {
    if (line.size() > kBuildLogLineBytesMax)
        return Error(ErrorCode::limit, "a line has more than " + std::to_string(kBuildLogLineBytesMax) + " bytes");
    std::optional<LogJson> json = parse_bounded_json(line, kBuildLogDepthMax);
    if (!json || !json->is_object())
        return bad_log("no JSON object, or values in values");
    return *std::move(json);
}

Status parse_head(const LogJson& json, BuildLog& log) {
    const auto version = json.find("fardel_log");
    if (version == json.end() || !version->is_number_unsigned())
        return bad_log("it does not begin with {\"fardel_log\":1, …}");
    if (version->get<std::uint64_t>() > kBuildLogVersion)
        return Error(ErrorCode::unsupported, "a log of version " + std::to_string(version->get<std::uint64_t>()) +
                                                 "; a newer version of fardel may support it");
    log.project = find_member(json, "project").value_or("");
    return ok();
}

Result<std::vector<KeyPart>> parse_parts(const LogJson& job) {
    const auto list = job.find("parts");
    if (list == job.end() || !list->is_array())
        return bad_log("a job without 'parts'");
    std::vector<KeyPart> parts;
    parts.reserve(list->size());
    for (const LogJson& item : *list) {
        if (!item.is_array() || item.size() != 3 || !std::ranges::all_of(item, &LogJson::is_string))
            return bad_log("a part that is not three texts");
        parts.push_back({.kind = item[0].get<std::string>(),
                         .name = item[1].get<std::string>(),
                         .value = item[2].get<std::string>()});
    }
    return parts;
}

Result<LoggedJob> parse_job(const LogJson& json) {
    const auto name = find_member(json, "job");
    const auto key = BuildKey::parse(find_member(json, "key").value_or(""));
    const auto origin = find_origin(find_member(json, "result").value_or(""));
    if (!name || !key || !origin)
        return bad_log("a job without 'job', 'key' or 'result'");
    LoggedJob job{.job = *name, .key = *key, .origin = *origin};
    FARDEL_TRY_ASSIGN(job.parts, parse_parts(json));
    return job;
}

Status parse_one(std::string_view line, bool is_head, BuildLog& log) {
    FARDEL_TRY_ASSIGN(const LogJson json, parse_line(line));
    if (is_head)
        return parse_head(json, log);
    FARDEL_TRY_ASSIGN(LoggedJob job, parse_job(json));
    log.jobs.push_back(std::move(job));
    return ok();
}

// ---- Comparing ------------------------------------------------------------------------------------------------------

using PartName = std::pair<std::string_view, std::string_view>;

std::map<PartName, std::string_view> by_name(const std::vector<KeyPart>& parts) {
    std::map<PartName, std::string_view> named;
    for (const KeyPart& part : parts)
        named.emplace(PartName(part.kind, part.name), part.value);
    return named;
}

bool is_about(const LoggedJob& job, std::string_view of) {
    return of.empty() || job.job == of || (of.size() >= kBuildLogKeyDigitsMin && job.key.hex().starts_with(of)) ||
           std::ranges::find(job.parts, of, &KeyPart::name) != job.parts.end();
}

std::map<std::string_view, const LoggedJob*> jobs_about(const BuildLog& log, std::string_view of) {
    std::map<std::string_view, const LoggedJob*> jobs;
    for (const LoggedJob& job : log.jobs)
        if (is_about(job, of))
            jobs.emplace(job.job, &job);
    return jobs;
}

}  // namespace

std::vector<KeyChange> changes_between(const std::vector<KeyPart>& before, const std::vector<KeyPart>& after) {
    auto earlier = by_name(before);
    std::set<PartName> seen;
    std::vector<KeyChange> changes;
    for (const KeyPart& part : after) {
        // A log may have a part twice, as if a file of 'code' were listed twice; the first counts, on both sides.
        if (!seen.emplace(part.kind, part.name).second)
            continue;
        const auto known = earlier.find({part.kind, part.name});
        const std::string_view value = known == earlier.end() ? std::string_view() : known->second;
        if (known == earlier.end() || value != part.value)
            changes.push_back(
                {.kind = part.kind, .name = part.name, .before = std::string(value), .after = part.value});
        if (known != earlier.end())
            earlier.erase(known);
    }
    for (const auto& [name, value] : earlier)
        changes.push_back({.kind = std::string(name.first),
                           .name = std::string(name.second),
                           .before = std::string(value),
                           .after = ""});
    return changes;
}

std::string format_build_log(const BuildLog& log) {
    std::string text = format_line({{"fardel_log", kBuildLogVersion}, {"project", log.project}});
    for (const LoggedJob& job : log.jobs)
        text += format_line(json_of(job));
    return text;
}

Result<BuildLog> parse_build_log(std::string_view text) {
    if (text.size() > kBuildLogBytesMax)
        return Error(ErrorCode::limit, "more than " + std::to_string(kBuildLogBytesMax) + " bytes");
    BuildLog log;
    std::size_t number = 0;
    do {
        const std::string_view line = read_until(text, '\n');
        ++number;
        if (line.empty() && number > 1)
            continue;
        if (Status parsed = parse_one(line, number == 1, log); !parsed)
            return std::move(parsed).error().with_context("line " + std::to_string(number));
    } while (!text.empty());
    return log;
}

Result<BuildLog> read_build_log(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    if (source->size_bytes() > kBuildLogBytesMax)
        return Error(ErrorCode::limit, printable(path) + ": more than " + std::to_string(kBuildLogBytesMax) + " bytes");
    std::string text(static_cast<std::size_t>(source->size_bytes()), '\0');
    FARDEL_TRY(source->read_at(0, std::as_writable_bytes(std::span(text))));
    auto log = parse_build_log(text);
    return log ? std::move(log) : Result<BuildLog>(std::move(log).error().with_context(printable(path)));
}

Status write_build_log(const std::string& path, const BuildLog& log) {
    const std::string text = format_build_log(log);
    return write_small_file(path, std::as_bytes(std::span(text)));
}

BuildLogComparison compare_build_logs(const BuildLog& first, const BuildLog& second, std::string_view of) {
    // A job that only one side has with that name belongs to the comparison of both: its input may have got the name.
    const auto about_first = jobs_about(first, of);
    const auto about_second = jobs_about(second, of);
    std::map<std::string_view, std::pair<const LoggedJob*, const LoggedJob*>> pairs;
    for (const auto& [name, job] : jobs_about(first, {}))
        if (about_first.contains(name) || about_second.contains(name))
            pairs[name].first = job;
    for (const auto& [name, job] : jobs_about(second, {}))
        if (about_first.contains(name) || about_second.contains(name))
            pairs[name].second = job;
    BuildLogComparison comparison;
    for (auto& [name, pair] : pairs) {
        JobDifference difference{
            .job = std::string(name), .in_first = pair.first != nullptr, .in_second = pair.second != nullptr};
        if (pair.first && pair.second) {
            difference.changes = changes_between(pair.first->parts, pair.second->parts);
            const bool both_ran = pair.first->origin == ResultOrigin::run && pair.second->origin == ResultOrigin::run;
            if (difference.changes.empty() && !both_ran) {
                ++comparison.equal;
                continue;
            }
        }
        comparison.differences.push_back(std::move(difference));
    }
    return comparison;
}

}  // namespace fardel
