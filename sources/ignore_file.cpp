#include "ignore_file.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

// Without the spaces at its end, unless a '\\' precedes them, and without the '\r' of Windows.
std::string_view trimmed(std::string_view line) {
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    while (line.ends_with(' ') && !line.ends_with("\\ "))
        line.remove_suffix(1);
    return line;
}

// What one step of a glob matches.
struct Step {
    enum class Kind { character, any, any_run, any_parts, set } kind = Kind::character;
    char character = 0;
    std::string_view set;  // the text between the brackets
};

// Reads the step at the front of `glob` and removes it.
Step take_step(std::string_view& glob, bool at_part_start) {
    if (at_part_start && glob.starts_with("**/")) {
        glob.remove_prefix(3);
        return {Step::Kind::any_parts};
    }
    const char c = glob.front();
    glob.remove_prefix(1);
    if (c == '*') {
        // "**" that is no whole part counts as '*'; a whole part at the end matches everything below.
        const bool whole = at_part_start && glob == "*";
        while (glob.starts_with('*'))
            glob.remove_prefix(1);
        return {whole ? Step::Kind::any_parts : Step::Kind::any_run};
    }
    if (c == '?')
        return {Step::Kind::any};
    if (c == '[') {
        const std::size_t from = glob.starts_with("!]") || glob.starts_with("^]") ? 2 : glob.starts_with(']') ? 1 : 0;
        if (const std::size_t end = glob.find(']', from); end != glob.npos) {
            const Step step{Step::Kind::set, 0, glob.substr(0, end)};
            glob.remove_prefix(end + 1);
            return step;
        }
    }
    if (c == '\\' && !glob.empty()) {
        const Step step{Step::Kind::character, glob.front()};
        glob.remove_prefix(1);
        return step;
    }
    return {Step::Kind::character, c};
}

bool set_has(std::string_view set, char c) {
    const bool inverted = set.starts_with('!') || set.starts_with('^');
    if (inverted)
        set.remove_prefix(1);
    bool found = false;
    for (std::size_t i = 0; i < set.size(); ++i) {
        if (i + 2 < set.size() && set[i + 1] == '-') {
            found = found || (set[i] <= c && c <= set[i + 2]);
            i += 2;
        } else {
            found = found || set[i] == c;
        }
    }
    return found != inverted;
}

// Follows all positions of the text that the steps so far can have reached, so that no pattern is slow.
bool ignore_glob_matches(std::string_view glob, std::string_view text) {
    std::vector<bool> reached(text.size() + 1);
    reached[0] = true;
    bool part_starts = true;
    while (!glob.empty()) {
        const Step step = take_step(glob, part_starts);
        part_starts =
            step.kind == Step::Kind::any_parts || (step.kind == Step::Kind::character && step.character == '/');
        std::vector<bool> next(text.size() + 1);
        bool running = false;  // from an earlier position
        for (std::size_t at = 0; at <= text.size(); ++at) {
            const bool here = reached[at];
            switch (step.kind) {
                case Step::Kind::any_parts:
                    running = running || here;
                    // At the end of the glob, everything below; otherwise the start of any part.
                    if (running &&
                        (glob.empty() ? at == text.size() && !text.empty() : here || (at > 0 && text[at - 1] == '/')))
                        next[at] = true;
                    break;
                case Step::Kind::any_run:
                    running = (running && (at == 0 || text[at - 1] != '/')) || here;
                    if (running)
                        next[at] = true;
                    break;
                case Step::Kind::any:
                    if (here && at < text.size() && text[at] != '/')
                        next[at + 1] = true;
                    break;
                case Step::Kind::set:
                    if (here && at < text.size() && text[at] != '/' && set_has(step.set, text[at]))
                        next[at + 1] = true;
                    break;
                case Step::Kind::character:
                    if (here && at < text.size() && text[at] == step.character)
                        next[at + 1] = true;
                    break;
            }
        }
        reached = std::move(next);
    }
    return reached[text.size()];
}

std::optional<IgnoreFile::Pattern> parse_line(std::string_view line) {
    line = trimmed(line);
    if (line.empty() || line.starts_with('#'))
        return std::nullopt;
    IgnoreFile::Pattern pattern{.line = std::string(line)};
    if (line.starts_with('!')) {
        pattern.takes_back = true;
        line.remove_prefix(1);
    }
    if (line.ends_with('/')) {
        pattern.folders_only = true;
        line.remove_suffix(1);
    }
    pattern.tied = line.find('/') != line.npos;
    if (line.starts_with('/'))
        line.remove_prefix(1);
    pattern.glob = line;
    return line.empty() ? std::nullopt : std::optional(std::move(pattern));
}

}  // namespace

IgnoreFile::IgnoreFile(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (auto pattern = parse_line(text.substr(0, end)))
            patterns_.push_back(*std::move(pattern));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

const IgnoreFile::Pattern* IgnoreFile::find(std::string_view name, bool is_folder) const {
    const std::string_view leaf = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
    for (auto pattern = patterns_.rbegin(); pattern != patterns_.rend(); ++pattern)
        if ((is_folder || !pattern->folders_only) && ignore_glob_matches(pattern->glob, pattern->tied ? name : leaf))
            return &*pattern;
    return nullptr;
}

}  // namespace fardel
