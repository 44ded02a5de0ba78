#include "gait/analyze/question/kernels/kernel_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <unordered_map>

namespace gait::analyze {
namespace {

constexpr size_t kLongWord = 64;   // a name of one word is cut when longer
constexpr size_t kWordHead = 48;   // and so much of it always stays
constexpr size_t kMaxName = 4096;  // names beyond are not taken apart

bool Opens(char c) { return c == '<' || c == '(' || c == '[' || c == '{'; }
bool Closes(char c) { return c == '>' || c == ')' || c == ']' || c == '}'; }

// Where the bracket that closes at the end of the text opens; npos when the text does not end with one.
size_t OpeningOfLast(std::string_view text) {
  if (text.empty() || !Closes(text.back())) return std::string_view::npos;
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    if (text[i] == '>' && i > 0 && text[i - 1] == '-') continue;  // ->
    if (Closes(text[i])) ++depth;
    if (Opens(text[i]) && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// Where the last piece of the text outside all brackets begins, after a separator; 0 when there is none.
size_t AfterLast(std::string_view text, std::string_view separator) {
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    if (Closes(text[i])) ++depth;
    if (Opens(text[i])) --depth;
    if (depth == 0 && text.substr(i).starts_with(separator)) return i + separator.size();
  }
  return 0;
}

// The text between commas outside brackets, without spaces around it.
std::vector<std::string_view> Arguments(std::string_view list) {
  std::vector<std::string_view> arguments;
  int depth = 0;
  size_t from = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && Opens(list[i])) ++depth;
    if (i < list.size() && Closes(list[i])) --depth;
    if (i < list.size() && (list[i] != ',' || depth != 0)) continue;
    std::string_view piece = list.substr(from, i - from);
    while (piece.starts_with(' ')) piece.remove_prefix(1);
    while (piece.ends_with(' ')) piece.remove_suffix(1);
    arguments.push_back(piece);
    from = i + 1;
  }
  return arguments;
}

std::vector<std::string_view> Words(std::string_view name) {
  std::vector<std::string_view> words;
  size_t from = 0;
  for (size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && name[i] != '_') continue;
    words.push_back(name.substr(from, i - from));
    from = i + 1;
  }
  return words;
}

// A name taken apart. All views are into the name.
struct Parts {
  std::string_view whole;
  std::string_view path;  // with namespaces, without return type, template arguments and parameters
  std::string_view base;  // the last part of the path
  std::vector<std::string_view> arguments;  // of the template; or the words behind the head of a long word
  bool is_word = false;                     // no C++ name: `arguments` are words, `base` is the head
};

bool SaysNothing(std::string_view base) {
  std::string letters;
  for (const char c : base) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  constexpr std::string_view kWrappers[] = {"kernel", "devicekernel", "globalkernel", "kernelentry", "run",
                                            "launch", "main",         "entry",        "invoke"};
  return std::ranges::find(kWrappers, letters) != std::end(kWrappers);
}

Parts Word(std::string_view name) {
  Parts parts{name, name, name, {}, true};
  if (parts.base.ends_with(".kd")) parts.base.remove_suffix(3);
  if (parts.base.size() <= kLongWord) return parts;
  const std::string_view rest = parts.base;
  size_t head = rest.rfind('_', kWordHead);
  if (head == std::string_view::npos || head == 0) head = kWordHead;
  parts.base = rest.substr(0, head);
  parts.arguments = Words(rest.substr(rest[head] == '_' ? head + 1 : head));
  return parts;
}

Parts TakeApart(std::string_view name) {
  if (name.size() > kMaxName) return Parts{name, name, name, {}, false};
  if (name.find_first_of("<(:") == std::string_view::npos) return Word(name);
  Parts parts{name, name, name, {}, false};
  std::string_view rest = name;
  if (const size_t clone = rest.rfind(" [clone"); clone != std::string_view::npos)
    rest = rest.substr(0, clone);
  for (const std::string_view suffix : {".kd", " const"}) {
    if (rest.ends_with(suffix)) rest.remove_suffix(suffix.size());
  }
  if (rest.ends_with(')')) {
    const size_t open = OpeningOfLast(rest);
    if (open != std::string_view::npos && open > 0) rest = rest.substr(0, open);
  }
  if (rest.ends_with('>')) {
    const size_t open = OpeningOfLast(rest);
    if (open != std::string_view::npos && open > 0) {
      parts.arguments = Arguments(rest.substr(open + 1, rest.size() - open - 2));
      rest = rest.substr(0, open);
    }
  }
  parts.path = rest.substr(AfterLast(rest, " "));
  parts.base = parts.path.substr(AfterLast(parts.path, "::"));
  if (parts.base.empty()) parts = Parts{name, name, name, {}, false};
  return parts;
}

// `head<a, …, b>` with the arguments that are wanted; a run of others is one ellipsis.
std::string WithArguments(const Parts& parts, std::string_view head, const std::vector<bool>& wanted) {
  std::string text(head);
  text += parts.is_word ? "_" : "<";
  bool first = true;
  bool skipped = false;
  for (size_t i = 0; i < parts.arguments.size(); ++i) {
    const bool shown = i < wanted.size() && wanted[i];
    if (!shown && skipped) continue;
    if (!first) text += parts.is_word ? "_" : ", ";
    text += shown ? parts.arguments[i] : std::string_view("…");
    skipped = !shown;
    first = false;
  }
  return text + (parts.is_word ? "" : ">");
}

// The forms of a name, each one longer than the one before; the last is the name itself.
enum Level : uint8_t { kBase, kDiffering, kArguments, kPath, kPathArguments, kWhole };

std::string Form(const Parts& parts, Level level, const std::vector<bool>& differing) {
  const std::vector<bool> all(parts.arguments.size(), true);
  const bool more = !parts.arguments.empty();
  switch (level) {
    case kBase:
      return std::string(parts.base) + (parts.is_word && more ? "_…" : "");
    case kDiffering:
      return more ? WithArguments(parts, parts.base, differing) : std::string(parts.base);
    case kArguments:
      return more ? WithArguments(parts, parts.base, all) : std::string(parts.base);
    case kPath:
      return more && !parts.is_word ? WithArguments(parts, parts.path, differing) : std::string(parts.path);
    case kPathArguments:
      return more && !parts.is_word ? WithArguments(parts, parts.path, all) : std::string(parts.path);
    case kWhole:
      break;
  }
  return std::string(parts.whole);
}

// Which arguments differ among names of one base.
std::vector<bool> Differing(const std::vector<const Parts*>& group) {
  size_t most = 0;
  for (const Parts* parts : group) most = std::max(most, parts->arguments.size());
  std::vector<bool> differing(most, false);
  const auto at = [](const Parts& parts, size_t i) {
    return i < parts.arguments.size() ? parts.arguments[i] : std::string_view();
  };
  for (const Parts* parts : group) {
    for (size_t i = 0; i < most; ++i) differing[i] = differing[i] || at(*parts, i) != at(*group[0], i);
  }
  // A wrapper alone in its group still has to say what it wraps.
  if (std::ranges::find(differing, true) == differing.end() && most > 0) differing[0] = true;
  return differing;
}

}  // namespace

std::string Demangle(std::string_view name) {
  if (!name.starts_with("_Z") || name.size() > kMaxName) return std::string(name);
  const bool kd = name.ends_with(".kd");
  const std::string mangled(name.substr(0, name.size() - (kd ? 3 : 0)));
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) + (kd ? ".kd" : "") : std::string(name);
}

std::vector<std::string> ShortKernelNames(std::span<const std::string> names) {
  std::vector<Parts> parts;
  parts.reserve(names.size());
  std::unordered_map<std::string_view, std::vector<const Parts*>> by_base;
  for (const std::string& name : names) parts.push_back(TakeApart(name));
  for (const Parts& p : parts) by_base[p.base].push_back(&p);
  std::unordered_map<std::string_view, std::vector<bool>> differing;
  for (const auto& [base, group] : by_base) differing[base] = Differing(group);

  std::vector<Level> levels(names.size(), kBase);
  std::vector<std::string> forms(names.size());
  const auto make = [&](size_t i) { forms[i] = Form(parts[i], levels[i], differing[parts[i].base]); };
  for (size_t i = 0; i < names.size(); ++i) {
    if (!parts[i].is_word && !parts[i].arguments.empty() && SaysNothing(parts[i].base))
      levels[i] = kDiffering;
    make(i);
  }
  // Names that look alike get longer together until none do; there are at most as many rounds as forms.
  for (bool again = true; again;) {
    again = false;
    std::unordered_map<std::string_view, std::vector<size_t>> alike;
    for (size_t i = 0; i < names.size(); ++i) alike[forms[i]].push_back(i);
    std::vector<size_t> longer;
    for (const auto& [form, group] : alike) {
      const bool one = std::ranges::all_of(group, [&](size_t i) { return names[i] == names[group[0]]; });
      if (one) continue;
      for (const size_t i : group) {
        if (levels[i] != kWhole) longer.push_back(i);
      }
    }
    for (const size_t i : longer) {
      levels[i] = static_cast<Level>(levels[i] + 1);
      make(i);
      again = true;
    }
  }
  return forms;
}

}  // namespace gait::analyze
