// RecordWriter and RecordReader: the fields of a record, which one function lists for both directions.
//
// Such a function is a template over the record; a writer writes the fields of a value, and a reader fills them.
// Numbers have 64 bits, little-endian; a text or a list begins with its length. The reader's bytes are untrusted: after
// the first error all fields are zero or empty, and is_complete() is false.
#pragma once

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/format/hash.h>
#include <fardel/format/ids.h>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fardel {

class RecordWriter {
public:
    void text(std::string_view text) { bytes_.sized_text<std::uint64_t>(text); }
    template <class Tag>
    void id(const Id32<Tag>& id) {
        bytes_.fixed(id);
    }
    // Integers, enumerations, truth values, and the bits of a double.
    template <class Number>
    void number(Number value) {
        if constexpr (std::same_as<Number, double>)
            bytes_.u64(std::bit_cast<std::uint64_t>(value));
        else
            bytes_.u64(static_cast<std::uint64_t>(value));
    }
    template <class Number>
    void number(Number value, Number) {
        number(value);
    }
    // The same in as many bytes as the type has: one or four.
    template <class Number>
    void compact(Number value) {
        if constexpr (sizeof(Number) == 1)
            bytes_.u8(static_cast<std::uint8_t>(value));
        else
            bytes_.u32(value);
    }
    // The number of the alternative, then its value.
    template <class... Kinds>
    void variant(const std::variant<Kinds...>& value) {
        number(value.index());
        std::visit(
            [this](const auto& alternative) {
                if constexpr (std::convertible_to<decltype(alternative), std::string_view>)
                    text(alternative);
                else
                    number(alternative);
            },
            value);
    }
    template <class Value, class Fields>
    void optional(const std::optional<Value>& value, Fields fields) {
        number(value.has_value());
        if (value)
            fields(*value);
    }
    template <class Items, class Each>
    void list(const Items& items, Each each, auto&&...) {
        number(items.size());
        for (const auto& item : items)
            each(item);
    }
    void texts(const std::vector<std::string>& items) {
        list(items, [this](const std::string& item) { text(item); });
    }

    Hash digest() const { return blake3(bytes_.bytes()); }
    std::string_view view() const noexcept { return bytes_.view(); }
    std::string take() { return std::string(bytes_.view()); }

private:
    ByteWriter bytes_;
};

class RecordReader {
public:
    explicit RecordReader(std::string_view bytes) : bytes_(bytes) {}

    void text(std::string& text) { text = bytes_.text(bytes_.count<std::uint64_t>(1)); }
    std::string text() { return std::string(bytes_.text(bytes_.count<std::uint64_t>(1))); }
    template <class Tag>
    void id(Id32<Tag>& id) {
        id = bytes_.fixed<Id32<Tag>>();
    }
    // A number that does not fit is an error.
    template <class Number>
    void number(Number& value) {
        const std::uint64_t bits = bytes_.u64();
        if constexpr (std::same_as<Number, double>) {
            value = std::bit_cast<double>(bits);
        } else {
            value = static_cast<Number>(bits);
            if (static_cast<std::uint64_t>(value) != bits)
                fail();
        }
    }
    template <class Number>
    void number(Number& value, Number last) {
        number(value);
        if (value > last)
            fail();
    }
    template <class Number>
    void compact(Number& value) {
        const std::uint32_t bits = sizeof(Number) == 1 ? bytes_.u8() : bytes_.u32();
        value = static_cast<Number>(bits);
        if (static_cast<std::uint32_t>(value) != bits)
            fail();
    }
    template <class... Kinds>
    void variant(std::variant<Kinds...>& value) {
        std::uint64_t index = 0;
        number(index);
        if (index >= sizeof...(Kinds))
            fail();
        std::uint64_t kind = 0;
        ((kind++ == index ? alternative(value.template emplace<Kinds>()) : void()), ...);
    }
    template <class Value, class Fields>
    void optional(std::optional<Value>& value, Fields fields) {
        bool is_set = false;
        number(is_set);
        if (is_set)
            fields(value.emplace());
    }
    // `bytes_each`: the size of the shortest item. `initial`: an item before it is read.
    template <class Item, class Each>
    void list(std::vector<Item>& items, Each each, std::size_t bytes_each = 8, const Item& initial = {}) {
        items.assign(bytes_.count<std::uint64_t>(bytes_each), initial);
        for (Item& item : items)
            each(item);
    }
    void texts(std::vector<std::string>& items) {
        list(items, [this](std::string& item) { text(item); });
    }

    void fail() { bytes_.fail(ErrorCode::malformed, "a field is out of its range"); }
    // Whether nothing was missing or out of its range, and nothing is left.
    bool is_complete() const noexcept { return bytes_.is_complete(); }

private:
    void alternative(std::string& value) { text(value); }
    template <class Number>
    void alternative(Number& value) {
        number(value);
    }

    ByteReader bytes_;
};

}  // namespace fardel
