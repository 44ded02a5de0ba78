// What the options of `gait run` may hold, checked before the program starts: it may run for a day, and a
// mistake that only its Python finds costs it the capture. The package takes the same
// (python/gait/_environment.py and _schedule.py), in the variable GAIT too, of which nothing is known here.
#pragma once

#include <map>
#include <string>

#include "gait/base/result.h"

namespace gait::cli {

// What is wrong with the value of one option; empty: nothing.
using SettingCheck = std::string (*)(const std::string& value);

std::string CheckSteps(const std::string& value);     // "100:105", "100", several with commas
std::string CheckFromZero(const std::string& value);  // a whole number
std::string CheckFromOne(const std::string& value);
std::string CheckFactor(const std::string& value);
std::string CheckSeconds(const std::string& value);
std::string CheckText(const std::string& value);
std::string CheckName(const std::string& value);  // a text that may hold the first step

// Of settings by their key, each of which is right by itself. `alone`: no variable adds to them.
Result<void> CheckTogether(const std::map<std::string, std::string>& settings, bool alone);

}  // namespace gait::cli
