// A document as Markdown, for pull requests and chats: the same values as in text, in Markdown tables.
#pragma once

#include <string>

#include "gait/report/table.h"

namespace gait::report {

struct MarkdownOptions {
  std::string heading{};  // above everything; empty: none
  size_t most_rows = 24;  // of a table; a table that shows fewer as text shows as many here
};

// Hidden tables and columns are left out. Cards become paragraphs, and code in cards becomes a code block.
std::string MarkdownText(const Document& document, const MarkdownOptions& options);

}  // namespace gait::report
