// Browser: opens an address that is a secret in the desktop's browser. Other users see the arguments of every
// process, so xdg-open gets the path of a page that nobody else can read, and that page leads to the address.
#pragma once

#include <string>

namespace gait::cli {

bool HasDisplay();

class Browser {
 public:
  // Hands the page to the desktop and goes on. Where no page can be written nothing is opened: the address is
  // on the terminal.
  explicit Browser(const std::string& url);
  // The page goes.
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

 private:
  std::string folder_;
  std::string page_;
};

}  // namespace gait::cli
