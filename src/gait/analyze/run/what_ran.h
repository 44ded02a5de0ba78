// What ran where: what is to be known before the times of runs are compared.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gait::analyze {

struct WhatRan {
  std::string devices;  // "NVIDIA H200"
  std::string program;  // that took most of the devices' time; empty: not known, or the same as another run's
};

// "The runs have other devices (NVIDIA H200, TPU v5e) and other programs (jit_f, jit_g). "; empty: all are
// alike.
std::string UnlikeSentence(std::span<const WhatRan> runs);

// "jit_f.12" as "jit_f": the number tells programs of one name apart, and differs from run to run.
std::string ProgramWithoutNumber(std::string_view program);

}  // namespace gait::analyze
