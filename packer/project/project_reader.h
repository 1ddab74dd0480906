// Reads the tables of a project file: one row a key, every mistake noted with its place and what to write instead.
//
// A row's function reads one key into the target. Nothing here knows what keys there are. Pure; any thread; the text is
// untrusted.
#pragma once

#include "text/in_quotes.h"
#include "toml_document.h"

#include <fardel/format/name.h>
#include <fardel/format/result.h>
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
inline constexpr std::size_t kWordBytesMax = 255;  // of a tag, and of a metadata key

// All mistakes are looked for; the first in the text is told.
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

// With * or ?.
bool is_pattern(std::string_view text);
// A tag's axis or value.
bool is_tag_word(std::string_view word);

// ---- Values of one kind ---------------------------------------------------------------------------------------------

std::string_view kind_of(const TomlValue& value);

// `example`, here and below, is what to write instead.
template <class T>
const T* expect(const TomlValue& value, std::string_view key, std::string_view example, Mistakes& mistakes) {
    const T* const found = std::get_if<T>(&value.value);
    if (!found)
        mistakes.add(value.at,
                     in_short_quotes(key) + " is " + std::string(kind_of(value)) + "; write " + std::string(example));
    return found;
}

// Not empty, without NUL.
const std::string* expect_text(const TomlValue& value, std::string_view key, std::string_view example,
                               Mistakes& mistakes, std::size_t bytes_max = kPathBytesMax);
// Nothing when it is no list, or too long.
std::span<const TomlValue> expect_list(const TomlEntry& entry, std::string_view example, Mistakes& mistakes);

void read_text(const TomlEntry& entry, std::string_view example, std::string& target, Mistakes& mistakes);
// Texts of a list, each good by `verify`, none twice.
void read_texts(const TomlEntry& entry, std::string_view example, std::vector<std::string>& target,
                Status (*verify)(std::string_view), Mistakes& mistakes);
void read_tags(const TomlEntry& entry, std::vector<std::pair<std::string, std::string>>& tags, Mistakes& mistakes);
// Keys of a table in a table are joined by dots: metric.triangles.
void read_metadata(const TomlEntry& entry, std::vector<PlannedMetadata>& metadata, Mistakes& mistakes);

template <class Target>  // bool, or optional of it
void read_truth(const TomlEntry& entry, Target& target, Mistakes& mistakes) {
    if (const bool* const truth =
            expect<bool>(entry.value, entry.key, entry.key + " = true or " + entry.key + " = false", mistakes))
        target = *truth;
}

// ---- Tables: one row a key ------------------------------------------------------------------------------------------

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

// [[rule]] and its like: tables, each one target.
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
        if (mistakes.count() == before)  // else what seems to be missing was only misspelt
            finish(target, item.at, mistakes);
        targets.push_back(std::move(target));
    }
}

}  // namespace fardel
