// ViewVerb: a verb that looks at a part of a run and makes a document of it. Most verbs are this, a help text
// and a line of verbs/question.cc.
#pragma once

#include "gait/cli/view_options.h"
#include "gait/verbs/question.h"

namespace gait::cli {

class ViewVerb : public Verb {
 public:
  void AddOptions(CLI::App& app) override { options_.Add(app, of_); }

  Result<Outcome> Run(const CommonOptions& common) override {
    question_.verb = help().name;
    GAIT_CHECK_OK(analyze::Check(question_));  // told before a long read
    GAIT_TRY(const auto run, options_.Load(common));
    GAIT_TRY(const analyze::RunView view, options_.View(*run));
    GAIT_TRY(report::Document document, analyze::DocumentFor(view, question_));
    Complete(view, document);
    return Outcome{std::move(document)};
  }

 protected:
  // What only the command line can say.
  virtual void Complete(const analyze::RunView& /*view*/, report::Document& /*document*/) {}

  explicit ViewVerb(ViewOptions::Of of = ViewOptions::Of::kTime) : of_(of) {}

  analyze::Question question_;

 private:
  ViewOptions::Of of_;
  ViewOptions options_;
};

}  // namespace gait::cli
