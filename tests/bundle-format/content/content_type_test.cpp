#include "kit/test.h"

#include <fardel/format/content_type.h>

#include <fstream>

namespace fardel::tests::content_type_test {

std::string_view type_of(std::string_view name, std::string_view head = {}) {
    return content_type(name, std::as_bytes(std::span(head)));
}

template <std::size_t N>
std::string_view raw(const char (&literal)[N]) {
    return {literal, N - 1};
}

TEST_CASE("content type: the extension decides, in upper or lower case") {
    CHECK(type_of("textures/base/water.tga") == "image/x-tga");
    CHECK(type_of("textures/base/WATER.TGA") == "image/x-tga");
    CHECK(type_of("scripts/base.shader") == "text/x-quake-shader");
    CHECK(type_of("maps/dm01.aas") == "application/x-aas");
    CHECK(type_of("a.b/music.opus") == "audio/ogg");
}

TEST_CASE("content type: a name without a known extension is application/octet-stream") {
    CHECK(type_of("README") == "application/octet-stream");
    CHECK(type_of("maps.bsp/README") == "application/octet-stream");
    CHECK(type_of("sprees.dat") == "application/octet-stream");
    CHECK(type_of("trailing.") == "application/octet-stream");
    CHECK(type_of(".png") == "image/png");
}

TEST_CASE("content type: a signature that cannot be mistaken wins over the extension") {
    CHECK(type_of("logo.tga", "\x89PNG\r\n\x1a\n") == "image/png");
    CHECK(type_of("shot.png", "\xff\xd8\xff\xe0") == "image/jpeg");
    CHECK(type_of("gun", raw("IDP3\x0f\0\0\0")) == "model/x-md3");
    CHECK(type_of("level.dat", raw("IBSP\x2e\0\0\0")) == "application/x-bsp");
    CHECK(type_of("vm/cgame.bin", "\x44\x14\x72\x12") == "application/x-qvm");
    CHECK(type_of("sky.dds", raw("DDS \x7c\0\0\0")) == "image/vnd-ms.dds");
    CHECK(type_of("sky.jpg", "\xabKTX 20\xbb\r\n\x1a\n") == "image/ktx2");
    CHECK(type_of("shot.wav", raw("RIFF\0\0\0\0WAVEfmt ")) == "audio/wav");
    CHECK(type_of("shot.wav", raw("RIFF\0\0\0\0WEBPVP8 ")) == "image/webp");
    CHECK(type_of("idlogo.dat", "\x84\x10\xff\xff\xff\xff") == "video/x-roq");
}

TEST_CASE("content type: Ogg is audio or video as its first page says") {
    const std::string page = std::string("OggS\0", 5) + std::string(23, '\0');
    CHECK(type_of("intro.ogg", page + "\x80theora") == "video/ogg");
    CHECK(type_of("music.ogv", page + "\x01vorbis") == "audio/ogg");
    CHECK(type_of("music.bin", page + "OpusHead") == "audio/ogg");
    CHECK(type_of("speech.ogg", page + "Speex   ") == "audio/ogg");
    CHECK(type_of("intro.ogv", page + "BBCD\0") == "video/ogg");
}

TEST_CASE("content type: text that begins like a signature stays text") {
    CHECK(type_of("readme.txt", "DDS files are in textures/") == "text/plain");
    CHECK(type_of("readme.txt", "IBSP is the format of the maps") == "text/plain");
    CHECK(type_of("readme.txt", "BMW wrote this") == "text/plain");
    CHECK(type_of("readme.txt", "RIFF means resource interchange") == "text/plain");
    CHECK(type_of("readme.txt", "OTTO says hello") == "text/plain");
}

TEST_CASE("content type: fewer bytes than a signature do not match it") {
    const std::string_view png = "\x89PNG\r\n\x1a\n";
    for (std::size_t size = 0; size < png.size(); ++size)
        CHECK(type_of("x", png.substr(0, size)) == "application/octet-stream");
}

TEST_CASE("content type: the longest signature fits into the head") {
    const std::string page = std::string("OggS\0", 5) + std::string(23, '\0') + "\x80theora";
    CHECK(page.size() <= kContentHeadBytes);
}

TEST_CASE(
    "content type: video is streamed, audio when it is longer than a piece, images when they share no block, all else "
    "never") {
    CHECK(is_streamed("video/x-roq", 10));
    CHECK_FALSE(is_streamed("audio/wav", 256 * 1024));
    CHECK(is_streamed("audio/wav", 256 * 1024 + 1));
    CHECK_FALSE(is_streamed("image/x-tga", 64 * 1024));
    CHECK(is_streamed("image/x-tga", 64 * 1024 + 1));
    CHECK_FALSE(is_streamed("application/x-bsp", 1u << 30));
    CHECK_FALSE(is_streamed("audiobook", 1u << 30));
}

TEST_CASE("content type: the table in docs/packing.md is the one in the code") {
    std::ifstream page(FARDEL_SOURCE_DIR "/docs/packing.md");
    std::size_t rows = 0;
    for (std::string line; std::getline(page, line);) {
        // | `image/x-tga` | tga | … |
        if (!line.starts_with("| `") || line.find('/') == line.npos)
            continue;
        const std::size_t type_end = line.find('`', 3);
        const std::string type = line.substr(3, type_end - 3);
        const std::size_t cell = line.find('|', type_end) + 1;
        std::string extensions = line.substr(cell, line.find('|', cell) - cell);
        for (std::size_t at = 0; (at = extensions.find_first_not_of(" ,", at)) != extensions.npos;) {
            const std::size_t end = std::min(extensions.find_first_of(" ,", at), extensions.size());
            CAPTURE(line);
            CHECK(type_of("x." + extensions.substr(at, end - at)) == type);
            ++rows;
            at = end;
        }
    }
    CHECK(rows == 59);  // as many as kExtensions has
}

}  // namespace fardel::tests::content_type_test
