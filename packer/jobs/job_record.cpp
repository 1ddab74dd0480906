#include "job_record.h"

#include "text/record_fields.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <functional>

namespace fardel {
namespace {

constexpr std::string_view kResultMark = "job 1";
constexpr std::string_view kStatesMark = "found 2";
constexpr std::size_t kStatesMax = 16;
constexpr std::size_t kStatesBytesMax = 1u << 20;

void reference_fields(auto& record, auto& references) {
    const auto fields = [&](auto& reference) {
        record.text(reference.first);
        record.text(reference.second.spelling);
        record.number(reference.second.use, kReferenceUseLast);
        record.number(reference.second.form, kReferenceFormLast);
        record.number(reference.second.optional);
        record.number(reference.second.line);
    };
    record.list(references, fields, 48);
}

void found_fields(auto& record, auto& states) {
    const auto input_fields = [&](auto& input) {
        record.text(input.path);
        record.optional(input.asset, [&](auto& asset) { record.id(asset); });
    };
    record.list(states, [&](auto& state) { record.list(state, input_fields, 16); });
}

}  // namespace

CacheRecord record_of(const BuildKey& key, const JobResult& result) {
    CacheRecord record{.key = key, .outputs = {}, .notes = {}};
    for (const JobOutput& output : result.outputs)
        record.outputs.push_back({.name = output.name, .asset = output.asset, .size_bytes = output.size_bytes});
    RecordWriter writer;
    writer.text(kResultMark);
    writer.text(result.log);
    writer.number(result.took.count());
    reference_fields(writer, result.references);
    record.notes = writer.take();
    return record;
}

std::optional<JobResult> find_result(const CacheRecord& record, const std::vector<std::string>& outputs) {
    RecordReader reader(record.notes);
    if (reader.text() != kResultMark)
        return std::nullopt;
    JobResult result;
    // The record may be from a foreign cache, so its log is made safe to print.
    result.log = printable(reader.text(), SIZE_MAX);
    std::int64_t took_ms = 0;
    reader.number(took_ms);
    result.took = std::chrono::milliseconds(took_ms);
    reference_fields(reader, result.references);
    if (!reader.is_complete())
        return std::nullopt;
    std::vector<std::string> names;
    for (const CachedOutput& output : record.outputs) {
        if (!AssetName::parse(output.name))
            return std::nullopt;
        names.push_back(output.name);
        result.outputs.push_back(
            {.name = output.name, .asset = output.asset, .size_bytes = output.size_bytes, .blob = nullptr});
    }
    std::vector<std::string> wanted = outputs;
    std::ranges::sort(wanted);
    std::ranges::sort(names);
    if ((!wanted.empty() && wanted != names) || std::ranges::adjacent_find(names) != names.end())
        return std::nullopt;
    return result;
}

void FoundStates::add(const std::vector<FoundInput>& state) {
    std::erase(states, state);
    states.insert(states.begin(), state);
    if (states.size() > kStatesMax)
        states.resize(kStatesMax);
    while (states.size() > 1 && encode_found_states(*this).size() > kStatesBytesMax)
        states.pop_back();
}

std::string encode_found_states(const FoundStates& found) {
    RecordWriter writer;
    writer.text(kStatesMark);
    found_fields(writer, found.states);
    return writer.take();
}

std::optional<FoundStates> find_found_states(std::string_view notes) {
    RecordReader reader(notes);
    if (reader.text() != kStatesMark)
        return std::nullopt;
    FoundStates found;
    found_fields(reader, found.states);
    const auto is_sorted = [](const std::vector<FoundInput>& state) {
        return std::ranges::adjacent_find(state, std::ranges::greater_equal(), &FoundInput::path) == state.end();
    };
    const bool good =
        reader.is_complete() && found.states.size() <= kStatesMax && std::ranges::all_of(found.states, is_sorted);
    return good ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace fardel
