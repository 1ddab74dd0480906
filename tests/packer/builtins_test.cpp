// The built-ins: copy, image, rewrite, unpack.
#include "job_bench.h"
#include "jobs/builtin.h"
#include "jobs/image_program.h"

#include "kit/archives.h"

#include "jobs/build_key.h"

#include <atomic>

namespace fardel::tests::builtins_test {

Processor builtin(std::string_view name, std::vector<std::pair<std::string, ParameterValue>> parameters = {}) {
    return {.name = "p", .builtin = std::string(name), .parameters = std::move(parameters)};
}

ProcessorJob job_on(const Processor& processor, JobInput source, std::vector<std::string> outputs = {}) {
    ProcessorJob job{.processor = processor, .outputs = std::move(outputs)};
    job.sources.push_back(std::move(source));
    return job;
}

void put_u16(std::string& to, unsigned value) {
    to += static_cast<char>(value & 0xff);
    to += static_cast<char>(value >> 8 & 0xff);
}

// Returns a gradient as an uncompressed TGA of 24 bits per pixel, stored from the bottom up.
std::string tga(unsigned width, unsigned height) {
    std::string bytes("\0\0\2\0\0\0\0\0\0\0\0\0", 12);
    put_u16(bytes, width);
    put_u16(bytes, height);
    bytes += "\x18";
    bytes += '\0';
    for (unsigned y = 0; y < height; ++y)
        for (unsigned x = 0; x < width; ++x) {
            bytes += static_cast<char>(x * 255 / width);
            bytes += static_cast<char>(y * 255 / height);
            bytes += '\x40';
        }
    return bytes;
}

unsigned u32_big(std::string_view bytes, std::size_t at) {
    unsigned value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
    return value;
}

struct Size {
    unsigned width = 0;
    unsigned height = 0;
    friend bool operator==(const Size&, const Size&) = default;
};

Size png_size(std::string_view png) {
    REQUIRE(png.starts_with("\x89PNG\r\n\x1a\n"));
    return {u32_big(png, 16), u32_big(png, 20)};
}

std::vector<std::string> png_chunks(std::string_view png) {
    std::vector<std::string> chunks;
    for (std::size_t at = 8; at + 8 <= png.size(); at += 12 + u32_big(png, at))
        chunks.emplace_back(png.substr(at + 4, 4));
    return chunks;
}

std::string convert(const JobBench& bench, std::string_view name, std::string_view bytes,
                    std::vector<std::pair<std::string, ParameterValue>> parameters, std::string_view expected) {
    const Processor image = builtin("image", std::move(parameters));
    const JobResult result = bench.run_well(job_on(image, input_of(name, bytes)));
    REQUIRE(result.outputs.size() == 1);
    CHECK(result.outputs[0].name == expected);
    return text_of(result.outputs[0]);
}

TEST_CASE("builtin: each has a version that is part of the key") {
    CHECK(builtins().size() == 4);
    for (const Builtin& each : builtins()) {
        CHECK_FALSE(each.version.empty());
        CHECK(find_builtin(each.name) == &each);
    }
    CHECK(find_builtin("") == nullptr);
}

// ---- copy -----------------------------------------------------------------------------------------------------------

TEST_CASE("copy: gives the bytes under other names, one or several") {
    const JobBench bench;
    const Processor copy = builtin("copy");
    const JobResult result = bench.run_well(job_on(copy, input_of("a/b.txt", "hello"), {"x/y.txt", "z"}));
    REQUIRE(result.outputs.size() == 2);
    CHECK(result.outputs[0].name == "x/y.txt");
    CHECK(text_of(result.outputs[0]) == "hello");
    CHECK(text_of(result.outputs[1]) == "hello");
    ProcessorJob job = job_on(copy, input_of("a/b.txt", "1"));
    job.sources.push_back(input_of("a/c.txt", "2"));
    CHECK(bench.run_well(job).outputs.size() == 2);
    job.outputs = {"x"};
    CHECK(bench.run_badly(job).code() == ErrorCode::malformed);
}

// ---- image ----------------------------------------------------------------------------------------------------------

TEST_CASE("image: is converted between formats, by the parameter or the output's name") {
    const JobBench bench;
    const std::string source = tga(40, 20);
    const std::string png = convert(bench, "t/wall.tga", source, {{"format", std::string("png")}}, "t/wall.png");
    CHECK(png_size(png) == Size{40, 20});
    const std::string jpeg = convert(bench, "t/wall.png", png, {{"format", std::string("jpeg")}}, "t/wall.jpg");
    CHECK(jpeg.starts_with("\xff\xd8\xff"));
    const std::string again = convert(bench, "t/wall.png", png, {{"format", std::string("tga")}}, "t/wall.tga");
    CHECK(again.substr(12, 4) == source.substr(12, 4));
    CHECK(png_size(convert(bench, "t/wall.tga", again, {{"format", std::string("png")}}, "t/wall.png")) ==
          Size{40, 20});
    CHECK(convert(bench, "t/wall.tga", again, {{"format", std::string("png")}}, "t/wall.png") ==
          png);  // nothing was lost
    const Processor image = builtin("image");
    CHECK(png_size(text_of(
              bench.run_well(job_on(image, input_of("t/wall.tga", source), {"small/wall.png"})).outputs.at(0))) ==
          Size{40, 20});
    CHECK(bench.run_badly(job_on(image, input_of("t/wall.tga", source), {"small/wall.gif"})).code() ==
          ErrorCode::malformed);
}

TEST_CASE("image: is made smaller by a factor or to fit") {
    const JobBench bench;
    const std::string source = tga(40, 20);
    const auto size = [&](std::vector<std::pair<std::string, ParameterValue>> parameters) {
        parameters.emplace_back("format", std::string("png"));
        return png_size(convert(bench, "a.tga", source, std::move(parameters), "a.png"));
    };
    CHECK(size({{"scale", 0.5}}) == Size{20, 10});
    CHECK(size({{"scale", std::int64_t{2}}}) == Size{80, 40});
    CHECK(size({{"scale", 0.001}}) == Size{1, 1});
    CHECK(size({{"width", std::int64_t{10}}}) == Size{10, 5});
    CHECK(size({{"height", std::int64_t{10}}}) == Size{20, 10});
    CHECK(size({{"width", std::int64_t{1000}}}) == Size{40, 20});
    CHECK(size({{"width", std::int64_t{30}}, {"height", std::int64_t{5}}, {"scale", 0.5}}) == Size{10, 5});
}

TEST_CASE("image: quality decides the size of a JPEG") {
    const JobBench bench;
    const std::string source = tga(200, 200);
    const auto bytes = [&](std::int64_t quality) {
        return convert(bench, "a.tga", source, {{"format", std::string("jpeg")}, {"quality", quality}}, "a.jpg").size();
    };
    CHECK(bytes(10) < bytes(95));
}

TEST_CASE("image: the same source gives the same bytes, without time or location") {
    const JobBench bench;
    const std::string source = tga(100, 60);
    const std::string png = convert(bench, "a.tga", source, {{"format", std::string("png")}, {"scale", 0.3}}, "a.png");
    const std::string jpeg =
        convert(bench, "a.tga", source, {{"format", std::string("jpeg")}, {"scale", 0.3}}, "a.jpg");
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // past a second, in case it is written
    CHECK(convert(bench, "b/c.tga", source, {{"format", std::string("png")}, {"scale", 0.3}}, "b/c.png") == png);
    CHECK(convert(bench, "b/c.tga", source, {{"format", std::string("jpeg")}, {"scale", 0.3}}, "b/c.jpg") == jpeg);
    for (const std::string& chunk : png_chunks(png)) {
        CAPTURE(chunk);
        CHECK((chunk == "IHDR" || chunk == "PLTE" || chunk == "tRNS" || chunk == "IDAT" || chunk == "IEND" ||
               chunk == "gAMA" || chunk == "cHRM" || chunk == "sRGB" || chunk == "bKGD"));
    }
    CHECK_FALSE(has(jpeg, "GraphicsMagick"));
    CHECK_FALSE(has(jpeg, "Exif"));
}

TEST_CASE("image: garbage, other formats and truncated images are malformed") {
    const JobBench bench;
    const Processor image = builtin("image", {{"format", std::string("png")}});
    const std::string png = convert(bench, "a.tga", tga(24, 24), {{"format", std::string("png")}}, "a.png");
    const std::string jpeg = convert(bench, "a.tga", tga(24, 24), {{"format", std::string("jpeg")}}, "a.jpg");
    const std::string good_tga = tga(24, 24);
    const auto code = [&](std::string_view name, std::string_view bytes) {
        const auto result = bench.run(job_on(image, input_of(name, bytes)));
        return result ? std::optional<ErrorCode>() : result.error().code();
    };
    CHECK(code("a.png", "") == ErrorCode::malformed);
    CHECK(code("a.png", "garbage") == ErrorCode::malformed);
    CHECK(code("a.tga", "garbage") == ErrorCode::malformed);
    CHECK(code("a.txt", "hello") == ErrorCode::malformed);
    CHECK(code("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'><image href='/etc/passwd'/></svg>") ==
          ErrorCode::malformed);
    CHECK(code("a.png", "push graphic-context\nviewbox 0 0 1 1\nimage over 0,0 0,0 'msl:/etc/passwd'\n") ==
          ErrorCode::malformed);
    CHECK(code("a.mvg", "push graphic-context\n") == ErrorCode::malformed);
    for (const std::string& whole : {png, jpeg, good_tga})
        for (std::size_t bytes = 0; bytes < whole.size(); bytes += 1 + whole.size() / 12) {
            const auto cut = code(&whole == &png ? "a.png" : "a.any", std::string_view(whole).substr(0, bytes));
            CAPTURE(bytes);
            CHECK((!cut || *cut == ErrorCode::malformed || *cut == ErrorCode::limit));
        }
    CHECK(code("a.png", std::string_view(png).substr(0, png.size() / 2)) == ErrorCode::malformed);
    unsigned seed = 7;
    for (int i = 0; i < 30; ++i) {  // a byte changed anywhere gives an image or an error
        std::string spoilt = i % 3 == 0 ? png : i % 3 == 1 ? jpeg : good_tga;
        seed = seed * 1664525 + 1013904223;
        spoilt[seed / 65536 % std::min<std::size_t>(spoilt.size(), 700)] ^= static_cast<char>(1 + i);
        (void)code(i % 3 == 0 ? "a.png" : i % 3 == 1 ? "a.jpg" : "a.tga", spoilt);
    }
}

TEST_CASE("image: one that would be too large is refused after its header") {
    const JobBench bench;
    const Processor image = builtin("image", {{"format", std::string("png")}});
    for (const std::string& huge : {std::string("\0\0\2\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\x18\0", 18),
                                    std::string("\0\0\2\0\0\0\0\0\0\0\0\0\0\x70\0\x70\x18\0", 18)}) {
        const Error error = bench.run_badly(job_on(image, input_of("a.tga", huge)));
        CHECK((error.code() == ErrorCode::limit || error.code() == ErrorCode::malformed));
    }
    const Processor grown = builtin("image", {{"format", std::string("png")}, {"scale", std::int64_t{16}}});
    CHECK(bench.run_badly(job_on(grown, input_of("a.tga", tga(1000, 1000)))).code() == ErrorCode::limit);
}

TEST_CASE("image: four threads convert at the same time, to the same bytes") {
    const JobBench bench;
    const std::string source = tga(120, 90);
    const Processor image = builtin("image", {{"format", std::string("png")}, {"scale", 0.5}});
    const AssetId expected = bench.run_well(job_on(image, input_of("a.tga", source))).outputs.at(0).asset;
    const JobInput input = input_of("a.tga", source);
    std::atomic<int> good = 0;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread)
            threads.emplace_back([&] {
                for (int i = 0; i < 6; ++i) {
                    const auto result = run_job(job_on(image, input), bench.environment());
                    good += result && result->outputs.size() == 1 && result->outputs[0].asset == expected;
                }
            });
    }
    CHECK(good == 24);
}

TEST_CASE("image: the version of the decoder that is installed is part of the key") {
    const auto version = image_program_version(FARDEL_IMAGE_PROGRAM);
    REQUIRE(version);
    CHECK(has(*version, "GraphicsMagick 1."));
    const auto digest_of = [](std::string_view name) {
        return value_of(code_digest(builtin(name), {}, FARDEL_IMAGE_PROGRAM));
    };
    CHECK(digest_of("image") == digest_of("image"));
    CHECK(digest_of("image") != digest_of("copy"));
}

TEST_CASE("image: a program that is not installed is missing, and the message says what to install") {
    const Error error = find_image_program("/nowhere/fardel-image").error();
    CHECK(error.code() == ErrorCode::missing);
    CHECK(has(error.message(), "/nowhere/fardel-image"));
}

TEST_CASE("image: bytes of another format under the name of an image reach no decoder of that format") {
    const JobBench bench;
    const Processor image = builtin("image", {{"format", std::string("png")}});
    const std::string svg =
        "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
        "width=\"64\" height=\"82\"><image xlink:href=\"private.ppm\" x=\"0\" y=\"0\" height=\"82\" "
        "width=\"64\"/></svg>";
    const std::string postscript = "%!PS-Adobe-3.0\n%%BoundingBox: 0 0 10 10\n(x) show\n";
    CHECK(has(bench.run_badly(job_on(image, input_of("a.tga", postscript))).message(), "not those of a TGA"));
    const std::string ppm = "P6\n2 2\n255\nSECRETPIXELS";
    for (const std::string& bytes : {svg, postscript, ppm, std::string("GIF89a\x01\0\x01\0", 10)}) {
        const Error error = bench.run_badly(job_on(image, input_of("a.tga", bytes)));
        CHECK(error.code() == ErrorCode::malformed);
    }
}

// ---- rewrite --------------------------------------------------------------------------------------------------------

TEST_CASE("rewrite: replaces whole spellings and nothing within others") {
    const JobBench bench;
    const Processor rewrite = builtin("rewrite", {{"textures/a.tga", std::string("textures/a.png")},
                                                  {"textures/a", std::string("T")},
                                                  {"b", std::string("textures/a.tga")}});
    const auto rewritten = [&](std::string_view text) {
        return text_of(bench.run_well(job_on(rewrite, input_of("s.shader", text))).outputs.at(0));
    };
    CHECK(rewritten("map textures/a.tga\n\tmap \"textures/a\" b\n") ==
          "map textures/a.png\n\tmap \"T\" textures/a.tga\n");
    CHECK(rewritten("textures/a.tga") == "textures/a.png");
    CHECK(rewritten("xtextures/a.tga textures/a.tga2 my/textures/a.tga textures/a.tga.bak bb b_ \xc3\xa4"
                    "b") ==
          "xtextures/a.tga textures/a.tga2 my/textures/a.tga textures/a.tga.bak bb b_ \xc3\xa4"
          "b");
    CHECK(rewritten("(b)(b),b;") == "(textures/a.tga)(textures/a.tga),textures/a.tga;");
    CHECK(rewritten("") == "");
    CHECK(bench.run_well(job_on(rewrite, input_of("s.shader", "b"), {"t.shader"})).outputs.at(0).name == "t.shader");
    CHECK(bench.run_badly(job_on(rewrite, input_of("s.shader", std::string_view("a\0b", 3)))).code() ==
          ErrorCode::malformed);
    CHECK(bench.run_badly(job_on(rewrite, input_of("s.shader", "b"), {"t", "u"})).code() == ErrorCode::malformed);
}

// ---- unpack ---------------------------------------------------------------------------------------------------------

TEST_CASE("unpack: a zip becomes its files, below a folder of its name") {
    const JobBench bench;
    const Processor unpack = builtin("unpack");
    const auto zip_of = [](const std::vector<ZipMember>& members) {
        const std::vector<std::byte> bytes = build_zip(members);
        return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    const std::string zip = zip_of({{.name = "b.txt", .content = "B"},
                                    {.name = "a/c.txt", .content = std::string(200'000, 'c'), .deflated = true},
                                    {.name = "d/", .content = ""}});
    const JobResult result = bench.run_well(job_on(unpack, input_of("maps/pak.pk3", zip)));
    REQUIRE(result.outputs.size() == 2);
    CHECK(result.outputs[0].name == "maps/pak/a/c.txt");
    CHECK(text_of(result.outputs[0]) == std::string(200'000, 'c'));
    CHECK(result.outputs[1].name == "maps/pak/b.txt");
    const JobResult one = bench.run_well(job_on(unpack, input_of("maps/pak.pk3", zip), {"maps/pak/b.txt"}));
    REQUIRE(one.outputs.size() == 1);
    CHECK(text_of(one.outputs[0]) == "B");
    CHECK(bench.run_badly(job_on(unpack, input_of("maps/pak.pk3", zip), {"maps/pak/gone"})).code() ==
          ErrorCode::missing);
    CHECK(bench.run_badly(job_on(unpack, input_of("a.zip", zip_of({{.name = "../evil", .content = "x"}})))).code() ==
          ErrorCode::malformed);
    CHECK(bench.run_badly(job_on(unpack, input_of("a.zip", zip_of({{.name = "/etc/evil", .content = "x"}})))).code() ==
          ErrorCode::malformed);
    CHECK(bench
              .run_badly(job_on(
                  unpack, input_of("a.zip",
                                   zip_of({{.name = "link", .content = "/etc/passwd", .attributes = 0120777u << 16}}))))
              .code() == ErrorCode::denied);
    CHECK_FALSE(bench.run(job_on(unpack, input_of("a.zip", zip_of({{.name = "x", .content = "x", .crc32 = 1}})))));
}

TEST_CASE("unpack: a broken archive, or a file that is not an archive, is malformed") {
    const JobBench bench;
    const Processor unpack = builtin("unpack");
    const auto code = [&](std::string_view name, std::string_view bytes) {
        const std::size_t size = bytes.size();
        CAPTURE(size);
        CAPTURE(name);
        return bench.run_badly(job_on(unpack, input_of(name, bytes))).code();
    };
    CHECK(code("a.gz", "no gzip") == ErrorCode::malformed);
    CHECK(code("a.gz", "") == ErrorCode::malformed);
    CHECK(code("a.gz", "\x1f\x8b\x08") == ErrorCode::malformed);
    CHECK(code("a.zip", "no zip") == ErrorCode::malformed);
    CHECK(code("a.rar", "x") == ErrorCode::malformed);
    CHECK(code(".gz", "x") == ErrorCode::malformed);
    Processor gzip = shell("gzip -n <\"$1\" >\"$2\"");
    const std::string packed =
        text_of(bench.run_well(job_on(gzip, input_of("a", std::string(100'000, 'x')), {"a.gz"})).outputs.at(0));
    for (std::size_t bytes = 0; bytes < packed.size(); bytes += 6)
        CHECK(code("a.gz", std::string_view(packed).substr(0, bytes)) == ErrorCode::malformed);
    std::string spoilt = packed;
    spoilt[spoilt.size() - 6] ^= 1;  // the checksum
    CHECK(code("a.gz", spoilt) == ErrorCode::malformed);
    CHECK(code("a.gz", packed + "x") == ErrorCode::malformed);
    CHECK(text_of(bench.run_well(job_on(unpack, input_of("a.gz", packed + packed))).outputs.at(0)) ==
          std::string(200'000, 'x'));
    CHECK(text_of(bench.run_well(job_on(unpack, input_of("a.GZ", packed))).outputs.at(0)) == std::string(100'000, 'x'));
}

}  // namespace fardel::tests::builtins_test
