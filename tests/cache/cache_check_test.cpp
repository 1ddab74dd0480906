#include "cache_folder.h"
#include "cache_samples.h"
#include "kit/files.h"

#include <fardel/cache/cache_layers.h>

namespace fardel::tests::cache_check_test {

TEST_CASE("cache check: counts all files, finds broken ones, and removes them if requested") {  // A103
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    const auto layer = *open_folder_layer(folder);
    std::vector<Sample> samples;
    for (std::uint64_t i = 0; i < 10; ++i) {
        samples.push_back(make_sample(i, {noise(1000, i), bytes_of("the same")}));
        write_sample(*layer, samples.back());
    }
    auto report = check_cache_folder(folder, {});
    REQUIRE(report);
    CHECK(report->records == 10);
    CHECK(report->objects == 11);
    CHECK(report->object_bytes == 10'008);
    CHECK(report->broken.empty());
    CHECK(report->incomplete == 0);

    const auto file = [](CacheFileKind kind, const auto& id) { return cache_file_name(kind, id_from<Hash>(id)); };
    const std::string record = file(CacheFileKind::record, samples[0].record.key);
    const std::string object = file(CacheFileKind::object, samples[1].asset(0));
    const std::string zeros = file(CacheFileKind::object, samples[2].asset(0));
    scratch.write("cache/" + record, std::string_view("not a record"));
    scratch.write("cache/" + object, std::string_view("not the object"));
    scratch.write("cache/" + zeros, std::vector<std::byte>(1000));
    fs::remove(scratch.path("cache/" + file(CacheFileKind::object, samples[3].asset(0))));
    scratch.write("cache/objects/00/.fardel-0.tmp", std::string_view("half"));
    scratch.write("cache/objects/00/letter.txt", std::string_view("not ours"));

    CHECK(check_cache_folder(folder, {.read = false})->broken.empty());
    std::uint64_t reports = 0;
    report = check_cache_folder(folder, {.read = true, .progress = [&](const CacheFolderReport&) { ++reports; }});
    REQUIRE(report);
    CHECK(reports == 20);
    CHECK(report->records == 10);
    CHECK(report->objects == 10);
    CHECK(report->incomplete == 2);  // the records of the short object and of the missing one
    CHECK(report->unfinished == 1);
    CHECK(report->unfinished_bytes == 4);
    auto expected = std::vector{record, object, zeros};
    std::ranges::sort(expected);
    std::ranges::sort(report->broken);
    CHECK(report->broken == expected);
    CHECK(report->removed == 0);

    REQUIRE(check_cache_folder(folder, {.read = true, .remove = true})->removed == 3);
    CHECK(check_cache_folder(folder, {})->broken.empty());
    CHECK(fs::exists(scratch.path("cache/objects/00/letter.txt")));

    std::stop_source stop;
    stop.request_stop();
    CHECK(check_cache_folder(folder, {.stop = stop.get_token()}).error().code() == ErrorCode::cancelled);
}

}  // namespace fardel::tests::cache_check_test
