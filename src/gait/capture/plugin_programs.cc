#include "gait/capture/plugin_programs.h"

#include <dlfcn.h>
#include <link.h>

#include <string_view>
#include <utility>

#include "gait/base/wire.h"

namespace gait::capture {
namespace {

// A tensorflow.ProfileOptions: version 1, of devices only the CPU, HLO. Its other levels are 0: it records no
// event, and CUPTI, which may have one user, is left alone.
constexpr std::string_view kOnlyPrograms = "\x28\x01\x30\x01\x38\x01";

// The path under which the process has loaded a library of this name; empty: it has not.
std::string LoadedPath(std::string_view name) {
  struct Search {
    std::string_view name;
    std::string path;
  } search{name, {}};
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        Search& wanted = *static_cast<Search*>(data);
        const std::string_view path = info->dlpi_name;
        if (path.substr(path.rfind('/') + 1) != wanted.name) return 0;
        wanted.path = path;
        return 1;
      },
      &search);
  return search.path;
}

const pjrt::ProfilerApi* FindProfiler(const char* plugin) {
  const std::string path = LoadedPath(plugin);
  if (path.empty()) return nullptr;
  void* const library = ::dlopen(path.c_str(), RTLD_NOLOAD | RTLD_NOW);
  if (library == nullptr) return nullptr;
  const auto get_api = reinterpret_cast<const pjrt::Api* (*)()>(::dlsym(library, "GetPjrtApi"));
  const pjrt::Api* const api = get_api != nullptr ? get_api() : nullptr;
  const pjrt::Extension* extension = api != nullptr ? api->extensions : nullptr;
  while (extension != nullptr && extension->type != pjrt::kProfilerExtension) extension = extension->next;
  if (extension == nullptr || extension->struct_size < sizeof(pjrt::ProfilerExtension)) return nullptr;
  const pjrt::ProfilerApi* const found = reinterpret_cast<const pjrt::ProfilerExtension*>(extension)->api;
  return found != nullptr && found->struct_size >= sizeof(pjrt::ProfilerApi) ? found : nullptr;
}

// What a call has to say when it failed; empty: it did not.
std::string Take(const pjrt::ProfilerApi& api, pjrt::Failure* failure) {
  if (failure == nullptr) return {};
  pjrt::FailureMessageArgs said{sizeof(said), nullptr, failure, nullptr, 0};
  api.failure_message(&said);
  std::string message(said.message, said.message_size);
  pjrt::FailureArgs gone{sizeof(gone), nullptr, failure};
  api.destroy_failure(&gone);
  return message.empty() ? "unknown" : message;
}

// Without the byte that some versions count too many, a 0, which begins no field.
std::string_view Message(std::string_view bytes) {
  size_t end = 0;
  for (FieldWalker fields(bytes); fields.Next();) end = fields.position();
  return bytes.substr(0, end);
}

}  // namespace

std::shared_ptr<PluginPrograms> PluginPrograms::Start(const char* plugin) {
  const pjrt::ProfilerApi* const api = FindProfiler(plugin);
  if (api == nullptr) return nullptr;
  pjrt::CreateArgs made{sizeof(made), kOnlyPrograms.data(), kOnlyPrograms.size(), nullptr};
  if (!Take(*api, api->create(&made)).empty() || made.profiler == nullptr) return nullptr;
  const std::shared_ptr<PluginPrograms> programs(new PluginPrograms(*api, made.profiler));
  pjrt::ProfilerArgs args{sizeof(args), made.profiler};
  programs->running_ = Take(*api, api->start(&args)).empty();
  return programs->running_ ? programs : nullptr;
}

PluginPrograms::~PluginPrograms() {
  (void)Stop();  // else the plugin would keep programs for ever
  pjrt::ProfilerArgs args{sizeof(args), profiler_};
  (void)Take(api_, api_.destroy(&args));
}

std::string PluginPrograms::Stop() {
  if (!std::exchange(running_, false)) return {};
  pjrt::ProfilerArgs args{sizeof(args), profiler_};
  return Take(api_, api_.stop(&args));
}

Result<std::string> PluginPrograms::Collect() {
  const auto failed = [](const std::string& why) {
    return Unreadable("the plugin's profiler does not hand out its programs: " + why);
  };
  if (const std::string why = Stop(); !why.empty()) return failed(why);
  pjrt::CollectArgs collected{sizeof(collected), profiler_, nullptr, 0};
  if (const std::string why = Take(api_, api_.collect(&collected)); !why.empty()) return failed(why);
  if (collected.buffer == nullptr) return failed("nothing came");
  return std::string(Message({reinterpret_cast<const char*>(collected.buffer), collected.buffer_size}));
}

}  // namespace gait::capture
