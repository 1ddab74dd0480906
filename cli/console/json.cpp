#include "json.h"

#include <fardel/format/name.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace fardel {

using Nlohmann = nlohmann::ordered_json;

struct Json::Value {
    Nlohmann json;
};

namespace {

// ---- Escapes --------------------------------------------------------------------------------------------------------

// Returns the bytes of the UTF-8 character that begins with `first`.
std::size_t character_bytes(unsigned char first) { return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4; }

std::string escape(std::string_view character) {
    char32_t value = static_cast<unsigned char>(character.front());
    if (character.size() > 1)
        value &= 0x7fu >> character.size();
    for (const char next : character.substr(1))
        value = value << 6 | (static_cast<unsigned char>(next) & 0x3f);
    const auto unit = [](char32_t number) {
        std::string text = "\\u0000";
        for (std::size_t i = 0; i < 4; ++i)
            text[5 - i] = "0123456789abcdef"[number >> 4 * i & 15];
        return text;
    };
    if (value < 0x10000)
        return unit(value);
    return unit(0xd800 + (value - 0x10000) / 0x400) + unit(0xdc00 + (value - 0x10000) % 0x400);
}

const Nlohmann& as_nlohmann(const void* value) { return *static_cast<const Nlohmann*>(value); }

}  // namespace

// ---- Json -----------------------------------------------------------------------------------------------------------

Json::Json(Value value) : value_(std::make_unique<Value>(std::move(value))) {}

Json::Json() noexcept = default;
Json::Json(std::nullptr_t) noexcept {}
Json::Json(bool truth) : Json(Value{truth}) {}
Json::Json(int number) : Json(Value{number}) {}
Json::Json(unsigned number) : Json(Value{number}) {}
Json::Json(long number) : Json(Value{number}) {}
Json::Json(unsigned long number) : Json(Value{number}) {}
Json::Json(long long number) : Json(Value{number}) {}
Json::Json(unsigned long long number) : Json(Value{number}) {}
Json::Json(double number) : Json(Value{number}) {}
Json::Json(const char* text) : Json(Value{text}) {}
Json::Json(std::string_view text) : Json(Value{text}) {}
Json::Json(const std::string& text) : Json(Value{text}) {}
Json::Json(const std::vector<std::string>& texts) : Json(Value{texts}) {}

Json::Json(const std::vector<std::string_view>& texts) : Json(Value{texts}) {}

Json::Json(std::initializer_list<Member> members) : Json(Value{Nlohmann::object()}) {
    for (const Member& member : members)
        set(member.key, std::move(member.value));
}

Json Json::array(std::initializer_list<Element> elements) {
    Json list(Value{Nlohmann::array()});
    for (const Element& element : elements)
        list.push_back(std::move(element.value));
    return list;
}

Json Json::object() { return Json(Value{Nlohmann::object()}); }

Json::~Json() = default;
Json::Json(const Json& other) : value_(other.value_ ? std::make_unique<Value>(*other.value_) : nullptr) {}
Json::Json(Json&& other) noexcept = default;

Json& Json::operator=(Json other) noexcept {
    value_ = std::move(other.value_);
    return *this;
}

bool Json::is_null() const noexcept { return value_ == nullptr; }

std::size_t Json::size() const noexcept { return value_ ? value_->json.size() : 0; }

void Json::push_back(Json element) {
    value_->json.push_back(element.value_ ? std::move(element.value_->json) : Nlohmann());
}

void Json::set(std::string_view key, Json value) {
    value_->json[std::string(key)] = value.value_ ? std::move(value.value_->json) : Nlohmann();
}

std::optional<Json> parse_json_object(std::string_view text) {
    Nlohmann json = Nlohmann::parse(text, nullptr, false);
    return json.is_object() ? std::optional(Json(Json::Value{std::move(json)})) : std::nullopt;
}

// ---- JsonView -------------------------------------------------------------------------------------------------------

JsonView::JsonView(const Json& json) noexcept : JsonView(json.value_ ? &json.value_->json : nullptr) {}

JsonView JsonView::at(std::string_view key) const {
    if (value_ == nullptr || !as_nlohmann(value_).is_object())
        return JsonView(nullptr);
    const auto found = as_nlohmann(value_).find(std::string(key));
    return JsonView(found == as_nlohmann(value_).end() ? nullptr : &*found);
}

bool JsonView::is_text() const noexcept { return value_ != nullptr && as_nlohmann(value_).is_string(); }

std::string_view JsonView::text() const noexcept {
    return is_text() ? std::string_view(as_nlohmann(value_).get_ref<const std::string&>()) : std::string_view();
}

std::optional<std::uint64_t> JsonView::number() const noexcept {
    if (value_ == nullptr || !as_nlohmann(value_).is_number_unsigned())
        return std::nullopt;
    return as_nlohmann(value_).get<std::uint64_t>();
}

std::optional<bool> JsonView::truth() const noexcept {
    if (value_ == nullptr || !as_nlohmann(value_).is_boolean())
        return std::nullopt;
    return as_nlohmann(value_).get<bool>();
}

std::vector<JsonView> JsonView::elements() const {
    std::vector<JsonView> views;
    if (value_ != nullptr && as_nlohmann(value_).is_array())
        for (const Nlohmann& element : as_nlohmann(value_))
            views.push_back(JsonView(&element));
    return views;
}

// ---- Text -----------------------------------------------------------------------------------------------------------

Json json_of(const Error& error) { return Json{{"error", error.text()}, {"code", error_code_name(error.code())}}; }

std::string format_json(const Json& value, int indent) {
    const Nlohmann null;
    const Nlohmann& json = value.value_ ? value.value_->json : null;
    const std::string text = json.dump(indent, ' ', false, Nlohmann::error_handler_t::replace);
    const auto is_plain = [](char c) { return static_cast<unsigned char>(c) < 0x7f; };
    if (std::ranges::all_of(text, is_plain))
        return text;
    // Outside of strings, and as a control character, JSON has only ASCII; so only what is in strings is looked at.
    std::string safe;
    for (std::size_t at = 0; at < text.size();) {
        const auto character = std::string_view(text).substr(at, character_bytes(static_cast<unsigned char>(text[at])));
        if (is_plain(text[at]) || printable(character) == character)
            safe += character;
        else
            safe += escape(character);
        at += character.size();
    }
    return safe;
}

}  // namespace fardel
