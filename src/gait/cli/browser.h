// Browser: opens a secret address in the desktop's browser. Other users see the arguments of every process.
// So xdg-open gets the path of a page that nobody else can read, and the page leads to the address.
#pragma once

#include <string>

namespace gait::cli {

bool HasDisplay();

class Browser {
 public:
  // Hands the page to the desktop and returns. Where the page cannot be written, nothing is opened: the
  // address is on the terminal.
  explicit Browser(const std::string& url);
  // Removes the page.
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

 private:
  std::string folder_;
  std::string page_;
};

}  // namespace gait::cli
