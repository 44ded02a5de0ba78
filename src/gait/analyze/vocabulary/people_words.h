// The words that people use for what their programs do, in annotations and in names of functions.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "gait/analyze/vocabulary/host_names.h"
#include "gait/analyze/vocabulary/words.h"

namespace gait::analyze {

// Words of compiling and of callbacks. People compile regular expressions and reports, and have callbacks,
// too: these words count in names that only runtimes write, and in Python files of JAX.
inline constexpr std::array<std::string_view, 10> kCompileWords = {
    "compile", "compiling", "compilation", "recompile", "recompiling",
    "jaxpr",   "autotune",  "autotuning",  "autotuner", "lowering"};
inline constexpr std::array<std::string_view, 2> kCallbackWords = {"callback", "callbacks"};

// The work that an annotation with these words stands for.
HostWork WorkOfAnnotation(const Words& words);

// What a loop does instead of training.
enum class Interruption : uint8_t { kCheckpoint, kEvaluation };
inline constexpr size_t kInterruptions = 2;
// The interruption that the name of an annotation or of a Python frame stands for.
std::optional<Interruption> InterruptionOfName(std::string_view name);
// Whether an annotation, a series of steps or a program is an evaluation: "eval", "validation_step", "Test".
bool NamesEvaluation(std::string_view name);

}  // namespace gait::analyze
