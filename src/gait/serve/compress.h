// Compression of answers, by the encodings that the browser accepts.
#pragma once

#include <string>
#include <string_view>

#include "gait/serve/message.h"

namespace gait::serve {

// The best encoding of an Accept-Encoding header: zstd before gzip. An encoding with q=0 is refused.
Encoding ChooseEncoding(std::string_view accept);
bool AcceptsGzip(std::string_view accept);
std::string_view Name(Encoding encoding);  // "gzip", "zstd"; empty for none

// Uses fast levels: on a local connection the time to compress is time to wait.
std::string Compress(std::string_view text, Encoding encoding);

// Compresses the body of a reply if that is worth it, and the body is not compressed yet.
void CompressReply(Reply& reply, Encoding encoding);

}  // namespace gait::serve
