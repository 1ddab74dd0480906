#include "job_record.h"

#include "text/record_fields.h"

#include <fardel/format/name.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::string_view kResultMark = "job 1";
constexpr std::string_view kSetsMark = "found 1";
constexpr std::size_t kSetsMax = 16;

void reference_fields(auto& record, auto& references) {
    const auto fields = [&](auto& reference) {
        record.text(reference.first);
        record.text(reference.second.spelling);
        record.number(reference.second.use, kReferenceUseLast);
        record.number(reference.second.form, ReferenceForm::relative_uri);
        record.number(reference.second.optional);
        record.number(reference.second.line);
    };
    record.list(references, fields, 48);
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
    result.log = printable(reader.text(), SIZE_MAX);
    std::int64_t took_ms = 0;
    reader.number(took_ms);
    result.took = std::chrono::milliseconds(took_ms);
    reference_fields(reader, result.references);
    if (!reader.is_whole())
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

void FoundSets::add(std::vector<std::string> paths) {
    std::erase(sets, paths);
    sets.insert(sets.begin(), std::move(paths));
    if (sets.size() > kSetsMax)
        sets.resize(kSetsMax);
}

std::string encode_found_sets(const FoundSets& sets) {
    RecordWriter writer;
    writer.text(kSetsMark);
    writer.list(sets.sets, [&](const auto& set) { writer.texts(set); });
    return writer.take();
}

std::optional<FoundSets> find_found_sets(std::string_view notes) {
    RecordReader reader(notes);
    if (reader.text() != kSetsMark)
        return std::nullopt;
    FoundSets sets;
    reader.list(sets.sets, [&](auto& set) { reader.texts(set); });
    return reader.is_whole() && sets.sets.size() <= kSetsMax ? std::optional(std::move(sets)) : std::nullopt;
}

}  // namespace fardel
