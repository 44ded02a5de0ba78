#include "gait/analyze/vocabulary/people_words.h"

#include <algorithm>
#include <string>

#include "gait/analyze/vocabulary/python_frames.h"

namespace gait::analyze {
namespace {

// What people call their input pipelines.
constexpr std::array<std::string_view, 24> kInputWords = {
    "data",   "dataset",  "datasets",   "dataloader",   "dataloading", "loader",       "input",    "inputs",
    "infeed", "fetch",    "fetching",   "prefetch",     "prefetcher",  "prefetching",  "iterator", "tokenize",
    "grain",  "batching", "preprocess", "tokenization", "augment",     "augmentation", "shuffle",  "collate"};
// Input only where no other word speaks against it: "load_batch" is, "load_checkpoint" and "train_batch" are
// not.
constexpr std::array<std::string_view, 7> kWeakInputWords = {"load",    "loading", "next",   "batch",
                                                             "batches", "read",    "reading"};
constexpr std::array<std::string_view, 20> kFillers = {
    "get", "the",    "a",   "of",      "to",       "from",    "make", "host",    "wait", "for",
    "new", "sample", "cpu", "example", "examples", "samples", "on",   "parquet", "csv",  "tfrecords"};
// A step, a model or an operation that has an input word in its name is no input pipeline.
constexpr std::array<std::string_view, 48> kNoInput = {
    "train", "training", "eval", "evaluate", "step", "forward", "backward", "update", "parallel", "model",
    "loss", "grad", "gradients", "checkpoint", "weights", "params", "fusion", "reduce", "handle", "execute",
    "event", "reuse", "projection", "embed", "compute", "sharding", "config", "learning",
    // What comes back from the device, and what is written.
    "metric", "metrics", "losses", "result", "results", "output", "outputs", "log", "logs", "logging",
    "write", "writing", "save", "saving", "store", "dump", "summary", "report", "export", "artifacts"};
// What is loaded may be said with it: "eval_data_loading". Without a word of loading it is what is done.
constexpr std::array<std::string_view, 4> kPhaseWords = {"train", "training", "eval", "validation"};
constexpr std::array<std::string_view, 12> kLoadingWords = {
    "load",     "loading",  "loader",      "dataloader", "dataloading", "fetch",
    "fetching", "prefetch", "prefetching", "prefetcher", "infeed",      "iterator"};
// Words of annotations.
constexpr std::array<std::string_view, 4> kStagingWords = {"transfer", "h2d", "upload", "staging"};
constexpr std::array<std::string_view, 6> kSyncWords = {"await", "wait",        "waiting",
                                                        "sync",  "synchronize", "synchronization"};

constexpr std::array<std::string_view, 6> kCheckpointWords = {"checkpoint",   "checkpoints", "checkpointing",
                                                              "checkpointer", "ckpt",        "orbax"};
// "save" alone, or of one of these; saving metrics or pictures is no checkpoint.
constexpr std::array<std::string_view, 2> kSavingWords = {"save", "saving"};
constexpr std::array<std::string_view, 7> kSavedWords = {"state",   "model",   "params",   "parameters",
                                                         "weights", "restore", "variables"};
// Of a file of checkpoints these functions count: CheckpointManager.save.
constexpr std::array<std::string_view, 4> kFileWords = {"save", "saving", "restore", "restoring"};
// train_and_evaluate is the loop itself.
constexpr std::array<std::string_view, 3> kTrainingWords = {"train", "training", "fit"};
// JAX's own: rematerialisation is called checkpoint, and tracing partial evaluation.
constexpr std::array<std::string_view, 2> kOtherFiles = {"ad_checkpoint.py", "partial_eval.py"};

// "is_valid" is a question.
bool IsEvaluation(const Words& words) {
  return !HasAll(words, {"is"}) && std::ranges::any_of(words, [](const std::string& word) {
    return word.starts_with("eval") || word.starts_with("valid") || word == "val" || word == "test";
  });
}

bool NamesInput(Words words) {
  if (HasOneOf(words, kLoadingWords)) {
    std::erase_if(words, [](const std::string& word) {
      return std::ranges::find(kPhaseWords, word) != kPhaseWords.end();
    });
  }
  if (words.empty() || HasOneOf(words, kNoInput)) return false;
  if (HasOneOf(words, kInputWords)) return true;
  return HasOneOf(words, kWeakInputWords) && std::ranges::all_of(words, [](const std::string& word) {
           return std::ranges::find(kWeakInputWords, word) != kWeakInputWords.end() ||
                  std::ranges::find(kFillers, word) != kFillers.end();
         });
}

std::optional<Interruption> OfWords(const Words& words, const Words& file) {
  if (HasOneOf(words, kTrainingWords)) return std::nullopt;
  const bool saves =
      HasOneOf(words, kSavingWords) && (HasOneOf(words, kSavedWords) || (words.size() == 1 && file.empty()));
  if (saves || HasOneOf(words, kCheckpointWords) ||
      (HasOneOf(words, kFileWords) && HasOneOf(file, kCheckpointWords))) {
    return Interruption::kCheckpoint;
  }
  if (IsEvaluation(words) && !NamesInput(words)) return Interruption::kEvaluation;  // load_test_data is input
  return std::nullopt;
}

}  // namespace

HostWork WorkOfAnnotation(const Words& words) {
  const bool computes = HasOneOf(words, kNoInput);
  if (HasAll(words, {"device", "put"}) || HasAll(words, {"to", "device"}) || HasAll(words, {"to", "gpu"}) ||
      HasAll(words, {"to", "tpu"}) || HasAll(words, {"shard", "batch"}) ||
      (!computes && HasOneOf(words, kStagingWords))) {
    return HostWork::kStaging;
  }
  if (NamesInput(words)) return HostWork::kInput;
  if (HasOneOf(words, kSyncWords)) return HostWork::kSync;
  return HostWork::kNone;
}

std::optional<Interruption> InterruptionOfName(std::string_view name) {
  if (!name.starts_with('$')) return OfWords(WordsOf(name), {});
  if (!IsUserFrame(name)) return std::nullopt;
  const PythonName python = SplitPython(name);
  if (std::ranges::find(kOtherFiles, python.file) != kOtherFiles.end()) return std::nullopt;
  return OfWords(WordsOf(python.function), WordsOf(python.file));
}

bool NamesEvaluation(std::string_view name) { return IsEvaluation(WordsOf(name)); }

}  // namespace gait::analyze
