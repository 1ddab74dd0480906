#include "bundles/author_consent.h"

#include "bundles/fetch_report.h"
#include "console/figures.h"
#include "console/question.h"

#include <fardel/delivery/author_changes.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

// How somebody who trusts the new authors goes on.
std::string advice_on(const std::vector<AuthorChange>& changes) {
    std::string options;
    for (const AuthorChange& one : changes)
        if (one.after)
            options += fmt::format(" --accept-author {}={}", one.name, one.after->key.hex());
    return "ask the author of before, or the registry, whose pages tell of names that it has transferred; " +
           (options.empty() ? "no key can be accepted where no author is known" : "if it is right, add" + options);
}

}  // namespace

void add_author_option(CommandLine& line, std::vector<std::string>& authors) {
    line.texts("--accept-author", "NAME=KEY", authors,
               "Let bundles of this name come from this key, all 64 digits, instead of the author of before; --yes "
               "does not; may be repeated");
}

Result<std::vector<AcceptedAuthor>> parse_accepted_authors(const std::vector<std::string>& texts) {
    std::vector<AcceptedAuthor> accepted;
    for (const std::string& text : texts) {
        FARDEL_TRY_ASSIGN(AcceptedAuthor one, AcceptedAuthor::parse(text));
        accepted.push_back(std::move(one));
    }
    return accepted;
}

std::string format_changes(const std::vector<AuthorChange>& changes) {
    return format_each(
        changes, [](const AuthorChange& one) { return fmt::format("  ANOTHER AUTHOR: {}\n", describe_change(one)); });
}

Json json_of(const std::vector<AuthorChange>& changes) {
    return json_list(changes, [](const AuthorChange& one) {
        return Json{
            {"name", one.name}, {"before", json_of(one.before)}, {"after", one.after ? json_of(*one.after) : Json()}};
    });
}

Status AuthorConsent::give(const std::vector<AuthorChange>& changes) {
    std::vector<AuthorChange> open;
    for (const AuthorChange& one : changes)
        if (!is_accepted(one, accepted_) && std::ranges::count(agreed_, one) == 0)
            open.push_back(one);
    if (open.empty() || options_.plan_only)
        return ok();
    if (options_.yes || options_.json || !can_ask()) {
        refused_ = open;
        return refuse_author_changes(open, advice_on(open));
    }
    FARDEL_TRY(console_.write(format_changes(open)));
    FARDEL_TRY_ASSIGN(const bool agreed, ask_carefully("Trust the other author with the name?", console_));
    if (!agreed)
        return Error(ErrorCode::cancelled, "the other author was refused; nothing was fetched");
    agreed_.insert(agreed_.end(), open.begin(), open.end());
    return ok();
}

Result<Exit> AuthorConsent::report(const Error& error) const {
    if (refused_.empty() || !options_.json)
        return error;
    FARDEL_TRY(console_.write(format_json(Json{{"author_changes", json_of(refused_)}}) + "\n"));
    console_.say(error);
    return exit_for(error.code());
}

}  // namespace fardel
