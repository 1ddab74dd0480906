// Reads the tables of a project file by lists of keys. Every mistake is reported with its position and with what to
// write instead.
//
// The function of a key reads its value into the target. The lists of keys are elsewhere. Pure; any thread; the text is
// untrusted.
#pragma once

#include "toml_document.h"

#include <fardel/base/result.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>
#include <fardel/format/tag.h>
#include <fardel/packer/nearest_word.h>
#include <fardel/packer/project.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fardel {

inline constexpr std::size_t kPathBytesMax = 4096;

// Counts all mistakes, and keeps the first one in the text.
class Mistakes {
public:
    explicit Mistakes(std::string_view file) : files_{std::string(file)} {}
    // By TomlPosition::file.
    explicit Mistakes(std::vector<std::string> files) : files_(std::move(files)) {}

    void add(TomlPosition at, std::string text, ErrorCode code = ErrorCode::malformed);
    void add(TomlPosition at, std::string_view what, const Error& error) {
        add(at, std::string(what) + ": " + error.message(), error.code());
    }
    std::size_t count() const { return count_; }
    ProjectPosition position(TomlPosition at) const { return {.file = files_[at.file], .line = at.line}; }
    // The reverse, without a column.
    TomlPosition position(const ProjectPosition& at) const {
        const auto file = std::ranges::find(files_, at.file);
        return {.file = static_cast<std::uint32_t>(file == files_.end() ? 0 : file - files_.begin()), .line = at.line};
    }
    Status status() const;

private:
    std::vector<std::string> files_;
    TomlPosition at_;
    std::string text_;
    ErrorCode code_ = ErrorCode::malformed;
    std::size_t count_ = 0;
};

// Whether `text` contains * or ?.
bool is_pattern(std::string_view text);

// ---- Values of one kind ---------------------------------------------------------------------------------------------

std::string_view kind_of(const TomlValue& value);

using VerifyText = Status (*)(std::string_view text);

// One key of a table and its value. A value of another kind is a mistake, and is not read.
struct KeyValue {
    const TomlEntry& entry;
    std::string_view example;  // what the person could write instead
    Mistakes& mistakes;

    void mistake(std::string text) const { mistakes.add(entry.value.at, std::move(text)); }

    template <class T>
    const T* expect(const TomlValue& value) const {
        const T* const found = std::get_if<T>(&value.value);
        if (!found)
            mistakes.add(value.at, in_short_quotes(entry.key) + " is " + std::string(kind_of(value)) + "; write " +
                                       std::string(example));
        return found;
    }
    template <class T>
    const T* expect() const {
        return expect<T>(entry.value);
    }
    // Accepts a text that is not empty and has no NUL.
    const std::string* expect_text(const TomlValue& value, std::size_t bytes_max = kPathBytesMax) const;
    const std::string* expect_text() const { return expect_text(entry.value); }
    // Returns an empty list if the value is not a list, or too long.
    std::span<const TomlValue> expect_list() const;

    void read(std::string& target) const;
    void read(std::string& target, VerifyText verify) const;
    // Reads the texts of a list, each of which must pass `verify` and be there once.
    void read(
        std::vector<std::string>& target, VerifyText verify = [](std::string_view) { return ok(); }) const;
    void read(bool& target) const;
    void read(std::optional<bool>& target) const;
    void read(Tags& target) const;
    // Joins the keys of nested tables by dots: metric.triangles.
    void read(std::vector<PlannedMetadata>& target) const;
    // `find` returns the value of a word; `known` lists the words for people.
    template <class Value>
    void read_word(Value& target, std::optional<Value> (*find)(std::string_view), std::string_view known) const {
        const auto* const word = expect_text();
        if (!word)
            return;
        if (const auto value = find(*word))
            target = *value;
        else
            mistake("there is no " + entry.key + " " + in_short_quotes(*word) + "; write " + std::string(known));
    }
};

// ---- Tables ---------------------------------------------------------------------------------------------------------

template <class Target>
struct Key {
    std::string_view name;
    void (*read)(const KeyValue& value, Target& target);
    std::string_view example = {};
};

// The functions of keys whose values are one member of the target, or a member of its member.
template <auto... members>
constexpr auto read_member = [](const KeyValue& value, auto& target) { value.read((target.*....*members)); };
template <VerifyText verify, auto... members>
constexpr auto read_verified = [](const KeyValue& value, auto& target) { value.read((target.*....*members), verify); };

// `where` names the table for people.
template <class Target>
void read_table(const TomlTable& table, std::string_view where, std::span<const Key<Target>> keys, Target& target,
                Mistakes& mistakes) {
    for (const TomlEntry& entry : table) {
        const auto key = std::ranges::find(keys, entry.key, &Key<Target>::name);
        if (key != keys.end()) {
            key->read({entry, key->example, mistakes}, target);
            continue;
        }
        std::vector<std::string_view> names;
        std::ranges::transform(keys, std::back_inserter(names), &Key<Target>::name);
        mistakes.add(entry.at, "there is no key " + in_short_quotes(entry.key) + " " + std::string(where) + "; " +
                                   suggest_word(entry.key, names, "the keys are: "));
    }
}

// Reads an array of tables such as [[rule]]; each table becomes one item of the member, and `finish` checks it, by
// the table as well if it takes one.
template <const auto& keys, auto finish, auto member, class Owner>
void read_tables(const KeyValue& value, Owner& owner) {
    using Target = typename std::remove_reference_t<decltype(owner.*member)>::value_type;
    const std::string heading = "[[" + value.entry.key + "]]";
    const std::string example = heading + " above each of its tables";
    const KeyValue tables{value.entry, example, value.mistakes};
    for (const TomlValue& item : tables.expect_list()) {
        const auto* const table = tables.expect<TomlTable>(item);
        if (!table)
            continue;
        Target target;
        if constexpr (requires { target.at; })
            target.at = value.mistakes.position(item.at);
        const std::size_t before = value.mistakes.count();
        read_table<Target>(*table, "in " + heading, keys, target, value.mistakes);
        if (value.mistakes.count() == before) {  // otherwise a missing key may just be misspelt
            if constexpr (requires { finish(target, *table, item.at, value.mistakes); })
                finish(target, *table, item.at, value.mistakes);
            else
                finish(target, item.at, value.mistakes);
        }
        (owner.*member).push_back(std::move(target));
    }
}

}  // namespace fardel
