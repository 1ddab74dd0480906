#include <fardel/delivery/lock_file.h>

#include "text_lines.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>
#include <fardel/format/whole_file.h>
#include <fardel/http/range_client.h>

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kLockTitle = "fardel-lock 1";
constexpr std::size_t kChannelBytesMax = 128;
constexpr std::size_t kUrlBytesMax = 2048;

class LockParser {
public:
    explicit LockParser(TextLines lines) : lines_(std::move(lines)) {}

    Result<LockFile> parse() {
        FARDEL_TRY(parse_channel());
        FARDEL_TRY(parse_sources());
        FARDEL_TRY(parse_roots());
        while (const auto text = lines_.find("bundle"))
            FARDEL_TRY(parse_bundle(*text));
        FARDEL_TRY(lines_.finish());
        FARDEL_TRY(verify_closed());
        return std::move(lock_);
    }

private:
    Status parse_channel() {
        auto text = lines_.find("channel");
        const auto name = text ? read_until(*text, ' ') : std::string_view();
        const auto id = Hash::parse(text.value_or(""));
        if (name.empty() || name.size() > kChannelBytesMax || !verify_name(name) || !id)
            return lines_.bad_line("expected \"channel NAME ID\"");
        lock_.channel = name;
        lock_.channel_id = *id;
        text = lines_.find("release");
        const auto release = parse_decimal(text.value_or(""), (1ull << 53) - 1);
        if (!release)
            return lines_.bad_line("expected \"release VERSION\"");
        lock_.release = *release;
        return ok();
    }

    Status parse_sources() {
        while (const auto text = lines_.find("source")) {
            // Nothing of this machine: only servers.
            const auto url = text->size() <= kUrlBytesMax
                                 ? parse_server_url(std::string(*text), "a source")
                                 : Result<std::string>(Error(ErrorCode::limit, "a source: the URL is too long"));
            if (!url)
                return lines_.bad_line(url.error().message());
            // Here and below, one form alone is accepted, so that a lock file changes only when its content does.
            if (*url != *text)
                return lines_.bad_line("the URL is not written as Fardel writes it: " + in_short_quotes(*url));
            if (lock_.sources.size() == kLockSourcesMax)
                return Error(ErrorCode::limit, "lock file: more than " + std::to_string(kLockSourcesMax) + " sources");
            lock_.sources.emplace_back(*url);
        }
        return ok();
    }

    Status parse_roots() {
        auto& roots = lock_.resolution.roots;
        while (const auto text = lines_.find("root")) {
            FARDEL_TRY_ASSIGN(ResolvedRequirement root, parse_resolved(*text));
            if (std::ranges::any_of(roots, [&](const ResolvedRequirement& one) {
                    return one.requirement.name == root.requirement.name;
                }))
                return lines_.bad_line("a root stands twice");
            if (roots.size() == kLockRootsMax)
                return Error(ErrorCode::limit, "lock file: more than " + std::to_string(kLockRootsMax) + " roots");
            roots.push_back(std::move(root));
        }
        return ok();
    }

    // "ID REQUIREMENT"
    Result<ResolvedRequirement> parse_resolved(std::string_view text) const {
        const auto id = BundleId::parse(read_until(text, ' '));
        auto requirement = Requirement::parse(text);
        if (!id || !requirement)
            return lines_.bad_line(id ? requirement.error().message() : "expected the id of a bundle");
        if (requirement->text() != text)
            return lines_.bad_line("the requirement is not written as Fardel writes it: " +
                                   in_short_quotes(requirement->text()));
        return ResolvedRequirement{*std::move(requirement), *id};
    }

    Status parse_bundle(std::string_view text) {
        const auto id = BundleId::parse(text);
        if (!id || !ids_.insert(*id).second)
            return lines_.bad_line(id ? "a bundle stands twice" : "expected \"bundle ID\"");
        if (ids_.size() > kResolvedBundlesMax)
            return Error(ErrorCode::limit, "lock file: more than " + std::to_string(kResolvedBundlesMax) + " bundles");
        ResolvedBundle one{.bundle = *id, .name = {}, .version = {}, .needs = {}, .requirements = {}, .author = {}};
        if (const auto name = lines_.find("name")) {
            if (const Status good = verify_name(*name); !good)
                return lines_.bad_line(good.error().message());
            one.name = *name;
        }
        if (const auto version = lines_.find("version")) {
            auto parsed = BundleVersion::parse(*version);
            if (!parsed || parsed->empty())
                return lines_.bad_line("expected \"version VERSION\"");
            one.version = *std::move(parsed);
        }
        // Lock files of before have none.
        if (const auto author = lines_.find("author")) {
            const auto key = PublicKey::parse(*author);
            if (!key)
                return lines_.bad_line("expected \"author KEY\"");
            one.author = *key;
        }
        while (const auto needed = lines_.find("needs")) {
            const auto need = BundleId::parse(*needed);
            // So a lock file has no circles, and is already in an order in which bundles can be mounted.
            if (!need || !ids_.contains(*need) || *need == *id)
                return lines_.bad_line("expected \"needs ID\", the id of a bundle that stands before");
            one.needs.push_back(*need);
        }
        while (const auto wanted = lines_.find("requires")) {
            FARDEL_TRY_ASSIGN(ResolvedRequirement requirement, parse_resolved(*wanted));
            if (!one.requirements.empty() && !(one.requirements.back().requirement.name < requirement.requirement.name))
                return lines_.bad_line("requirements are not sorted by their names, or one stands twice");
            if (one.requirements.size() == kRequirementsMax)
                return Error(ErrorCode::limit, "lock file: a bundle with more than " +
                                                   std::to_string(kRequirementsMax) + " requirements");
            one.requirements.push_back(std::move(requirement));
        }
        lock_.resolution.bundles.push_back(std::move(one));
        return ok();
    }

    // Everything that is meant is there, and everything that is there is meant.
    Status verify_closed() const {
        const auto verify_there = [&](const ResolvedRequirement& one) -> Status {
            if (ids_.contains(one.bundle))
                return ok();
            return Error(ErrorCode::malformed, "lock file: it has no bundle " + one.bundle.hex() + ", which is to be " +
                                                   in_short_quotes(one.requirement.text()));
        };
        for (const ResolvedRequirement& root : lock_.resolution.roots)
            FARDEL_TRY(verify_there(root));
        for (const ResolvedBundle& one : lock_.resolution.bundles)
            for (const ResolvedRequirement& wanted : one.requirements)
                FARDEL_TRY(verify_there(wanted));
        if (reduced_to(lock_.resolution, lock_.resolution.roots).bundles.size() != ids_.size())
            return Error(ErrorCode::malformed, "lock file: it has a bundle that no root needs");
        return ok();
    }

    TextLines lines_;
    LockFile lock_;
    std::unordered_set<BundleId> ids_;
};

}  // namespace

Result<LockFile> parse_lock_file(std::string_view text) {
    FARDEL_TRY_ASSIGN(TextLines lines, TextLines::open("lock file", kLockTitle, text, kLockBytesMax));
    return LockParser(std::move(lines)).parse();
}

std::string format_lock_file(const LockFile& lock) {
    std::string text = std::string(kLockTitle) + "\n";
    text += "channel " + lock.channel + " " + lock.channel_id.hex() + "\n";
    text += "release " + std::to_string(lock.release) + "\n";
    for (const ForeignUrl& source : lock.sources)
        text += "source " + source.named() + "\n";
    for (const ResolvedRequirement& root : lock.resolution.roots)
        text += "root " + root.bundle.hex() + " " + root.requirement.text() + "\n";
    for (const ResolvedBundle& one : lock.resolution.bundles) {
        text += "bundle " + one.bundle.hex() + "\n";
        if (!one.name.empty())
            text += "name " + one.name + "\n";
        if (!one.version.empty())
            text += "version " + one.version.text() + "\n";
        if (one.author)
            text += "author " + one.author->hex() + "\n";
        for (const BundleId& id : one.needs)
            text += "needs " + id.hex() + "\n";
        for (const ResolvedRequirement& wanted : one.requirements)
            text += "requires " + wanted.bundle.hex() + " " + wanted.requirement.text() + "\n";
    }
    return text;
}

Result<LockFile> read_lock_file(const std::string& path) {
    auto bytes = read_unlinked_file(path, kLockBytesMax);
    if (!bytes)
        return std::move(bytes).error().with_context(printable(path));
    // Version control gives it the line ends of Windows there.
    auto lock = parse_lock_file(with_line_feeds(as_text(*bytes)));
    if (!lock)
        return std::move(lock).error().with_context(printable(path));
    return lock;
}

Result<std::optional<LockFile>> find_lock_file(const std::string& path) {
    auto lock = read_lock_file(path);
    if (!lock && lock.error().code() == ErrorCode::missing)
        return std::optional<LockFile>();
    if (!lock)
        return std::move(lock).error();
    return std::optional(*std::move(lock));
}

Status write_lock_file(const std::string& path, const LockFile& lock) {
    const std::string text = format_lock_file(lock);
    // What could not be read again is not written.
    FARDEL_TRY(parse_lock_file(text));
    return write_small_file(path, std::as_bytes(std::span(text)));
}

}  // namespace fardel
