// JSON as a tree, its members in the order that they are read in.
#pragma once

#include <nlohmann/json_fwd.hpp>

// A word of all rooms of the server and of the tools, so it is said without a room.
namespace tpuwh::server {
using Json = nlohmann::ordered_json;
}
