// Instantiates the templates that the modules under test use most, in one optimized object
// (CMakeLists.txt).
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

template class std::basic_string<char>;
template class std::vector<std::string>;
template class nlohmann::basic_json<>;
template class nlohmann::basic_json<nlohmann::ordered_map>;
