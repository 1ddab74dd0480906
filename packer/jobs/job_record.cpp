#include "job_record.h"

#include "text/record_bytes.h"

#include <fardel/format/name.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::string_view kResultMark = "job 1";
constexpr std::string_view kSetsMark = "found 1";
constexpr std::size_t kSetsMax = 16;

void write(RecordWriter& writer, const std::string& output, const FoundReference& reference) {
    writer.text(output);
    writer.text(reference.spelling);
    writer.number(static_cast<std::uint64_t>(reference.use));
    writer.number(static_cast<std::uint64_t>(reference.form));
    writer.number(reference.optional);
    writer.number(reference.line);
}

bool read(RecordReader& reader, std::string& output, FoundReference& reference) {
    output = reader.text();
    reference.spelling = reader.text();
    const std::uint64_t use = reader.number();
    const std::uint64_t form = reader.number();
    reference.optional = reader.number() != 0;
    reference.line = static_cast<std::uint32_t>(reader.number());
    if (use > static_cast<std::uint64_t>(kReferenceUseLast) ||
        form > static_cast<std::uint64_t>(ReferenceForm::relative_uri))
        return false;
    reference.use = static_cast<ReferenceUse>(use);
    reference.form = static_cast<ReferenceForm>(form);
    return true;
}

}  // namespace

CacheRecord record_of(const BuildKey& key, const JobResult& result) {
    CacheRecord record{.key = key, .outputs = {}, .notes = {}};
    for (const JobOutput& output : result.outputs)
        record.outputs.push_back({.name = output.name, .asset = output.asset, .size_bytes = output.size_bytes});
    RecordWriter writer;
    writer.text(kResultMark);
    writer.text(result.log);
    writer.number(static_cast<std::uint64_t>(result.took.count()));
    writer.number(result.references.size());
    for (const auto& reference : result.references)
        write(writer, reference.first, reference.second);
    record.notes = writer.take();
    return record;
}

std::optional<JobResult> find_result(const CacheRecord& record, const std::vector<std::string>& outputs) {
    RecordReader reader(record.notes);
    if (reader.text() != kResultMark)
        return std::nullopt;
    JobResult result;
    result.log = printable(reader.text(), SIZE_MAX);
    result.took = std::chrono::milliseconds(reader.number());
    result.references.resize(reader.count(48));
    for (auto& reference : result.references)
        if (!read(reader, reference.first, reference.second))
            return std::nullopt;
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
    writer.number(sets.sets.size());
    for (const auto& set : sets.sets) {
        writer.number(set.size());
        for (const std::string& path : set)
            writer.text(path);
    }
    return writer.take();
}

std::optional<FoundSets> find_found_sets(std::string_view notes) {
    RecordReader reader(notes);
    if (reader.text() != kSetsMark)
        return std::nullopt;
    FoundSets sets;
    sets.sets.resize(std::min<std::uint64_t>(reader.count(8), kSetsMax));
    for (auto& set : sets.sets) {
        set.resize(reader.count(8));
        for (std::string& path : set)
            path = reader.text();
    }
    return reader.is_whole() ? std::optional(std::move(sets)) : std::nullopt;
}

}  // namespace fardel
