#include "gait/report/markdown.h"

#include <gtest/gtest.h>

#include "gait/report/cards.h"

namespace gait::report {
namespace {

Document MarkdownExample() {
  Document document;
  document.answer = "All is *well*.";
  Table table;
  table.name = "parts";
  table.depth = "depth";
  table.columns = {{"part"},
                   {"depth", Type::kInteger, unit::kNone, {.hidden = true}},
                   {"time", Type::kInteger, unit::kPs, {.group = "time"}},
                   {"change", Type::kInteger, unit::kPs, {.group = "time"}}};
  table.rows = {{"a|b", int64_t{0}, Milliseconds(20), Ps(-1'000'000'000)},
                {"c", int64_t{1}, Milliseconds(10), Ps()}};
  document.tables.push_back(table);
  Table cards;
  cards.name = "cards";
  cards.cards = true;
  cards.key = "title";
  cards.columns = {{"severity"},
                   {"title"},
                   {"cause", Type::kText, unit::kNone, {.below = true}},
                   {"fix", Type::kText, unit::kNone, {.head = "fix", .below = true}},
                   {"rows", Type::kAny, unit::kNone, {.head = "evidence", .below = true}}};
  cards.rows = {
      {"high", "Too slow", "It waits.", "do this:\n  x = f(y)\nthen rest", Cell::Json("[]", "one\ntwo")}};
  document.tables.push_back(cards);
  return document;
}

TEST(Markdown, TablesShareUnitsAndCardsKeepCode) {
  EXPECT_EQ(
      MarkdownText(MarkdownExample(), {.heading = "Run"}),
      "## Run\n\n**All is \\*well\\*.**\n"
      "\n| part | time ms | change ms |\n|---|--:|--:|\n| a\\|b | 20.0 | -1.0 |\n| &emsp;c | 10.0 | 0 |\n"
      "\n### 1. Too slow (high)\n"
      "\nIt waits.\n"
      "\n**fix** do this:\n\n```\n  x = f(y)\n```\n\nthen rest\n"
      "\n**evidence**\n\n- one\n- two\n");
}

TEST(Markdown, CountsTheRowsItLeavesOut) {
  const std::string text = MarkdownText(MarkdownExample(), {.heading = {}, .most_rows = 1});
  EXPECT_NE(text.find("… and 1 more"), std::string::npos);
}

TEST(Cards, FillLinesAndKeepCode) {
  const Document document = MarkdownExample();
  const std::vector<Card> cards = MakeCards(document.tables[1], 40);
  ASSERT_EQ(cards.size(), 1u);
  EXPECT_EQ(cards[0].heading, "  1  Too slow                       high");
  EXPECT_EQ(cards[0].lines, (std::vector<std::string>{
                                "     It waits.", "     fix       do this:", "                 x = f(y)",
                                "               then rest", "     evidence  one", "               two"}));
}

}  // namespace
}  // namespace gait::report
