#include "definitions.h"

#include "cpp_tokens.h"
#include "kit/files.h"

#include <array>
#include <map>
#include <regex>
#include <tuple>

namespace fardel::arrows {
namespace {

namespace fs = std::filesystem;

using Tokens = std::span<const Token>;

template <std::size_t Count>
bool is_one_of(const Token& token, const std::array<std::string_view, Count>& words) {
    return token.kind != TokenKind::literal && std::ranges::find(words, token.text) != words.end();
}

constexpr std::array<std::string_view, 4> kClassKeys = {"class", "struct", "union", "enum"};
// A pair of parentheses after one of these is no list of parameters.
constexpr std::array<std::string_view, 6> kTakesParentheses = {"alignas",  "decltype",      "noexcept",
                                                               "explicit", "__attribute__", "requires"};
// Words that are no name of a parameter or variable, but the end of a type.
constexpr std::array<std::string_view, 14> kTypeWords = {"bool",   "char",     "char8_t", "char16_t", "char32_t",
                                                         "double", "float",    "int",     "long",     "short",
                                                         "signed", "unsigned", "void",    "auto"};
constexpr std::array<std::string_view, 3> kQualifiers = {"const", "volatile", "typename"};

bool is_macro(const Token& token) {
    return token.kind == TokenKind::word && token.text.size() > 1 &&
           token.text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
}

std::string joined(Tokens tokens) {
    std::string text;
    for (const Token& token : tokens)
        text += (text.empty() ? "" : " ") + token.text;
    return text;
}

// ---- Parameters -----------------------------------------------------------------------------------------------------

// "const Part & part = {}" → "const Part &": overloads differ in their types alone.
std::string type_of_parameter(Tokens parameter) {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < parameter.size(); ++i) {
        const std::string& text = parameter[i].text;
        depth += text == "(" || text == "<" || text == "{" || text == "[" ? 1 : 0;
        depth -= depth > 0 && (text == ")" || text == ">" || text == "}" || text == "]") ? 1 : 0;
        if (text == "=" && depth == 0) {
            parameter = parameter.first(i);
            break;
        }
    }
    if (parameter.size() > 1 && parameter.back().kind == TokenKind::word && !is_one_of(parameter.back(), kTypeWords)) {
        const Token& before = parameter[parameter.size() - 2];
        if (!before.is("::") && !is_one_of(before, kQualifiers) && !is_one_of(before, kClassKeys))
            parameter = parameter.first(parameter.size() - 1);
    }
    return joined(parameter);
}

std::string types_of_parameters(Tokens parameters) {
    std::string types;
    std::size_t depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= parameters.size(); ++i) {
        if (i < parameters.size()) {
            const std::string& text = parameters[i].text;
            depth += text == "(" || text == "<" || text == "{" || text == "[" ? 1 : 0;
            depth -= depth > 0 && (text == ")" || text == ">" || text == "}" || text == "]") ? 1 : 0;
            if (text != "," || depth > 0)
                continue;
        }
        types += (types.empty() ? "" : ", ") + type_of_parameter(parameters.subspan(begin, i - begin));
        begin = i + 1;
    }
    return types;
}

// ---- One file -------------------------------------------------------------------------------------------------------

class DefinitionReader {
public:
    DefinitionReader(Tokens tokens, const std::string& file) : tokens_(tokens), file_(file) {}

    std::vector<Definition> read() {
        while (at_ < tokens_.size()) {
            read_declarations("", false);
            ++at_;  // a '}' that closes nothing
        }
        return std::move(found_);
    }

private:
    // ---- Tokens

    bool sees(std::string_view text, std::size_t ahead = 0) const {
        return at_ + ahead < tokens_.size() && tokens_[at_ + ahead].is(text);
    }
    bool sees_opening() const { return sees("(") || sees("{") || sees("["); }
    bool at_end() const { return at_ >= tokens_.size(); }

    // Past the bracket that closes the one here. Returns what is between both.
    Tokens take_brackets() {
        const std::size_t begin = at_ + 1;
        std::size_t depth = 0;
        for (; !at_end(); ++at_) {
            depth += sees_opening() ? 1 : 0;
            if ((sees(")") || sees("}") || sees("]")) && --depth == 0)
                break;
        }
        const std::size_t end = std::min(at_, tokens_.size());
        at_ = end + 1;
        return tokens_.subspan(std::min(begin, end), end - std::min(begin, end));
    }

    // Past the '>' that closes the '<' here. Returns all from '<' to '>'.
    std::string take_angles() {
        const std::size_t begin = at_;
        std::size_t depth = 0;
        while (!at_end()) {
            if (sees_opening()) {
                take_brackets();
                continue;
            }
            depth += sees("<") ? 1 : 0;
            depth -= sees(">") ? 1 : 0;
            ++at_;
            if (depth == 0)
                break;
        }
        at_ = std::min(at_, tokens_.size());
        return joined(tokens_.subspan(begin, at_ - begin));
    }

    // To the ';' that ends this declaration. Returns what is before it.
    Tokens take_statement() {
        const std::size_t begin = at_;
        while (!at_end() && !sees(";")) {
            if (sees_opening())
                take_brackets();
            else
                ++at_;
        }
        at_ = std::min(at_, tokens_.size());
        return tokens_.subspan(begin, at_ - begin);
    }

    bool skip_attribute() {
        if (!sees("[") || !sees("[", 1))
            return false;
        take_brackets();
        return true;
    }

    // ---- Scopes

    // Up to the '}' of the scope, or the end of the file.
    void read_declarations(const std::string& scope, bool in_c) {
        while (!at_end() && !sees("}"))
            read_declaration(scope, in_c);
    }

    void read_declaration(const std::string& scope, bool in_c) {
        if (sees(";")) {
            ++at_;
        } else if (sees("namespace") || (sees("inline") && sees("namespace", 1))) {
            read_namespace(scope);
        } else if (sees("extern") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].kind == TokenKind::literal) {
            at_ += 2;
            if (sees("{"))
                read_block(scope, true);
            else
                read_declaration(scope, true);
        } else if (sees("static_assert") || sees("friend") || (sees("extern") && sees("template", 1))) {
            take_statement();
        } else if (is_macro(tokens_[at_]) && sees("(", 1)) {
            ++at_;
            take_brackets();
            if (sees("{"))
                take_brackets();
        } else if (sees("template")) {
            read_template(scope);
        } else {
            read_entity(scope, "", in_c);
        }
    }

    void read_block(const std::string& scope, bool in_c) {
        ++at_;
        read_declarations(scope, in_c);
        ++at_;
    }

    void read_namespace(const std::string& scope) {
        at_ += sees("inline") ? 2 : 1;
        while (skip_attribute()) {
        }
        std::string name;
        while (!at_end() && !sees("{") && !sees(";") && !sees("="))
            name += tokens_[at_++].text;
        if (!sees("{"))
            take_statement();  // an alias
        else if (name.empty())
            take_brackets();  // nobody outside sees what is in it
        else
            read_block(scope + name + "::", false);
    }

    void read_template(const std::string& scope) {
        std::string head;
        while (sees("template")) {
            ++at_;
            if (!sees("<")) {  // an instantiation
                take_statement();
                return;
            }
            head += take_angles();
        }
        if (sees("requires"))
            skip_requirement();
        read_entity(scope, head, false);
    }

    // requires (…) && is_small<T> || other::is_large<T>
    void skip_requirement() {
        do {
            at_ += sees("requires") ? 1 : 2;  // or both characters of && and ||
            if (sees("requires")) {
                ++at_;
                if (sees("("))
                    take_brackets();
                take_brackets();
            } else if (sees("(")) {
                take_brackets();
            } else {
                do {
                    at_ += sees("::") ? 2 : 1;
                    if (sees("<"))
                        take_angles();
                } while (sees("::"));
            }
        } while ((sees("&") && sees("&", 1)) || (sees("|") && sees("|", 1)));
    }

    // ---- What is defined

    void add(std::string name, std::size_t line, std::string alias_of = "") {
        found_.push_back({std::move(name), file_, line, std::move(alias_of)});
    }

    // A type, alias, concept, function or variable. `head`: of a template; otherwise empty.
    void read_entity(const std::string& scope, const std::string& head, bool in_c) {
        if (sees("using"))
            return read_using(scope);
        if (sees("typedef"))
            return read_typedef(scope);
        if (sees("concept")) {
            add(scope + tokens_[at_ + 1].text, tokens_[at_ + 1].line);
            take_statement();
            return;
        }
        std::vector<Token> before;  // specifiers, type and name
        while (!at_end() && !sees("}")) {
            const Token& token = tokens_[at_];
            if (skip_attribute())
                continue;
            if (is_one_of(token, kClassKeys) && read_type(scope)) {
                take_statement();
                return;
            }
            if (is_one_of(token, kTakesParentheses) && sees("(", 1)) {
                ++at_;
                take_brackets();
                before.push_back({TokenKind::sign, token.text, token.line});
            } else if (sees("operator")) {
                take_operator(before);
                return read_function(scope, head, before, in_c);
            } else if (sees("<")) {
                before.push_back({TokenKind::sign, take_angles(), token.line});
            } else if (sees("(")) {
                return read_function(scope, head, before, in_c);
            } else if (sees("[")) {
                take_brackets();
            } else if (sees(";") || sees("=") || sees("{")) {
                add_variable(scope, before, !sees(";"));
                take_statement();
                return;
            } else {
                before.push_back(token);
                ++at_;
            }
        }
    }

    // using Name = type; no others define something.
    void read_using(const std::string& scope) {
        ++at_;
        const Token name = at_end() ? Token() : tokens_[at_];
        if (name.kind == TokenKind::word && sees("=", 1)) {
            at_ += 2;
            add(scope + name.text, name.line, joined(take_statement()));
        } else {
            take_statement();
        }
    }

    // typedef struct Part { … } Part; defines one name, in the manner of C.
    void read_typedef(const std::string& scope) {
        ++at_;
        const std::size_t begin = at_;
        const std::size_t known = found_.size();
        if (!at_end() && is_one_of(tokens_[at_], kClassKeys))
            read_type(scope);
        const Tokens names = take_statement();
        if (names.empty())
            return;
        // typedef int (*name)(char): the name follows the first "(*"; otherwise it is last.
        const Token* name = &names.back();
        for (std::size_t i = 0; i + 2 < names.size(); ++i)
            if (names[i].is("(") && names[i + 1].is("*")) {
                name = &names[i + 2];
                break;
            }
        const Tokens all = tokens_.subspan(begin, at_ - begin);
        const bool is_declared = all.size() == 3 && is_one_of(all[0], kClassKeys) && all[1].is(all[2].text);
        const bool is_defined = found_.size() > known && found_.back().name == scope + name->text;
        if (!is_declared && !is_defined)
            add(scope + name->text, name->line, joined(all));
    }

    // At class, struct, union or enum. Reads the type if it is defined or declared here, up to before the ';'.
    // Otherwise (struct stat status;) nothing is read, and false is returned.
    bool read_type(const std::string& scope) {
        const std::size_t begin = at_;
        at_ += sees("enum") && (sees("class", 1) || sees("struct", 1)) ? 2 : 1;
        std::string name;
        std::size_t line = 0;
        for (bool joins = false; !at_end();) {
            if (skip_attribute())
                continue;
            const Token& token = tokens_[at_];
            if (sees("alignas")) {
                ++at_;
                take_brackets();
            } else if (sees("::")) {
                name += "::";
                joins = true;
                ++at_;
            } else if (sees("<")) {
                name += take_angles();
            } else if (token.kind == TokenKind::word && !sees("final")) {
                name = joins ? name + token.text : token.text;  // of two words, the first is a macro
                line = token.line;
                joins = false;
                ++at_;
            } else {
                break;
            }
        }
        if (sees("final"))
            ++at_;
        if (sees(":"))
            while (!at_end() && !sees("{") && !sees(";"))
                ++at_;
        if (sees(";"))
            return true;
        if (!sees("{")) {
            at_ = begin;
            return false;
        }
        if (!name.empty())
            add(scope + name, line);
        take_brackets();
        return true;
    }

    // operator==, operator(), operator""_id: as the name.
    void take_operator(std::vector<Token>& before) {
        Token name{TokenKind::word, "operator", tokens_[at_].line};
        ++at_;
        if (sees("(") && sees(")", 1)) {
            name.text += "()";
            at_ += 2;
        }
        while (!at_end() && !sees("("))
            name.text += tokens_[at_++].text;
        before.push_back(std::move(name));
    }

    static bool is_member(const std::vector<Token>& before) {
        const std::size_t count = before.size();
        return count > 2 && (before[count - 2].is("::") || before[count - 2].is("~"));
    }

    static bool has(const std::vector<Token>& before, std::string_view word) {
        return std::ranges::any_of(before, [&](const Token& token) { return token.is(word); });
    }

    // At the '(' of the parameters.
    void read_function(const std::string& scope, const std::string& head, const std::vector<Token>& before, bool in_c) {
        // "Part::~Part(" and "Part::Part(" begin with the name of a class, "Part<int>::Part(" with its arguments.
        Token name;
        std::string arguments;  // of a specialisation
        std::vector<Token> until_name = before;
        if (!until_name.empty() && until_name.back().text.starts_with("<")) {
            arguments = until_name.back().text;
            until_name.pop_back();
        }
        if (!until_name.empty())
            name = until_name.back();
        const std::string parameters = types_of_parameters(take_brackets());
        if (!skip_to_body())
            return;
        const bool is_free = name.kind == TokenKind::word && !is_member(until_name) && until_name.size() > 1;
        if (is_free && !has(before, "static") && !(scope.empty() && name.text == "main"))
            add(in_c ? name.text : scope + name.text + arguments + head + "(" + parameters + ")", name.line);
        take_brackets();
    }

    // After the parameters of a function. Returns whether they are followed by a body, which is then here; otherwise
    // the declaration has been read.
    bool skip_to_body() {
        while (!at_end()) {
            if (sees("{"))
                return true;
            if (sees("=") || sees(";") || sees(",")) {  // = default, a declaration, variables
                take_statement();
                return false;
            }
            if (sees(":")) {
                skip_initialisers();
                return sees("{");
            }
            if (sees("<"))
                take_angles();
            else if (sees_opening())
                take_brackets();
            else
                ++at_;
        }
        return false;
    }

    // ": a(1), b{2}, Base<int>(3)" before the body of a constructor.
    void skip_initialisers() {
        do {
            ++at_;
            while (!at_end() && !sees("(") && !sees("{")) {
                if (sees("<"))
                    take_angles();
                else
                    ++at_;
            }
            take_brackets();
            while (sees("."))
                ++at_;
        } while (sees(","));
    }

    void add_variable(const std::string& scope, const std::vector<Token>& before, bool initialised) {
        std::vector<Token> until_name = before;
        std::string arguments;
        if (until_name.size() > 2 && until_name.back().text.starts_with("<")) {
            arguments = until_name.back().text;
            until_name.pop_back();
        }
        if (until_name.size() < 2 || until_name.back().kind != TokenKind::word || is_member(until_name))
            return;
        if (has(before, "static") || (has(before, "extern") && !initialised))
            return;
        // A constant is the file's own unless it is inline or extern; in "const char* p", p is no constant.
        const auto pointer = std::find_if(until_name.rbegin(), until_name.rend(),
                                          [](const Token& token) { return token.is("*") || token.is("&"); });
        const bool is_const =
            has(before, "constexpr") ||
            std::any_of(until_name.rbegin(), pointer, [](const Token& token) { return token.is("const"); });
        if (is_const && !has(before, "inline") && !has(before, "extern"))
            return;
        add(scope + until_name.back().text + arguments, until_name.back().line);
    }

    Tokens tokens_;
    const std::string& file_;
    std::size_t at_ = 0;
    std::vector<Definition> found_;
};

// ---- The tree -------------------------------------------------------------------------------------------------------

// "base/clock" of base/clock_posix.cpp: of such files, a system builds one.
std::string without_system(const std::string& file) {
    static const std::regex system("_(posix|linux|windows|none)\\.(cpp|h)$");
    return std::regex_replace(file, system, ".$2");
}

bool is_the_same(const Definition& one, const Definition& other) {
    return one.file == other.file || (!one.alias_of.empty() && one.alias_of == other.alias_of) ||
           (without_system(one.file) == without_system(other.file));
}

}  // namespace

std::vector<Definition> definitions_in(std::string_view source, const std::string& file) {
    const std::vector<Token> tokens = tokens_of(source);
    return DefinitionReader(tokens, file).read();
}

std::vector<Finding> check_definitions(const fs::path& root, std::span<const std::string> folders) {
    std::map<std::string, std::vector<Definition>> by_name;
    for (const std::string& folder : folders)
        for (fs::recursive_directory_iterator entry(root / folder), end; entry != end; ++entry) {
            const fs::path& path = entry->path();
            if (!entry->is_regular_file() || (path.extension() != ".cpp" && path.extension() != ".h"))
                continue;
            const std::string file = path.lexically_relative(root).generic_string();
            for (Definition& definition : definitions_in(tests::read_file(path), file))
                by_name[definition.name].push_back(std::move(definition));
        }

    std::vector<Finding> findings;
    for (auto& [name, all] : by_name) {
        std::ranges::sort(all, {}, [](const Definition& one) { return std::tie(one.file, one.line); });
        for (const Definition& one : all)
            if (!is_the_same(one, all.front()))
                findings.push_back(
                    {one.file, one.line,
                     name + " is also defined in " + all.front().file + ":" + std::to_string(all.front().line)});
    }
    std::ranges::sort(findings, {}, [](const Finding& f) { return std::tie(f.file, f.line, f.text); });
    return findings;
}

}  // namespace fardel::arrows
