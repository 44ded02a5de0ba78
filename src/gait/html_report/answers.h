// Answers: what the server would say to the questions of the page, kept for a page without a server.
//
// Packed they are: u32 length of the index, the index (JSON: [[question, bytes], ...]), the answers one after
// the other, each beginning at a multiple of 8 from the end of the index's padding; little-endian, gzip,
// base64. web/src/report/recorded.ts reads them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gait::html_report {

class Answers {
 public:
  // `question` is path and query as the page asks it: "runs/6f2a90c41b7e/ops?by=scope", keys in order.
  void Add(std::string question, std::string answer);
  std::string Pack() const;

 private:
  std::vector<std::pair<std::string, std::string>> answers_;
};

std::string Base64(std::string_view bytes);

}  // namespace gait::html_report
