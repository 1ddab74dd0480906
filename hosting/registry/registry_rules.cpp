#include <fardel/hosting/registry_rules.h>

#include <fardel/base/text_fields.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>
#include <fardel/format/whole_file.h>
#include <fardel/hosting/tree_target.h>
#include <fardel/http/range_client.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kRulesTitle = "fardel-registry ";
constexpr std::string_view kRulesVersion = "1";
constexpr std::size_t kRulesMax = 10'000;
constexpr std::size_t kOwnerKeysMax = 16;
constexpr std::size_t kLicenceBytesMax = 200;
constexpr std::size_t kRegistryNameBytesMax = 100;

Error bad_rule(std::string message) { return Error(ErrorCode::malformed, std::move(message)); }

Status verify_pattern(std::string_view pattern) {
    FARDEL_TRY(verify_glob(pattern));
    return pattern.find(' ') == std::string_view::npos ? ok() : bad_rule("a pattern has no spaces");
}

// ---- Lines ----------------------------------------------------------------------------------------------------------

class RulesReader {
public:
    Status add_line(std::string_view line) {
        if (line.empty() || line.starts_with('#'))
            return ok();
        if (!is_utf8_text(line) || std::ranges::any_of(line, [](char c) { return c >= 0 && c < ' '; }))
            return bad_rule("not UTF-8 without control characters");
        const std::string_view word = read_until(line, ' ');
        if (word == "url")
            return add_url(line);
        if (word == "channel")
            return set_channel(line);
        if (word == "owner")
            return add_owners(line);
        if (word == "open")
            return add_open(line);
        if (word == "licence" || word == "license")
            return add_licence(line);
        if (word == "bytes_max")
            return set_number(line, rules_.file_bytes_max);
        if (word == "raw_bytes_max")
            return set_number(line, rules_.raw_bytes_max);
        if (word == "versions_max")
            return set_number(line, rules_.versions_max);
        if (word == "key_bytes_max")
            return set_number(line, rules_.key_bytes_max);
        return bad_rule(in_short_quotes(word) + " is not a rule that is known");
    }

    Result<RegistryRules> take() {
        if (rules_.urls.empty() || rules_.channel.empty())
            return bad_rule("registry rules: a line 'url URL' and a line 'channel NAME' are needed");
        return std::move(rules_);
    }

private:
    Status add_url(std::string_view text) {
        FARDEL_TRY_ASSIGN(std::string url, parse_server_url(std::string(text), "a registry"));
        // Signed requests name the registry by this text, so there is one way to write it.
        if (url != text)
            return bad_rule("write the URL as " + in_quotes(url));
        return add(std::move(url), rules_.urls);
    }

    Status set_channel(std::string_view name) {
        if (!rules_.channel.empty())
            return bad_rule("a registry has one channel");
        if (!is_tree_path(channel_release_path(name, Hash())))
            return bad_rule(in_short_quotes(name) + " is no name of a channel");
        rules_.channel = name;
        return ok();
    }

    Status add_owners(std::string_view text) {
        NameOwners owners;
        owners.pattern = read_until(text, ' ');
        FARDEL_TRY(verify_pattern(owners.pattern));
        for (const std::string_view key : split_text(text, ' ')) {
            FARDEL_TRY_ASSIGN(owners.keys.emplace_back(), PublicKey::parse(key));
            if (owners.keys.size() > kOwnerKeysMax)
                return Error(ErrorCode::limit, "more than " + std::to_string(kOwnerKeysMax) + " keys");
        }
        return add(std::move(owners), rules_.owners);
    }

    Status add_open(std::string_view pattern) {
        FARDEL_TRY(verify_pattern(pattern));
        return add(std::string(pattern), rules_.open);
    }

    Status add_licence(std::string_view text) {
        if (text.empty() || text.size() > kLicenceBytesMax)
            return bad_rule("a licence has 1 to " + std::to_string(kLicenceBytesMax) + " bytes");
        return add(std::string(text), rules_.licences);
    }

    static Status set_number(std::string_view text, std::uint64_t& number) {
        const auto parsed = parse_decimal(text, UINT64_MAX);
        if (!parsed || *parsed == 0 || number != 0)
            return bad_rule("a limit is one number above 0, and stands once");
        number = *parsed;
        return ok();
    }

    template <class Rule>
    Status add(Rule rule, std::vector<Rule>& rules) {
        if (++count_ > kRulesMax)
            return Error(ErrorCode::limit, "more than " + std::to_string(kRulesMax) + " rules");
        rules.push_back(std::move(rule));
        return ok();
    }

    RegistryRules rules_;
    std::size_t count_ = 0;
};

void append_limit(std::string& text, std::string_view word, std::uint64_t number) {
    if (number != 0)
        text += std::string(word) + " " + std::to_string(number) + "\n";
}

}  // namespace

// ---- Rules ----------------------------------------------------------------------------------------------------------

const NameOwners* RegistryRules::find_owners(std::string_view name) const {
    const auto found =
        std::ranges::find_if(owners, [&](const NameOwners& one) { return glob_matches(one.pattern, name); });
    return found == owners.end() ? nullptr : &*found;
}

std::vector<PublicKey> RegistryRules::named_keys() const {
    std::vector<PublicKey> keys;
    for (const NameOwners& one : owners)
        keys.insert(keys.end(), one.keys.begin(), one.keys.end());
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

bool RegistryRules::is_open(std::string_view name) const {
    return std::ranges::any_of(open, [&](const std::string& pattern) { return glob_matches(pattern, name); });
}

Result<RegistryRules> parse_registry_rules(std::string_view text) {
    if (text.size() > kRegistryRulesBytesMax)
        return Error(ErrorCode::limit, "registry rules: more than 1 MiB");
    // A file that was cut off would have fewer rules, and so grant other rights.
    if (!text.ends_with('\n'))
        return bad_rule("registry rules: do not end with a line feed; have they been cut off?");
    const std::string_view title = read_line(text);
    if (!title.starts_with(kRulesTitle))
        return bad_rule("registry rules: line 1: not \"fardel-registry 1\"");
    if (title.substr(kRulesTitle.size()) != kRulesVersion)
        return Error(ErrorCode::unsupported, "registry rules: line 1: not a version that this program knows");
    RulesReader reader;
    for (std::size_t number = 2; !text.empty(); ++number)
        if (Status added = reader.add_line(read_line(text)); !added)
            return std::move(added).error().with_context("registry rules: line " + std::to_string(number));
    return reader.take();
}

std::string format_registry_rules(const RegistryRules& rules) {
    std::string text = std::string(kRulesTitle) + std::string(kRulesVersion) + "\n";
    for (const std::string& url : rules.urls)
        text += "url " + url + "\n";
    text += "channel " + rules.channel + "\n";
    for (const NameOwners& owners : rules.owners) {
        text += "owner " + owners.pattern;
        for (const PublicKey& key : owners.keys)
            text += " " + key.hex();
        text += "\n";
    }
    for (const std::string& pattern : rules.open)
        text += "open " + pattern + "\n";
    for (const std::string& licence : rules.licences)
        text += "licence " + licence + "\n";
    append_limit(text, "bytes_max", rules.file_bytes_max);
    append_limit(text, "raw_bytes_max", rules.raw_bytes_max);
    append_limit(text, "versions_max", rules.versions_max);
    append_limit(text, "key_bytes_max", rules.key_bytes_max);
    return text;
}

Result<RegistryRules> read_registry_rules(const std::string& folder) {
    const FilePath path = FilePath::of_root(folder) / kRegistryRulesFile;
    auto bytes = read_unlinked_file(path, kRegistryRulesBytesMax);
    if (!bytes && bytes.error().code() == ErrorCode::missing)
        return Error(ErrorCode::missing, printable(folder) + ": is no registry; 'fardel registry init' makes one");
    if (!bytes)
        return std::move(bytes).error();
    auto rules = parse_registry_rules(as_text(*bytes));
    return rules ? std::move(rules) : std::move(rules).error().with_context(printable(path.text()));
}

Status verify_registry_name(std::string_view name) {
    bool is_page = false;
    for (const std::string_view part : split_text(name, '/'))
        is_page |= part.ends_with(".html");
    // A name is the path of its page, and names that only look alike would let a stranger pass for an author: no
    // capitals, no letters outside of ASCII.
    if (name.size() <= kRegistryNameBytesMax && is_tree_path(name) && !is_page)
        return ok();
    return bad_rule("a name in a registry has at most " + std::to_string(kRegistryNameBytesMax) +
                    " characters, of a-z, 0-9, . _ - and /; no part of it begins with a dot or ends in .html");
}

}  // namespace fardel
