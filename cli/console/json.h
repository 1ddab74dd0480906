// The output of `--json`. The man pages describe the shapes; keys keep their order; bytes that are not UTF-8 become
// U+FFFD; characters that could mislead a terminal or a reader are escaped, which changes no value.
//
// The library is nlohmann's, which takes long to compile; only json.cpp includes it.
#pragma once

#include "console.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

// A JSON value. Json{{"file", path}, {"bytes", 7}} is an object.
class Json {
public:
    struct Member;
    struct Element;

    Json() noexcept;  // null
    Json(std::nullptr_t) noexcept;
    Json(bool truth);
    Json(int number);
    Json(unsigned number);
    Json(long number);
    Json(unsigned long number);
    Json(long long number);
    Json(unsigned long long number);
    Json(double number);
    Json(const char* text);
    Json(std::string_view text);
    Json(const std::string& text);
    Json(const std::vector<std::string>& texts);
    Json(const std::vector<std::string_view>& texts);
    Json(std::initializer_list<Member> members);
    Json(const void*) = delete;  // otherwise a pointer would be a truth
    static Json array(std::initializer_list<Element> elements = {});
    static Json object();

    ~Json();
    Json(const Json& other);
    Json(Json&& other) noexcept;
    Json& operator=(Json other) noexcept;

    bool is_null() const noexcept;
    // The number of elements or members.
    std::size_t size() const noexcept;
    // Of an array.
    void push_back(Json element);
    // Of an object: replaces the value of the key, or adds the key as the last one.
    void set(std::string_view key, Json value);

private:
    friend class JsonView;
    friend std::string format_json(const Json& value, int indent);
    friend std::optional<Json> parse_json_object(std::string_view text);
    struct Value;
    explicit Json(Value value);

    std::unique_ptr<Value> value_;  // null: the value null
};

// `mutable`, because the elements of an initializer_list are const, and values are moved out of it.
struct Json::Member {
    std::string_view key;
    mutable Json value;
};

struct Json::Element {
    template <class T>
    requires std::convertible_to<T, Json> Element(T&& element) : value(std::forward<T>(element)) {}
    mutable Json value;
};

// `indent`: of each level; -1: all in one line.
std::string format_json(const Json& value, int indent = 2);

// Returns nothing if the text is not a JSON object.
std::optional<Json> parse_json_object(std::string_view text);

// A value inside of JSON that is not trusted: one that is absent or of another kind counts as empty. The Json must
// outlive the view and stay unchanged.
class JsonView {
public:
    JsonView(const Json& json) noexcept;

    // Of an object.
    JsonView at(std::string_view key) const;
    std::string_view text() const noexcept;
    bool is_text() const noexcept;
    std::optional<std::uint64_t> number() const noexcept;
    std::optional<bool> truth() const noexcept;
    // Of an array.
    std::vector<JsonView> elements() const;

private:
    explicit JsonView(const void* value) noexcept : value_(value) {}

    const void* value_;  // nlohmann's; null: absent
};

// {"error": its text, "code": its code}.
Json json_of(const Error& error);

// The array of what `make` returns for each value.
template <class Values, class Make>
Json json_list(const Values& values, Make make) {
    Json list = Json::array();
    for (const auto& value : values)
        list.push_back(make(value));
    return list;
}

// The hexadecimal digits of an id or key, or null.
template <class Id>
Json json_id(const std::optional<Id>& id) {
    return id ? Json(id->hex()) : Json();
}

// Prints the JSON value that `make_json` returns, or else the text that `make_text` returns, and ends the verb with
// `exit`. Only one of them is called.
template <class MakeJson, class MakeText>
Result<Exit> print_result(Console& console, bool as_json, MakeJson make_json, MakeText make_text,
                          Exit exit = Exit::fine) {
    return console.print(as_json ? format_json(make_json()) + "\n" : std::string(make_text()), exit);
}

}  // namespace fardel
