#include <fardel/packer/build_key.h>

#include "builtin.h"

#include <fardel/format/hash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>

namespace fardel {
namespace {

// Raised when the contents of a key or the results of jobs change; all older keys then become useless.
constexpr std::string_view kKeySchema = "fardel job 1";
constexpr std::string_view kFoundSchema = "fardel job with found inputs 1";

// Each field is preceded by its length, so that different lists of fields never give the same bytes.
class KeyFields {
public:
    void number(std::uint64_t value) {
        std::array<std::byte, 8> bytes;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::byte>(value >> (8 * i));
        hasher_.update(bytes);
    }
    void text(std::string_view value) {
        number(value.size());
        hasher_.update(std::as_bytes(std::span(value)));
    }
    template <class Tag>
    void id(const Id32<Tag>& value) {
        hasher_.update(std::as_bytes(std::span(value.bytes)));
    }
    template <class Items, class Write>
    void list(const Items& items, Write write) {
        number(items.size());
        for (const auto& item : items)
            write(item);
    }
    BuildKey finish() const { return id_from<BuildKey>(hasher_.finish()); }

private:
    Hasher hasher_;
};

void add_parameter(KeyFields& fields, const std::pair<std::string, ParameterValue>& parameter) {
    fields.text(parameter.first);
    fields.number(parameter.second.index());
    if (const auto* const text = std::get_if<std::string>(&parameter.second))
        fields.text(*text);
    else if (const auto* const integer = std::get_if<std::int64_t>(&parameter.second))
        fields.number(static_cast<std::uint64_t>(*integer));
    else if (const auto* const number = std::get_if<double>(&parameter.second))
        fields.number(std::bit_cast<std::uint64_t>(*number));
    else
        fields.number(std::get<bool>(parameter.second) ? 1 : 0);
}

template <class Values, class Key>
Values sorted_by(Values values, Key key) {
    std::ranges::stable_sort(values, {}, key);
    return values;
}

void add_processor(KeyFields& fields, const Processor& processor) {
    const Builtin* const builtin = find_builtin(processor.builtin);
    fields.text(processor.builtin);
    fields.text(builtin ? builtin->version : std::string_view());
    fields.text(processor.name);
    fields.text(processor.version);
    fields.list(processor.command, [&](const std::string& argument) { fields.text(argument); });
    fields.number(processor.depfile ? 1 : 0);
    fields.number(processor.protocol ? 1 : 0);
    fields.list(sorted_by(processor.parameters, [](const auto& parameter) { return parameter.first; }),
                [&](const auto& parameter) { add_parameter(fields, parameter); });
    fields.list(sorted_by(processor.tags, &Tag::axis), [&](const Tag& tag) {
        fields.text(tag.axis);
        fields.text(tag.value);
    });
}

}  // namespace

BuildKey build_key(const ProcessorJob& job, const Hash& code) {
    KeyFields fields;
    fields.text(kKeySchema);
    add_processor(fields, job.processor);
    fields.id(code);
    for (const auto* const inputs : {&job.sources, &job.others})
        fields.list(*inputs, [&](const JobInput& input) {
            fields.text(input.name.view());
            fields.id(input.asset);
        });
    fields.list(job.outputs, [&](const std::string& output) { fields.text(output); });
    return fields.finish();
}

BuildKey build_key_with(const BuildKey& key, std::span<const FoundInput> found) {
    KeyFields fields;
    fields.text(kFoundSchema);
    fields.id(key);
    fields.list(found, [&](const FoundInput& input) {
        fields.text(input.path);
        fields.number(input.asset ? 1 : 0);
        fields.id(input.asset.value_or(AssetId{}));
    });
    return fields.finish();
}

}  // namespace fardel
