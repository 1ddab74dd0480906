#include <fardel/format/short_alias.h>

#include "ascii_word.h"

#include <fardel/base/ascii.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kBaseCharactersMax = 8;
constexpr std::size_t kExtensionCharactersMax = 3;
constexpr std::size_t kHashedPrefix = 2;  // characters of the long name, before four digits of a hash of it
constexpr std::size_t kHashDigits = 4;

// The characters of a text as aliases have them, one byte each. Which characters outside ASCII an alias keeps depends
// on the code page, so all of them are taken as equal.
struct AliasText {
    std::string text;
    bool changed = false;  // the alias is not the text itself in another case
    bool wide = false;     // has characters outside ASCII, each of which may take one or two bytes of the alias

    void add(char byte) {
        const auto value = static_cast<unsigned char>(byte);
        if ((value & 0xc0) == 0x80)
            return;  // the rest of a character
        const bool special = std::string_view("+,;=[]").find(byte) != std::string_view::npos;
        changed = changed || special || value >= 0x80;
        wide = wide || value >= 0x80;
        text += special || value >= 0x80 ? '_' : lower_ascii(byte);
    }
};

AliasText alias_text(std::string_view text) {
    AliasText out;
    for (const char byte : text) {
        if (byte == ' ' || byte == '.')
            out.changed = true;
        else
            out.add(byte);
    }
    return out;
}

struct SplitPart {
    AliasText base, extension;
};

// Splits at the last dot. Dots at the start are left out.
SplitPart split_part(std::string_view part) {
    const std::size_t first = std::min(part.find_first_not_of('.'), part.size());
    const std::size_t dot = part.rfind('.');
    const bool has_extension = dot != part.npos && dot > first;
    SplitPart out{.base = alias_text(part.substr(first, has_extension ? dot - first : part.npos)),
                  .extension = alias_text(has_extension ? part.substr(dot + 1) : std::string_view())};
    out.base.changed = out.base.changed || first > 0;
    return out;
}

std::string key_of(std::string_view folder, std::size_t digits, std::string_view prefix, std::string_view extension) {
    std::string key(folder);
    key.append(1, '\0').append(std::to_string(digits)).append(1, '/').append(prefix).append(1, '.').append(extension);
    return key;
}

// Calls visit(folder, part, end) for each part of a name; `folder` is what precedes it.
template <class Visit>
void visit_parts(std::string_view name, const Visit& visit) {
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('/', at), name.size());
        visit(name.substr(0, at), name.substr(at, end - at));
        at = end + 1;
    }
}

bool is_hex(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return is_ascii_digit(c) || (c >= 'a' && c <= 'f'); });
}

struct AliasForm {
    std::string prefix;  // before '~'
    std::size_t digits = 0;
    std::string extension;
};

// A base of at most 8 characters that ends in '~' and a number from 1 on, then at most one extension of at most 3.
std::optional<AliasForm> find_alias_form(std::string_view part) {
    auto [base, extension] = split_part(part);
    const std::size_t tilde = base.text.rfind('~');
    if (part.find(' ') != part.npos || part.starts_with('.') || std::ranges::count(part, '.') > 1 ||
        base.text.size() > kBaseCharactersMax || extension.text.size() > kExtensionCharactersMax ||
        tilde == base.text.npos || tilde == 0)
        return std::nullopt;
    const std::string_view number = std::string_view(base.text).substr(tilde + 1);
    if (number.empty() || number.front() == '0' || !std::ranges::all_of(number, is_ascii_digit))
        return std::nullopt;
    return AliasForm{base.text.substr(0, tilde), number.size(), std::move(extension.text)};
}

// Parts in the form of aliases, by what the long name must be like.
class Aliases {
public:
    void add(std::size_t name, std::string_view text) {
        if (text.find('~') == text.npos)
            return;
        visit_parts(text, [&](std::string_view folder, std::string_view part) { add(name, folder, part); });
    }

    bool empty() const { return by_key_.empty(); }

    // Removes and returns the names with a part that may be the alias of a part of `text`.
    std::vector<std::size_t> extract_of(std::string_view text) {
        std::vector<std::size_t> found;
        visit_parts(text, [&](std::string_view folder, std::string_view part) {
            const std::string folded = fold_name(folder);
            if (folders_.contains(folded))
                extract_of(folded, part, found);
        });
        return found;
    }

private:
    void add(std::size_t name, std::string_view folder, std::string_view part) {
        const auto form = find_alias_form(part);
        if (!form)
            return;
        const std::string_view prefix = form->prefix;
        std::string folded = fold_name(folder);
        by_key_[key_of(folded, form->digits, prefix, form->extension)].push_back(name);
        // NTFS, after four names that begin alike: "PR1A2B~1".
        if (prefix.size() > kHashDigits && prefix.size() <= kHashedPrefix + kHashDigits &&
            is_hex(prefix.substr(prefix.size() - kHashDigits)))
            by_key_[key_of(folded, 0, prefix.substr(0, prefix.size() - kHashDigits), form->extension)].push_back(name);
        folders_.insert(std::move(folded));
    }

    void extract_of(const std::string& folder, std::string_view part, std::vector<std::size_t>& found) {
        const SplitPart split = split_part(part);
        const AliasText& base = split.base;
        const AliasText& extension = split.extension;
        // A name that is short enough has no second one.
        if (find_alias_form(part))
            return;
        if (!base.changed && !extension.changed && base.text.size() <= kBaseCharactersMax &&
            extension.text.size() <= kExtensionCharactersMax)
            return;
        const std::string_view end = std::string_view(extension.text).substr(0, kExtensionCharactersMax);
        const auto extract = [&](std::size_t digits, std::size_t size) {
            const auto at = by_key_.find(key_of(folder, digits, std::string_view(base.text).substr(0, size), end));
            if (at == by_key_.end())
                return;
            found.insert(found.end(), at->second.begin(), at->second.end());
            by_key_.erase(at);
        };
        extract(0, kHashedPrefix);
        for (std::size_t digits = 1; digits + 2 <= kBaseCharactersMax; ++digits) {
            const std::size_t size_max = std::min(base.text.size(), kBaseCharactersMax - 1 - digits);
            for (std::size_t size = base.wide ? 1 : size_max; size > 0 && size <= size_max; ++size)
                extract(digits, size);
        }
    }

    std::unordered_map<std::string, std::vector<std::size_t>> by_key_;
    std::unordered_set<std::string> folders_;  // folded, with '/' at the end
};

}  // namespace

std::vector<ShortAlias> find_short_aliases(std::size_t count,
                                           const std::function<std::optional<std::string_view>(std::size_t)>& text_of) {
    Aliases aliases;
    for (std::size_t i = 0; i < count; ++i)
        if (const auto text = text_of(i))
            aliases.add(i, *text);
    std::vector<ShortAlias> found;
    std::unordered_set<std::size_t> reported;
    for (std::size_t i = 0; i < count && !aliases.empty(); ++i)
        if (const auto text = text_of(i))
            for (const std::size_t alias : aliases.extract_of(*text))
                if (reported.insert(alias).second)
                    found.push_back({alias, i});
    return found;
}

}  // namespace fardel
