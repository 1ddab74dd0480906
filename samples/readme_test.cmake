# Compares the README's example with samples/read_asset.cpp, which must be equal.
file(READ "${SOURCE}/README.md" readme)
file(READ "${SOURCE}/samples/read_asset.cpp" sample)
string(FIND "${readme}" "```cpp\n${sample}```" at)
if(at EQUAL -1)
    message(FATAL_ERROR "README.md: the ```cpp block is not samples/read_asset.cpp; copy the file into it")
endif()
