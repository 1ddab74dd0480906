#include "bundles/fetch_report.h"

#include "console/figures.h"

#include <fardel/format/name.h>
#include <fardel/format/signer.h>

#include <fmt/format.h>

namespace fardel {
namespace {

std::string format_planned(const PlannedFetch& planned) {
    std::string text =
        fmt::format("  {}  {}: {} of {} in {}", short_id(planned.bundle), format_title(planned.name, planned.version),
                    format_size(planned.fetch_bytes), format_size(planned.file_bytes),
                    format_count(planned.requests, "request", "requests"));
    if (planned.left_bytes != 0)
        text += fmt::format(", {} left out", format_size(planned.left_bytes));
    if (!planned.licence.empty())
        text += fmt::format(", licence {}", planned.licence);
    if (planned.author)
        text += fmt::format(", by {}", format_author(*planned.author));
    for (const std::string& signer : planned.signers)
        text += fmt::format(", signed by {}", printable(signer));
    return text + "\n";
}

}  // namespace

std::string format_author(const BundleAuthor& author) {
    return author.label.empty() ? key_id(author.key)
                                : fmt::format("{} ({})", printable(author.label), key_id(author.key));
}

Json json_of(const BundleAuthor& author) {
    return Json{{"label", author.label.empty() ? Json() : Json(author.label)}, {"key", author.key.hex()}};
}

std::string format_plan(const FetchPlan& plan) {
    const std::string signed_text = format_each(plan.newly_signed, [](const BundleId& bundle) {
        return fmt::format("  {}: signatures were added that the store lacked\n", short_id(bundle));
    });
    if (plan.bundles.empty())
        return plan.newly_signed.empty() ? "everything is here\n"
                                         : "everything is here, except for signatures\n" + signed_text;
    return fmt::format("to fetch: {}\n", format_size(plan.fetch_bytes)) + signed_text +
           format_each(plan.bundles, format_planned);
}

void say_without_ranges(const std::vector<std::string>& servers, Console& console) {
    for (const std::string& server : servers)
        console.say(
            fmt::format("fardel: {}: this server sends whole files where parts of them are requested, so more "
                        "was received than was needed",
                        printable(server, 400)));
}

namespace {

Json json_of(const PlannedFetch& planned) {
    return Json{{"bundle", planned.bundle.hex()},
                {"name", planned.name},
                {"version", planned.version},
                {"licence", planned.licence},
                {"author", planned.author ? json_of(*planned.author) : Json()},
                {"signers", planned.signers},
                {"file_bytes", planned.file_bytes},
                {"tables_bytes", planned.tables_bytes},
                {"fetch_bytes", planned.fetch_bytes},
                {"left_bytes", planned.left_bytes},
                {"space_bytes", planned.space_bytes},
                {"requests", planned.requests}};
}

}  // namespace

Json json_of(const FetchPlan& plan) {
    return Json{{"fetch_bytes", plan.fetch_bytes},
                {"source_bytes", plan.source_bytes},
                {"requests", plan.requests},
                {"newly_signed", json_list(plan.newly_signed, [](const BundleId& one) { return Json(one.hex()); })},
                {"bundles", json_list(plan.bundles, [](const PlannedFetch& one) { return json_of(one); })}};
}

void FetchBar::show(const FetchProgress& progress) {
    std::string text = fmt::format("{} of {}", format_size(progress.received_bytes), format_size(progress.total_bytes));
    if (progress.seconds_left)
        text += fmt::format(", {}/s, {} left", format_size(progress.bytes_per_second),
                            format_time_left(static_cast<double>(*progress.seconds_left)));
    bar_.show(progress.received_bytes, progress.total_bytes, text);
}

}  // namespace fardel
