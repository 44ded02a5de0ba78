#include <CLI/App.hpp>

#include <string>
#include <utility>
#include <variant>

#include "gait/cli/view_options.h"
#include "gait/verbs/question.h"

namespace gait::cli {
namespace {

// "--peak-tflops"
std::string OptionName(std::string_view name) {
  std::string option = "--" + std::string(name);
  std::ranges::replace(option, '_', '-');
  return option;
}

class QuestionVerb : public Verb {
 public:
  explicit QuestionVerb(const verbs::ViewVerb& verb) : verb_(verb) {}
  const VerbHelp& help() const override { return verb_.help; }

  void AddOptions(CLI::App& app) override {
    options_.Add(app, verb_.of);
    for (const verbs::QuestionOption& option : verb_.options) {
      std::visit(
          [&](auto field) {
            app.add_option(OptionName(option.name), question_.*field, std::string(option.about))
                ->group("What")
                ->type_name(std::string(option.type));
          },
          option.field);
    }
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    question_.verb = help().name;
    GAIT_CHECK_OK(verbs::Check(question_));  // told before a long read
    GAIT_TRY(const auto run, options_.Load(common));
    GAIT_TRY(const analyze::RunView view, options_.View(*run));
    GAIT_TRY(report::Document document, verbs::Answer(view, question_));
    return Outcome{std::move(document)};
  }

 private:
  const verbs::ViewVerb& verb_;
  verbs::Question question_;
  ViewOptions options_;
};

}  // namespace

std::unique_ptr<Verb> MakeQuestionVerb(const verbs::ViewVerb& verb) {
  return std::make_unique<QuestionVerb>(verb);
}

}  // namespace gait::cli
