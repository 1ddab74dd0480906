// fardel id: identifies a bundle by its two heads, its metadata and its trailer.

#include "bundles/bundle_file.h"
#include "bundles/signature_list.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

namespace fardel {
namespace {

struct BundleFacts {
    std::string name;
    std::string version;
    std::vector<ListedSignature> signatures;
};

Result<BundleFacts> collect(const Bundle& bundle) {
    BundleFacts facts;
    FARDEL_TRY_ASSIGN(facts.name, bundle_text(bundle, "name"));
    FARDEL_TRY_ASSIGN(facts.version, bundle_text(bundle, "version"));
    facts.signatures = list_signatures(bundle);
    return facts;
}

std::string format_text(const Bundle& bundle, const BundleFacts& facts) {
    std::string text = fmt::format("bundle     {}\nlayout     {}\n", bundle.id().hex(), bundle.layout_id().hex());
    text += fmt::format("name       {}\nversion    {}\n", printable(facts.name), printable(facts.version));
    text += fmt::format("contains   {}, {}\n", format_count(bundle.asset_count(), "asset", "assets"),
                        format_count(bundle.name_count(), "name", "names"));
    text += fmt::format("file       {}\n", format_size(bundle.source()->size_bytes()));
    for (const ListedSignature& signature : facts.signatures)
        text += fmt::format("signature  {}\n", format_signature(signature));
    if (facts.signatures.empty())
        text += "unsigned\n";
    return text;
}

Json json_of(const Bundle& bundle, const BundleFacts& facts) {
    Json signatures = Json::array();
    for (const ListedSignature& signature : facts.signatures)
        signatures.push_back(json_of(signature));
    return Json{
        {"file", bundle.label()},
        {"bundle", bundle.id().hex()},
        {"layout", bundle.layout_id().hex()},
        {"name", facts.name},
        {"version", facts.version},
        {"assets", bundle.asset_count()},
        {"names", bundle.name_count()},
        {"file_bytes", bundle.source()->size_bytes()},
        {"signatures", std::move(signatures)},
    };
}

}  // namespace

Result<Exit> run_id(Words words, Console& console) {
    CommandLine line("id", "FILE [--all] [--json]",
                     "Prints the id of a bundle: the BLAKE3 hash of its first 4096 bytes.",
                     "  fardel id mygame.fardel\n"
                     "  head -c 4096 mygame.fardel | b3sum     # the same\n"
                     "  fardel id --all mygame.fardel          # also name, version, layout id and signatures\n");
    std::string file;
    bool all = false;
    bool json = false;
    line.text("FILE", "FILE", file, "The bundle")->required();
    line.flag("-a,--all", all, "Also print layout id, name, version, counts and signatures");
    line.json(json, "Print all of it as JSON");
    if (const auto over = line.parse(words, console))
        return *over;

    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(file));
    if (!all && !json) {
        FARDEL_TRY(console.write(bundle->id().hex() + "\n"));
        return Exit::fine;
    }
    FARDEL_TRY_ASSIGN(const BundleFacts facts, collect(*bundle));
    FARDEL_TRY(print_result(
        console, json, [&] { return json_of(*bundle, facts); }, [&] { return format_text(*bundle, facts); }));
    return Exit::fine;
}

}  // namespace fardel
