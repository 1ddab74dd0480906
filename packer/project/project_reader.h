// Reads the tables of a project file by lists of keys. Every mistake is reported with its position and with what to
// write instead.
//
// The function of a key reads its value into the target. The lists of keys are elsewhere. Pure; any thread; the text is
// untrusted.
#pragma once

#include "text/in_quotes.h"
#include "toml_document.h"

#include <fardel/format/name.h>
#include <fardel/format/result.h>
#include <fardel/format/tag.h>
#include <fardel/packer/nearest_word.h>
#include <fardel/packer/project.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fardel {

inline constexpr std::size_t kPathBytesMax = 4096;
inline constexpr std::size_t kMetadataKeyBytesMax = 255;

// Counts all mistakes, and keeps the first one in the text.
class Mistakes {
public:
    explicit Mistakes(std::string_view file) : file_(file) {}

    void add(TomlPosition at, std::string text, ErrorCode code = ErrorCode::malformed);
    void add(TomlPosition at, std::string_view what, const Error& error) {
        add(at, std::string(what) + ": " + error.message(), error.code());
    }

    std::size_t count() const { return count_; }
    Status status() const;

private:
    std::string file_;
    TomlPosition at_;
    std::string text_;
    ErrorCode code_ = ErrorCode::malformed;
    std::size_t count_ = 0;
};

// Whether `text` contains * or ?.
bool is_pattern(std::string_view text);

// ---- Values of one kind ---------------------------------------------------------------------------------------------

std::string_view kind_of(const TomlValue& value);

// In all functions here, `example` is what the person could write instead.
template <class T>
const T* expect(const TomlValue& value, std::string_view key, std::string_view example, Mistakes& mistakes) {
    const T* const found = std::get_if<T>(&value.value);
    if (!found)
        mistakes.add(value.at,
                     in_short_quotes(key) + " is " + std::string(kind_of(value)) + "; write " + std::string(example));
    return found;
}

// Accepts a text that is not empty and has no NUL.
const std::string* expect_text(const TomlValue& value, std::string_view key, std::string_view example,
                               Mistakes& mistakes, std::size_t bytes_max = kPathBytesMax);
// Returns an empty list if the value is not a list, or too long.
std::span<const TomlValue> expect_list(const TomlEntry& entry, std::string_view example, Mistakes& mistakes);

void read_text(const TomlEntry& entry, std::string_view example, std::string& target, Mistakes& mistakes);
// Reads the texts of a list, each of which must pass `verify` and be there once.
void read_texts(const TomlEntry& entry, std::string_view example, std::vector<std::string>& target,
                Status (*verify)(std::string_view), Mistakes& mistakes);
void read_tags(const TomlEntry& entry, Tags& tags, Mistakes& mistakes);
// Joins the keys of nested tables by dots: metric.triangles.
void read_metadata(const TomlEntry& entry, std::vector<PlannedMetadata>& metadata, Mistakes& mistakes);

template <class Target>  // bool, or optional<bool>
void read_truth(const TomlEntry& entry, Target& target, Mistakes& mistakes) {
    if (const bool* const truth =
            expect<bool>(entry.value, entry.key, entry.key + " = true or " + entry.key + " = false", mistakes))
        target = *truth;
}

// ---- Tables ---------------------------------------------------------------------------------------------------------

template <class Target>
struct Key {
    std::string_view name;
    void (*read)(const TomlEntry& entry, Target& target, Mistakes& mistakes);
};

// `where` names the table for people.
template <class Target>
void read_table(const TomlTable& table, std::string_view where, std::span<const Key<Target>> keys, Target& target,
                Mistakes& mistakes) {
    for (const TomlEntry& entry : table) {
        const auto key = std::ranges::find(keys, entry.key, &Key<Target>::name);
        if (key != keys.end()) {
            key->read(entry, target, mistakes);
            continue;
        }
        std::vector<std::string_view> names;
        std::ranges::transform(keys, std::back_inserter(names), &Key<Target>::name);
        std::string known;
        for (const std::string_view name : names)
            known += (known.empty() ? "" : ", ") + std::string(name);
        const auto nearest = find_nearest_word(entry.key, names);
        mistakes.add(entry.at,
                     "there is no key " + in_short_quotes(entry.key) + " " + std::string(where) + "; " +
                         (nearest ? "did you mean '" + std::string(*nearest) + "'?" : "the keys are: " + known));
    }
}

// Reads an array of tables such as [[rule]]; each table becomes one target.
template <class Target>
void read_tables(const TomlEntry& entry, std::span<const Key<Target>> keys, std::vector<Target>& targets,
                 void (*finish)(Target&, TomlPosition, Mistakes&), Mistakes& mistakes) {
    const std::string heading = "[[" + entry.key + "]]";
    for (const TomlValue& item : expect_list(entry, heading + " above each of its tables", mistakes)) {
        const auto* const table = expect<TomlTable>(item, entry.key, heading + " above each of its tables", mistakes);
        if (!table)
            continue;
        Target target;
        const std::size_t before = mistakes.count();
        read_table(*table, "in " + heading, keys, target, mistakes);
        if (mistakes.count() == before)  // otherwise a missing key may just be misspelt
            finish(target, item.at, mistakes);
        targets.push_back(std::move(target));
    }
}

}  // namespace fardel
