// Answers: the server's answers to the questions of the page, kept for a page without a server.
//
// The packed form: u32 length of the index, the index (JSON: [[question, bytes], ...]), then the answers one
// after the other, each at a multiple of 8 from the end of the index's padding; little-endian, gzip, base64.
// web/src/report/recorded.ts reads it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gait::html_report {

class Answers {
 public:
  // `question` is the path and the query of the page's request: "runs/6f2a90c41b7e/ops?by=scope", keys in
  // order.
  void Add(std::string question, std::string answer);
  std::string Pack() const;

 private:
  std::vector<std::pair<std::string, std::string>> answers_;
};

std::string Base64(std::string_view bytes);

}  // namespace gait::html_report
