#include "public_functions.h"

#include "cpp_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <span>

namespace fardel::arrows {
namespace {

using Tokens = std::span<const Token>;

// A pair of parentheses after one of these is no list of parameters.
constexpr std::array<std::string_view, 7> kNoFunctions = {"alignas",       "decltype", "explicit", "noexcept",
                                                          "__attribute__", "requires", "sizeof"};

bool is_macro_name(const Token& token) {
    return token.text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
}

bool has(Tokens tokens, std::string_view word) {
    return std::ranges::any_of(tokens, [&](const Token& token) { return token.is(word); });
}

class HeaderReader {
public:
    explicit HeaderReader(Tokens tokens) : tokens_(tokens) {}

    std::vector<std::string> read() {
        while (at_ < tokens_.size())
            read_scope("", "", true);
        return std::move(found_);
    }

private:
    // What is known of a declaration up to where the reader is.
    struct Declaration {
        std::size_t begin = 0;
        std::string name;  // of the function
        bool is_destructor = false;
        bool is_operator = false;
        bool is_value = false;  // behind a '='
        std::size_t angles = 0;
    };

    bool sees(std::string_view text, std::size_t ahead = 0) const {
        return at_ + ahead < tokens_.size() && tokens_[at_ + ahead].is(text);
    }
    bool at_end() const { return at_ >= tokens_.size(); }

    void skip_brackets() {
        std::size_t depth = 0;
        for (; !at_end(); ++at_) {
            depth += sees("(") || sees("[") || sees("{") ? 1 : 0;
            if ((sees(")") || sees("]") || sees("}")) && --depth == 0) {
                ++at_;
                return;
            }
        }
    }

    void read_scope(const std::string& prefix, const std::string& class_name, bool is_public) {
        while (!at_end()) {
            if (sees("}")) {
                ++at_;
                return;
            }
            if ((sees("public") || sees("private") || sees("protected")) && sees(":", 1)) {
                is_public = sees("public");
                at_ += 2;
                continue;
            }
            read_declaration(prefix, class_name, is_public);
        }
    }

    void read_declaration(const std::string& prefix, const std::string& class_name, bool is_public) {
        Declaration now;
        now.begin = at_;
        bool is_read = false;
        while (!at_end() && !is_read) {
            if (sees(";")) {
                ++at_;
                break;
            }
            if (sees("}"))
                break;
            is_read = sees("{") ? read_braces(now, prefix, is_public) : !read_token(now);
        }
        const Tokens all = tokens_.subspan(now.begin, at_ - now.begin);
        const bool is_function = !now.name.empty() && !now.is_operator && !now.is_destructor;
        const bool is_foreign = has(all.first(std::min<std::size_t>(all.size(), 3)), "friend") || all.empty() ||
                                all[0].is("using") || all[0].is("typedef") || all[0].is("static_assert");
        const std::string name = prefix + now.name;
        if (is_public && is_function && !is_foreign && now.name != class_name &&
            std::ranges::find(found_, name) == found_.end())
            found_.push_back(name);
    }

    // Always goes on.
    bool read_token(Declaration& now) {
        const bool counts_angles = !now.is_operator && !now.is_value;
        if (sees("operator"))
            now.is_operator = true;
        else if (sees("=") && counts_angles && now.angles == 0)
            now.is_value = true;
        else if (sees("<") && counts_angles)
            ++now.angles;
        else if (sees(">") && counts_angles && now.angles > 0)
            --now.angles;
        else if (sees("(") || sees("[")) {
            note_function(now);
            skip_brackets();
            return true;
        }
        ++at_;
        return true;
    }

    void note_function(Declaration& now) const {
        if (!sees("(") || now.angles > 0 || now.is_value || !now.name.empty() || at_ == now.begin)
            return;
        const Token& before = tokens_[at_ - 1];
        if (before.kind != TokenKind::word || std::ranges::find(kNoFunctions, before.text) != kNoFunctions.end() ||
            is_macro_name(before))
            return;
        now.name = before.text;
        now.is_destructor = at_ - now.begin >= 2 && tokens_[at_ - 2].is("~");
    }

    // Returns whether the declaration has ended.
    bool read_braces(const Declaration& now, const std::string& prefix, bool is_public) {
        const Tokens head = tokens_.subspan(now.begin, at_ - now.begin);
        if (!head.empty() && (head[0].is("namespace") || (head.size() > 1 && head[1].is("namespace")))) {
            const std::string& name = head.back().text;
            ++at_;
            read_scope(name == "fardel" ? prefix : prefix + name + "::", "", true);
            return true;
        }
        // `template <class T> class Id` has two of them; the one in the angles is not meant.
        const auto key = std::find_if(head.begin(), head.end(), [&](const Token& token) {
            const bool is_parameter = &token != head.data() && ((&token - 1)->is("<") || (&token - 1)->is(","));
            return !is_parameter && (token.is("class") || token.is("struct") || token.is("union"));
        });
        const bool is_class = key != head.end() && !has(head, "enum") && now.name.empty() && !now.is_value;
        if (is_class && is_public) {
            const std::string name = class_name_in(head.subspan(static_cast<std::size_t>(key - head.begin()) + 1));
            const bool is_open = !key->is("class");
            ++at_;
            read_scope(prefix + name + "::", name, is_open);
            return false;  // a ';' ends it
        }
        skip_brackets();
        if (is_class || has(head, "enum") || (now.name.empty() && !now.is_operator) || now.is_value)
            return false;
        if (sees(";"))
            ++at_;
        return true;
    }

    // The name stands behind attributes.
    static std::string class_name_in(Tokens behind_key) {
        std::size_t depth = 0;
        for (const Token& token : behind_key) {
            depth += token.is("[") || token.is("(") ? 1 : 0;
            if (depth == 0 && token.kind == TokenKind::word && !token.is("alignas"))
                return token.text;
            depth -= token.is("]") || token.is(")") ? 1 : 0;
        }
        return "";
    }

    Tokens tokens_;
    std::size_t at_ = 0;
    std::vector<std::string> found_;
};

std::vector<std::string> matches_of(const std::string& pattern, std::string_view text) {
    std::vector<std::string> found;
    const std::string copy(text);
    const std::regex expression(pattern);
    for (auto at = std::sregex_iterator(copy.begin(), copy.end(), expression); at != std::sregex_iterator(); ++at)
        found.push_back((*at)[1]);
    return found;
}

}  // namespace

std::vector<std::string> public_functions(std::string_view header) {
    const std::vector<Token> tokens = tokens_of(header);
    return HeaderReader(tokens).read();
}

std::vector<std::string> c_functions(std::string_view header) {
    return matches_of("FARDEL_API [a-z0-9_* ]*[* ](fardel_[a-z0-9_]+)\\(", header);
}

std::vector<std::string> structs_with_init(std::string_view header) {
    std::vector<std::string> names = matches_of("#define (FARDEL_[A-Z0-9_]+)_INIT", header);
    for (std::string& name : names)
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return names;
}

}  // namespace fardel::arrows
