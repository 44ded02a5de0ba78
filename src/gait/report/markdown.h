// A document as Markdown: for pull requests and chats. The same values as text, in tables that Markdown
// draws.
#pragma once

#include <string>

#include "gait/report/table.h"

namespace gait::report {

struct MarkdownOptions {
  std::string heading{};  // above everything; empty: none
  size_t most_rows = 24;  // of a table; a table that shows fewer as text shows as many here
};

// Hidden tables and columns are left out. Cards become paragraphs, code in them a block.
std::string MarkdownText(const Document& document, const MarkdownOptions& options);

}  // namespace gait::report
