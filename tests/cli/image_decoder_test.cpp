// The built-in "image" and files whose content has another format: no other decoder, program or file is reached.
#include "sample.h"

namespace fardel::tests::image_decoder_test {

// A project that converts every asset, and a folder of programs that comes first in PATH.
struct HostileProject {
    ScratchFolder scratch;
    std::string folder = scratch.path("game");
    std::string programs = scratch.path("programs");
    std::string started = scratch.path("started");

    HostileProject() {
        scratch.write("game/fardel.toml", R"(name = "x"
sources = ["assets"]

[processor.small]
builtin = "image"
parameters = { format = "png" }
outputs = ["{folder}{stem}.png"]

[[rule]]
match = "**"
process = "small"
)");
        // The interpreter of PostScript that an image library would start.
        const std::string gs = scratch.write("programs/gs", "#!/bin/sh\necho started >> " + started + "\nexit 1\n");
        std::filesystem::permissions(gs, std::filesystem::perms::owner_exec, std::filesystem::perm_options::add);
    }

    Outcome build() const {
        return run_program({"env", "PATH=" + programs + ":/usr/bin:/bin", FARDEL_PROGRAM, "build", folder});
    }
};

TEST_CASE("image decoder: PostScript under the name of a TGA starts no program") {
    const HostileProject project;
    project.scratch.write("game/assets/a.tga", "%!PS-Adobe-3.0\n%%BoundingBox: 0 0 10 10\n(x) show\nshowpage\n");
    const Outcome outcome = project.build();
    CHECK(outcome.exit_code != 0);
    CHECK_FALSE(std::filesystem::exists(project.started));
    CHECK_FALSE(std::filesystem::exists(project.folder + "/x.fardel"));
}

TEST_CASE("image decoder: an SVG under the name of a TGA includes no file") {
    const HostileProject project;
    const std::string secret = project.scratch.write("private.ppm", "P6\n2 2\n255\nSECRETPIXELS");
    project.scratch.write(
        "game/assets/b.tga",
        "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\" "
        "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"64\" height=\"82\"><image xlink:href=\"" +
            secret + "\" x=\"0\" y=\"0\" height=\"82\" width=\"64\"/></svg>");
    CHECK(project.build().exit_code != 0);
    CHECK_FALSE(std::filesystem::exists(project.folder + "/x.fardel"));
}

// A125
TEST_CASE("image decoder: a picture whose bytes have another format is malformed, and nothing is started or read") {
    const HostileProject project;
    const std::string secret = project.scratch.write("secret.txt", "TOP SECRET");
    const std::string text = "text 10,10 '@" + secret + "'\n";
    struct Disguise {
        const char* what;
        std::string bytes;
    };
    const Disguise disguises[] = {
        {"PostScript", "%!PS-Adobe-3.0\n%%BoundingBox: 0 0 10 10\nshowpage\n"},
        {"PDF", "%PDF-1.4\n1 0 obj\n"},
        {"SVG", "<svg xmlns=\"http://www.w3.org/2000/svg\"><image href=\"file://" + secret + "\"/></svg>"},
        {"MVG", "push graphic-context\n" + text + "pop graphic-context\n"},
        {"MSL", "<?xml version=\"1.0\"?><image><read filename=\"" + secret + "\"/></image>"},
        {"MIFF", "id=ImageMagick\nclass=DirectClass columns=2 rows=2 depth=8\n\f\n:\x1a            "},
        {"an indirect name", "@" + secret + "\n                            "},
        {"a portable pixmap", "P6\n2 2\n255\n            "},
        {"a shell script", "#!/bin/sh\necho started\n                    "},
        {"GIF", std::string("GIF89a\x02\0\x02\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x02\0\x02\0\0\x02\x02\x84Q\0;", 35)},
    };
    for (const Disguise& disguise : disguises)
        for (const char* const extension : {"tga", "png", "jpg", "bmp"}) {
            CAPTURE(disguise.what);
            CAPTURE(extension);
            const std::string picture = std::string("game/assets/a.") + extension;
            project.scratch.write(picture, disguise.bytes);
            const Outcome outcome = project.build();
            CHECK(outcome.exit_code == 1);
            CHECK(outcome.err.find("[malformed]") != std::string::npos);
            CHECK_FALSE(std::filesystem::exists(project.started));
            CHECK_FALSE(std::filesystem::exists(project.folder + "/x.fardel"));
            std::filesystem::remove(project.scratch.path(picture));
        }
}

// A125
TEST_CASE("image decoder: settings of the image library in the environment reach no decoder") {
    const HostileProject project;
    project.scratch.write("config/delegates.mgk",
                          "<delegatemap><delegate decode=\"tga\" command='\"gs\" \"%i\"'/></delegatemap>");
    project.scratch.write("game/assets/a.tga", "%!PS-Adobe-3.0\nshowpage\n         ");
    const Outcome outcome = run_program({"env", "PATH=" + project.programs + ":/usr/bin:/bin",
                                         "MAGICK_CONFIGURE_PATH=" + project.scratch.path("config"),
                                         "MAGICK_CODER_MODULE_PATH=" + project.scratch.path("config"), FARDEL_PROGRAM,
                                         "build", project.folder});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err.find("[malformed]") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(project.started));
}

TEST_CASE("image decoder: the program itself loads no image library") {
    const Outcome libraries = run_program({"ldd", FARDEL_PROGRAM});
    REQUIRE(libraries.exit_code == 0);
    CHECK(libraries.out.find("libc.so") != std::string::npos);
    CHECK(libraries.out.find("GraphicsMagick") == std::string::npos);
    CHECK(libraries.out.find("libcurl") == std::string::npos);
}

}  // namespace fardel::tests::image_decoder_test
