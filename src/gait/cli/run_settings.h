// Checks the options of `gait run` before the program starts. The program may run for a day, and a mistake
// that only its Python finds costs the capture. The Python package takes the same options
// (python/gait/_environment.py and _schedule.py), also in the variable GAIT, which is not checked here.
#pragma once

#include <map>
#include <string>

#include "gait/base/result.h"

namespace gait::cli {

// What is wrong with the value of one option; empty: the value is right.
using SettingCheck = std::string (*)(const std::string& value);

std::string CheckSteps(const std::string& value);     // "100:105", "100", several with commas
std::string CheckFromZero(const std::string& value);  // a whole number
std::string CheckFromOne(const std::string& value);
std::string CheckFactor(const std::string& value);
std::string CheckSeconds(const std::string& value);
std::string CheckText(const std::string& value);
std::string CheckName(const std::string& value);  // a text that may hold the first step

// Checks settings, by key, against each other. Each is right by itself. `alone`: no variable adds to them.
Result<void> CheckTogether(const std::map<std::string, std::string>& settings, bool alone);

}  // namespace gait::cli
