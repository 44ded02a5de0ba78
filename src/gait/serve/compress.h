// Compression of answers, as the browser accepts it.
#pragma once

#include <string>
#include <string_view>

#include "gait/serve/message.h"

namespace gait::serve {

// The best encoding that an Accept-Encoding header takes: zstd before gzip. One with q=0 is refused.
Encoding ChooseEncoding(std::string_view accept);
bool AcceptsGzip(std::string_view accept);
std::string_view Name(Encoding encoding);  // "gzip", "zstd"; empty for none

// Fast levels: on a local line the time to compress is time to wait.
std::string Compress(std::string_view text, Encoding encoding);

// Compresses the body of a reply that is worth it and not compressed yet.
void CompressReply(Reply& reply, Encoding encoding);

}  // namespace gait::serve
