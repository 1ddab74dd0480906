
#include <fardel/vfs/file.h>

#include "vfs/test_bundle.h"

namespace fardel::tests::file_stream_test {

TEST_CASE("file stream: reads of any size give the whole asset and nothing more") {
    const std::string content = noise_text(700'001, 1);
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", content).add("empty", "").write());
    for (const std::size_t step : {1000u, 65'536u, 262'144u, 262'145u, 700'001u, 900'000u}) {
        FileStream stream(vfs.open("/a").value());
        std::string all;
        Bytes room(step);
        for (;;) {
            const std::size_t count = stream.read(room).value();
            all += text_of(std::span(room).first(count));
            if (count < step)
                break;
        }
        CHECK_MESSAGE(all == content, step);
        CHECK(stream.position() == content.size());
        CHECK(stream.read(room).value() == 0);
    }
    FileStream empty(vfs.open("/empty").value());
    Bytes room(5);
    CHECK(empty.read(room).value() == 0);
}

TEST_CASE("file stream: seeking reads from there, back and forth and past the end") {
    const std::string content = noise_text(700'000, 2);
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", content).write());
    FileStream stream(vfs.open("/a").value());
    std::mt19937 random(7);
    Bytes room(3000);
    for (int i = 0; i < 300; ++i) {
        const std::uint64_t at = random() % 701'000;
        stream.seek(at);
        const std::size_t count = stream.read(room).value();
        CHECK(text_of(std::span(room).first(count)) ==
              (at < content.size() ? content.substr(at, 3000) : std::string()));
        CHECK(stream.position() == at + count);
    }
    stream.seek(~std::uint64_t{0});
    CHECK(stream.read(room).value() == 0);
}

TEST_CASE("file stream: damage is an error, the position is kept, and undamaged parts can still be read") {
    const std::string content = noise_text(400'000, 3);
    Vfs vfs;
    mount(vfs, damage_content(BundleMaker().add("a", content).write(), id_of(content)));  // in the first block
    FileStream stream(vfs.open("/a").value());
    Bytes room(100);
    CHECK(outcome_of(stream.read(room)) == "corrupt");
    CHECK(stream.position() == 0);
    CHECK(outcome_of(stream.read(room)) == "corrupt");
    stream.seek(300'000);
    CHECK(stream.read(room).value() == 100);
    CHECK(text_of(room) == content.substr(300'000, 100));
}

}  // namespace fardel::tests::file_stream_test
