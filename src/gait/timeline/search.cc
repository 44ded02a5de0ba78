#include "gait/timeline/search.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/time/durations.h"
#include "gait/base/pattern.h"
#include "gait/base/thread_pool.h"

namespace gait::timeline {
namespace {

char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Looked at now and then, in loops over many.
bool IsTimeToStop(const std::stop_token& stop, size_t i) {
  constexpr size_t kBetweenLooks = 4096;
  return i % kBetweenLooks == 0 && stop.stop_requested();
}

// What is looked for.
class TextTest {
 public:
  static Result<TextTest> Make(const std::string& text) {
    TextTest test;
    if (text.size() > 1 && text.front() == '/' && text.back() == '/') {
      GAIT_TRY(test.pattern_, Pattern::Compile(text.substr(1, text.size() - 2)));
      return test;
    }
    if (text.size() > 2 && text.front() == '"' && text.back() == '"') {
      test.whole_ = text.substr(1, text.size() - 2);
      return test;
    }
    test.wanted_ = text;
    std::ranges::transform(test.wanted_, test.wanted_.begin(), Lower);
    return test;
  }

  bool Text(std::string_view in) const {
    if (pattern_) return pattern_->Matches(std::string(in));
    if (whole_) return in == *whole_;
    return wanted_.empty() || !std::ranges::search(in, wanted_, {}, Lower).empty();
  }
  // A number is found whole: 12 is no part of 4125.
  bool Number(const std::string& in) const { return pattern_ ? pattern_->Matches(in) : in == wanted_; }
  bool whole() const { return whole_.has_value(); }
  bool may_be_number() const {
    return pattern_ || (!wanted_.empty() && wanted_.find_first_not_of("0123456789.-+e") == std::string::npos);
  }

 private:
  std::optional<Pattern> pattern_;
  std::optional<std::string> whole_;
  std::string wanted_;
};

// Which slices of one trace match by their arguments.
class ArgumentTest {
 public:
  ArgumentTest(const Trace& trace, const TextTest& test, const std::stop_token& stop)
      : trace_(trace), test_(test) {
    strings_.resize(trace.strings().size());
    for (size_t i = 0; i < strings_.size() && !IsTimeToStop(stop, i); ++i) {
      strings_[i] = test.Text(trace.text(StringId(i)));
    }
    sets_.resize(trace.arg_sets().size(), Answer::kNo);
    for (size_t i = 0; i < sets_.size(); ++i) {
      for (const ArgEntry& entry : trace.arg_sets()[ArgSetId(i)]) {
        if (entry.varying) {
          const bool text = entry.type == ArgType::kString;
          if (sets_[i] == Answer::kNo && (text || test.may_be_number())) sets_[i] = Answer::kLook;
        } else if (Matches({entry.type, entry.bits})) {
          sets_[i] = Answer::kYes;
        }
      }
    }
  }

  bool operator()(EventRef event) const {
    const Answer answer = sets_[trace_.track(event.track).args(event.index).value];
    if (answer != Answer::kLook) return answer == Answer::kYes;
    bool found = false;
    trace_.ForEachArg(event, [&](StringId, ArgValue value) { found = found || Matches(value); });
    return found;
  }

  bool Matches(ArgValue value) const {
    if (value.type == ArgType::kBytes) return false;
    if (value.type == ArgType::kString)
      return value.string().value < strings_.size() && strings_[value.string().value];
    return test_.may_be_number() && test_.Number(analyze::ValueText(trace_, value));
  }

 private:
  enum class Answer : uint8_t { kNo, kYes, kLook };

  const Trace& trace_;
  const TextTest& test_;
  std::vector<bool> strings_;
  std::vector<Answer> sets_;
};

bool NameMatches(const Book& book, uint32_t id, const TextTest& test) {
  return test.Text(book.names[id]->text());
}
// Several programs may have an instruction of one name.
bool IsOperation(const NameDetails& details, const TextTest& test) {
  if (details.operation.empty()) return false;
  return test.Text(details.operation) ||
         (test.whole() && test.Text(fmt::format("{}/{}", details.program_id, details.operation)));
}
bool OperationMatches(const Book& book, uint32_t id, const TextTest& test) {
  const NameDetails& details = book.details[id];
  return IsOperation(details, test) || (!details.scope.empty() && test.Text(details.scope));
}

// Decides by name id where that is enough, else by the arguments.
struct Filter {
  std::vector<bool> by_name;                       // by name id
  std::map<const Trace*, ArgumentTest> arguments;  // empty: names decide
};

Result<Filter> MakeFilter(const Book& book, const SearchQuery& query, const std::vector<uint32_t>& tracks,
                          const TextTest& test, std::vector<uint32_t>& name_ids) {
  Filter filter;
  filter.by_name.resize(book.names.size());
  if (!query.name_ids.empty()) {
    for (const uint32_t id : query.name_ids) {
      if (id < filter.by_name.size()) filter.by_name[id] = true;
    }
    name_ids = query.name_ids;
    return filter;
  }
  for (uint32_t id = 0; id < book.names.size() && !IsTimeToStop(query.stop, id); ++id) {
    const bool name = query.in != SearchIn::kArguments && NameMatches(book, id, test);
    filter.by_name[id] = name || (query.in != SearchIn::kNames && OperationMatches(book, id, test));
    if (filter.by_name[id]) name_ids.push_back(id);
  }
  if (query.in != SearchIn::kNames && !test.whole()) {
    for (const uint32_t t : tracks)
      filter.arguments.try_emplace(book.tracks[t]->trace, *book.tracks[t]->trace, test, query.stop);
  }
  return filter;
}

struct Part {
  std::vector<SliceRef> matches;
  uint64_t total = 0;
  Ps time;
  std::map<uint32_t, NameCount> by_id;
};

Part SearchTrack(const TimelineTrack& track, const SearchQuery& query, const Filter& filter) {
  Part part;
  const Track& events = track.events();
  const auto arguments = filter.arguments.find(track.trace);
  const EventIndex first = query.from ? events.LowerBound(*query.from) : EventIndex(0);
  uint32_t last_id = kNoName;
  NameCount* count = nullptr;
  for (size_t i = first.value; i < events.size() && !IsTimeToStop(query.stop, i); ++i) {
    const EventIndex e(i);
    const Ps begin = events.begin(e);
    if (query.to && begin >= *query.to) break;
    const uint32_t id = track.names[i];
    if (!filter.by_name[id] &&
        (arguments == filter.arguments.end() || !arguments->second({track.track, e}))) {
      continue;
    }
    const Ps duration = events.duration(e);
    if ((query.least && duration < *query.least) || (query.most && duration > *query.most)) continue;
    ++part.total;
    part.time = analyze::SaturatedSum(part.time, duration);
    if (id != last_id) {
      last_id = id;
      count = &part.by_id[id];
    }
    ++count->count;
    count->time = analyze::SaturatedSum(count->time, duration);
    if (part.matches.size() < kMostMatches)
      part.matches.push_back({begin, track.id, static_cast<uint32_t>(i)});
  }
  return part;
}

void CountNames(SearchResult& result, const Book& book, const std::vector<Part>& parts) {
  std::map<std::string_view, NameCount> by_name;
  for (const Part& part : parts) {
    for (const auto& [id, count] : part.by_id) {
      NameCount& sum = by_name[book.names[id]->text()];
      sum.count += count.count;
      sum.time = analyze::SaturatedSum(sum.time, count.time);
    }
  }
  for (auto& [name, count] : by_name) result.names.push_back({std::string(name), count.count, count.time});
  std::ranges::stable_sort(result.names, std::ranges::greater(), &NameCount::count);
}

}  // namespace

Result<SearchResult> Search(const Book& book, const SearchQuery& query) {
  std::vector<uint32_t> tracks;
  for (const TimelineTrack* track : book.tracks) {
    const bool wanted =
        query.tracks.empty() ? !track->derived : std::ranges::count(query.tracks, track->id) > 0;
    if (wanted && !track->counter) tracks.push_back(track->id);
  }
  GAIT_TRY(const TextTest test, TextTest::Make(query.text));
  SearchResult result;
  GAIT_TRY(const Filter filter, MakeFilter(book, query, tracks, test, result.name_ids));
  std::vector<Part> parts(tracks.size());
  ForEach(tracks.size(), DefaultThreads(),
          [&](size_t t) { parts[t] = SearchTrack(*book.tracks[tracks[t]], query, filter); });
  if (query.stop.stop_requested()) return result;
  for (const Part& part : parts) {
    result.total += part.total;
    result.time = analyze::SaturatedSum(result.time, part.time);
    const size_t before = result.matches.size();
    result.matches.insert(result.matches.end(), part.matches.begin(), part.matches.end());
    std::inplace_merge(result.matches.begin(), result.matches.begin() + static_cast<ptrdiff_t>(before),
                       result.matches.end());
    if (result.matches.size() > kMostMatches) result.matches.resize(kMostMatches);
  }
  result.capped = result.total > result.matches.size();
  CountNames(result, book, parts);
  return result;
}

Result<std::optional<std::pair<std::string, std::string>>> MatchingArgument(const Book& book, SliceRef slice,
                                                                            const std::string& text) {
  GAIT_TRY(const TextTest test, TextTest::Make(text));
  const TimelineTrack& track = *book.tracks[slice.track];
  const uint32_t id = track.names[slice.event];
  std::optional<std::pair<std::string, std::string>> found;
  if (NameMatches(book, id, test)) return found;
  const NameDetails& details = book.details[id];
  if (!details.scope.empty() && test.Text(details.scope))
    return std::pair<std::string, std::string>("scope", details.scope);
  if (IsOperation(details, test)) {
    return std::pair<std::string, std::string>("operation", details.operation);
  }
  track.trace->ForEachArg({track.track, EventIndex(slice.event)}, [&](StringId key, ArgValue value) {
    if (found || value.type == ArgType::kBytes) return;
    const bool text_value = value.type == ArgType::kString;
    const std::string shown =
        text_value ? std::string(track.trace->text(value.string())) : analyze::ValueText(*track.trace, value);
    if (text_value ? test.Text(shown) : test.Number(shown))
      found.emplace(std::string(track.trace->text(key)), shown);
  });
  return found;
}

}  // namespace gait::timeline
