#include "jobs/build_key.h"

#include "builtin.h"
#include "text/record_fields.h"

#include <fardel/format/hash.h>

#include <algorithm>
#include <string_view>

namespace fardel {
namespace {

// Raised when the contents of a key or the results of jobs change; all older keys then become useless.
constexpr std::string_view kKeySchema = "fardel job 1";
constexpr std::string_view kFoundSchema = "fardel job with found inputs 1";

template <class Values, class Key>
Values sorted_by(Values values, Key key) {
    std::ranges::stable_sort(values, {}, key);
    return values;
}

void add_processor(RecordWriter& fields, const Processor& processor) {
    const Builtin* const builtin = find_builtin(processor.builtin);
    fields.text(processor.builtin);
    fields.text(builtin ? builtin->version : std::string_view());
    fields.text(processor.name);
    fields.text(processor.version);
    fields.texts(processor.command);
    fields.number(processor.depfile);
    fields.number(processor.protocol);
    fields.list(sorted_by(processor.parameters, [](const auto& parameter) { return parameter.first; }),
                [&](const auto& parameter) {
                    fields.text(parameter.first);
                    fields.variant(parameter.second);
                });
    fields.list(sorted_by(processor.tags, &Tag::axis), [&](const Tag& tag) {
        fields.text(tag.axis);
        fields.text(tag.value);
    });
}

}  // namespace

BuildKey build_key(const ProcessorJob& job, const Hash& code) {
    RecordWriter fields;
    fields.text(kKeySchema);
    add_processor(fields, job.processor);
    fields.id(code);
    for (const auto* const inputs : {&job.sources, &job.others})
        fields.list(*inputs, [&](const JobInput& input) {
            fields.text(input.name.view());
            fields.id(input.asset);
        });
    fields.texts(job.outputs);
    return id_from<BuildKey>(fields.digest());
}

BuildKey build_key_with(const BuildKey& key, std::span<const FoundInput> found) {
    RecordWriter fields;
    fields.text(kFoundSchema);
    fields.id(key);
    fields.list(found, [&](const FoundInput& input) {
        fields.text(input.path);
        fields.number(input.asset.has_value());
        fields.id(input.asset.value_or(AssetId{}));
    });
    return id_from<BuildKey>(fields.digest());
}

}  // namespace fardel
