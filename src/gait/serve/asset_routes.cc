// The page itself.
#include <algorithm>

#include "gait/serve/assets.h"
#include "gait/serve/compress.h"
#include "gait/serve/routes.h"

namespace gait::serve {
namespace {

constexpr std::string_view kNoApp =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>gait</title>"
    "<p>This gait was built without its web app. <code>make build</code> builds both.</p>"
    "<p>What it would show is at <a href=\"/api/runs\">/api/runs</a>.</p></html>\n";

const Asset* Find(std::string_view path) {
  const std::span<const Asset> assets = Assets();
  const auto found = std::ranges::lower_bound(assets, path, {}, &Asset::path);
  return found != assets.end() && found->path == path ? &*found : nullptr;
}

}  // namespace

Reply AssetReply(const Request& request) {
  Reply reply;
  const Asset* asset = Find(request.path);
  if (asset == nullptr && request.path.ends_with('/')) asset = Find(request.path + "index.html");
  if (asset == nullptr) {
    // A folder without its slash: relative, as there may be a proxy with a prefix before us.
    if (Find(request.path + "/index.html") != nullptr) {
      reply.status = kSeeOther;
      reply.location = request.path.substr(request.path.rfind('/') + 1) + "/";
      return reply;
    }
    // Paths of the app itself have no dot; a file that is missing is missing.
    const std::string_view last = std::string_view(request.path).substr(request.path.rfind('/') + 1);
    if (last.find('.') != std::string_view::npos) {
      return ErrorReply(kNotFound, {ErrorKind::kUsage, "there is no such file.", ""});
    }
    asset = Find("/index.html");
  }
  if (asset == nullptr) {
    reply.content_type = "text/html; charset=utf-8";
    reply.body = std::make_shared<const std::string>(kNoApp);
    return reply;
  }
  reply.content_type = asset->type;
  reply.caching = asset->immutable ? Caching::kImmutable : Caching::kRevalidate;
  reply.etag = HashText(std::string(asset->content));
  if (!asset->gzip.empty() && AcceptsGzip(request.accept_encoding)) {
    reply.encoding = Encoding::kGzip;
    reply.body = std::make_shared<const std::string>(asset->gzip);
  } else {
    reply.body = std::make_shared<const std::string>(asset->content);
  }
  return reply;
}

}  // namespace gait::serve
