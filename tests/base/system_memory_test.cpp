#include <fardel/base/system_memory.h>

#include "kit/test.h"

#include <deque>
#include <map>
#include <memory_resource>

namespace fardel::tests::system_memory_test {

TEST_CASE("system memory: lists and maps of any size live in it until it is destroyed") {
    SystemMemory memory;
    std::pmr::deque<int> list(&memory);
    std::pmr::map<int, int> map(&memory);
    const int* const first = &list.emplace_back(0);
    for (int i = 1; i < 500'000; ++i)  // several times what it asks the system for at once
        list.push_back(i);
    for (int i = 0; i < 50'000; ++i)
        map.emplace(i, list[static_cast<std::size_t>(i)]);
    CHECK(first == &list.front());
    CHECK(list.back() == 499'999);
    CHECK(map.at(49'999) == 49'999);
    map.clear();  // a freed node is not given again
    map.emplace(1, 2);
    CHECK(map.at(1) == 2);
}

}  // namespace fardel::tests::system_memory_test
