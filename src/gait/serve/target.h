// The target of a request, "/api/runs?top=5": split at "?", "&" and "=", then decoded.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace gait::serve {

struct Target {
  std::string path;
  std::multimap<std::string, std::string> parameters;  // a name may come several times
};

// Every text is valid: a percent sign without two hexadecimal digits behind it stands for itself. In
// parameters, but not in the path, "+" is a space.
Target ParseTarget(std::string_view target);

// The path of a target as an address has it: ParseTarget gives it back. No line of a head ends in it, and no
// browser reads another host into it.
std::string EncodePath(std::string_view path);

}  // namespace gait::serve
