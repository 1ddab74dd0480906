// A stranger's program: prints the asset id of the six bytes "fardel".
#include <fardel/format/hash.h>

#include <cstdio>
#include <span>
#include <string_view>

int main() {
    const std::string_view bytes = "fardel";
    const auto id = fardel::id_from<fardel::AssetId>(fardel::blake3(std::as_bytes(std::span(bytes))));
    const auto again = fardel::AssetId::parse(id.hex());
    if (!again || *again != id)
        return 1;
    std::puts(id.hex().c_str());
}
