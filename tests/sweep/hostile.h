// Values that parsers have failed on before: texts, numbers, and changes of bytes that know nothing of their form.
#pragma once

#include "kit/bytes.h"
#include "random.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace fardel::sweep {

using tests::Bytes;

// A path that no input may cause to exist. Hostile names lead there.
inline constexpr const char* kForbiddenPath = "/tmp/fardel-sweep-escaped";

// A name, or a text, that must not be believed or shown as it is.
std::string hostile_text(Random& random);
// A number at the edge of something; `count` is the size of the table that it may be an index of.
std::uint64_t hostile_number(Random& random, std::uint64_t before, std::uint64_t count);

// Changes one field of 1, 2, 4 or 8 bytes inside record `index`.
void change_field(Bytes& records, std::size_t record_bytes, std::size_t index, Random& random);
// Swaps, repeats, copies, removes, or reverses records, or changes a field.
void change_records(Bytes& records, std::size_t record_bytes, Random& random);
// Flips, overwrites, cuts, repeats or inserts bytes.
void damage(Bytes& bytes, Random& random);
// Changes words, lines and characters of a text that has words and lines.
void damage_text(std::string& text, Random& random);

}  // namespace fardel::sweep
