// Result<T>: a value or an Error. gait throws no exceptions across its own code: the signature shows that a
// function can fail. An Error is written for the person at the terminal: one line says what happened, one
// line what to do.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace gait {

enum class ErrorKind {
  kUsage,       // the request makes no sense: exit code 2
  kUnreadable,  // the input cannot be used: exit code 3
};

struct Error {
  ErrorKind kind = ErrorKind::kUnreadable;
  std::string what;   // "runs/x/vm.xplane.pb: not an XPlane file: ..."
  std::string hint;   // what to do about it; may be empty
  std::string see{};  // the verb of "gait VERB" in the hint, where that shows more of the same run
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> Unreadable(std::string what, std::string hint = {}) {
  return std::unexpected(Error{ErrorKind::kUnreadable, std::move(what), std::move(hint)});
}

inline std::unexpected<Error> UsageError(std::string what, std::string hint = {}, std::string see = {}) {
  return std::unexpected(Error{ErrorKind::kUsage, std::move(what), std::move(hint), std::move(see)});
}

}  // namespace gait

#define GAIT_CONCAT_INNER(a, b) a##b
#define GAIT_CONCAT(a, b) GAIT_CONCAT_INNER(a, b)

// GAIT_TRY(auto x, Compute()): x is the value, or the function returns the error.
#define GAIT_TRY(declaration, ...) \
  GAIT_TRY_INNER(GAIT_CONCAT(gait_result_, __LINE__), declaration, __VA_ARGS__)
#define GAIT_TRY_INNER(result, declaration, ...)                              \
  auto result = (__VA_ARGS__);                                                \
  if (!result.has_value()) return std::unexpected(std::move(result).error()); \
  declaration = std::move(*result)

// The same for a Result<void>.
#define GAIT_CHECK_OK(...)                                    \
  do {                                                        \
    if (auto gait_status = (__VA_ARGS__); !gait_status)       \
      return std::unexpected(std::move(gait_status).error()); \
  } while (false)
