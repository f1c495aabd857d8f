// A classifier in BERT's layout against transformers (reference/bert-classifier): logits.
#include <doctest/doctest.h>

#include "families/classifier/directory.hpp"
#include "reference_folder.hpp"

using namespace headwater;

TEST_CASE("BERT's layout: the logits of a classifier agree") {
  const ModelFolder folder = open_model(reference_path("bert-classifier"));
  const std::unique_ptr<TextClassifier> model =
      classifier_of_config(folder.config, folder.config_path().string());
  load_weights(folder, model->parameters());
  const Safetensors expected{reference_path("bert-classifier/expected.safetensors")};
  ClassBatch batch;
  batch.clear();
  batch.add(read_ids(expected.at("ids")));
  batch.finish();
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  const Variable logits = model->head().logits(context, model->features(context, batch));
  CHECK(model->classes() == 3);
  CHECK(distance(logits.value(), read_floats(expected.at("logits"))).absolute <= 1e-5);
}
