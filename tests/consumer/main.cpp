// A stranger's program: prints the asset id of the six bytes "fardel".
#include <fardel/format/ids.h>

#include <cstdio>
#include <span>
#include <string_view>

int main() {
    const std::string_view bytes = "fardel";
    const auto id = fardel::asset_id_of(std::as_bytes(std::span(bytes)));
    const auto again = fardel::AssetId::parse(id.hex());
    if (!again || *again != id)
        return 1;
    std::puts(id.hex().c_str());
}
