// fardel cat: writes the bytes of an asset to standard output, after verifying all of them.

#include "bundles/bundle_file.h"
#include "bundles/variants_option.h"
#include "verbs.h"

#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

namespace fardel {
namespace {

constexpr std::uint64_t kInMemoryBytesMax = 64 << 20;  // larger assets are read twice: to verify, then to print

Status print_from_memory(const Bundle& bundle, AssetIndex index, const AssetRecord& asset, Console& console) {
    FARDEL_TRY_ASSIGN(const auto bytes, bundle.read_all(index));
    if (id_from<AssetId>(blake3(bytes)) != asset.id)
        return in_bundle(bundle, Error(ErrorCode::corrupt, "asset " + asset.id.hex() + ": its bytes have another id"));
    return console.write(bytes);
}

Status print_in_chunks(const Bundle& bundle, AssetIndex index, const AssetRecord& asset, Console& console) {
    FARDEL_TRY(bundle.verify_asset(index));
    return read_in_pieces(bundle, index, asset.raw_bytes,
                          [&](std::span<const std::byte> piece) { return console.write(piece); });
}

}  // namespace

Result<Exit> run_cat(Words words, Console& console) {
    CommandLine line("cat", "FILE PATH [--variants AXIS=VALUE,...] [--extensions LIST]",
                     "Prints the bytes of an asset.",
                     "  fardel cat mygame.fardel default.cfg\n"
                     "  fardel cat mygame.fardel /assets/64-hexadecimal-digits... | b3sum\n");
    std::string file;
    std::string path;
    line.text("FILE", "FILE", file, "The bundle").required();
    line.text("PATH", "PATH", path, "A name, /assets/<asset id>, or /<published name>").required();
    std::vector<std::string> variants;
    add_variants_option(line, variants);
    std::string extensions;
    add_extensions_option(line, extensions);
    if (const auto over = line.parse(words, console))
        return *over;
    const auto preference = read_variants(variants);
    if (!preference)
        return line.mistake(preference.error().text(), console);
    const auto tried = read_extensions(extensions);
    if (!tried)
        return line.mistake(tried.error().text(), console);

    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(file));
    say_idle_axes(*preference, *bundle, console);
    FARDEL_TRY_ASSIGN(const AssetIndex index, find_asset_at(*bundle, path, *preference, *tried));
    FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle->asset(index));
    FARDEL_TRY(asset.raw_bytes <= kInMemoryBytesMax ? print_from_memory(*bundle, index, asset, console)
                                                    : print_in_chunks(*bundle, index, asset, console));
    return Exit::fine;
}

}  // namespace fardel
