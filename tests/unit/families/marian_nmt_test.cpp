// Marian's own model directories against a naive model in double (decoding/marian_nmt_test.cpp translates).
#include <doctest/doctest.h>

#include <algorithm>
#include <span>

#include "error_text.hpp"
#include "families/model_directory.hpp"
#include "families/quantized_model.hpp"
#include "families/translator/directory.hpp"
#include "layers/packed_weights.hpp"
#include "naive_marian.hpp"
#include "scratch_directory.hpp"

using namespace headwater;
using namespace naive_marian;

namespace {

struct Folder {
  ScratchDirectory scratch;
  Model model;

  explicit Folder(const std::string& text = settings(), const std::string& options = kOptions) {
    put("model.bin", marian_bytes::binary(model.items(true, text)));
    put("vocab.spm", vocabulary());
    if (!options.empty()) put("config.yml", options);
  }
  void put(const std::string& name, const std::string& bytes) const { write_file(scratch / name, bytes); }
  LoadedTranslator load() const { return load_translator(scratch.path()); }
  // Without the folder's name.
  std::string said() const {
    std::string text = error_text([&] { (void)load(); });
    const std::string folder = scratch.path().string();
    for (std::size_t at = text.find(folder); at != text.npos; at = text.find(folder))
      text.replace(at, folder.size(), "D");
    return text;
  }
};

}  // namespace

TEST_CASE("Marian NMT: the directory as it is becomes a translator with its numbers and a row of zeros") {
  const Folder folder;
  const LoadedTranslator loaded = folder.load();
  const EncoderDecoder& model = *loaded.model;
  CHECK(model.target_vocabulary() == 21);
  CHECK(model.settings().mixing.mixing == "ssru");
  CHECK(model.settings().share_embeddings == SharedEmbeddings::all);
  CHECK(model.settings().transformer.norm_epsilon == 1e-6);
  CHECK(model.length() == 1024);
  CHECK(loaded.ids.start == 20);
  CHECK(loaded.ids.end == 0);
  CHECK(model.settings().source_special_tokens == SourceSpecialTokens::end);
  CHECK(loaded.generation.decoding.num_beams == 1);
  CHECK(loaded.generation.decoding.max_length_ratio == 2);
  CHECK(loaded.shortlist == nullptr);
  CHECK(loaded.source_ids("a r").ids == std::vector<std::int32_t>{2, 19, 0});
  const auto check = [&](const char* ours, const char* theirs, Index rows, Index columns) {
    const Matrix found = model.parameters().find(ours)->value;
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < columns; ++c)
        CHECK(static_cast<double>(found.data[r * columns + c]) == folder.model.at(theirs)[r][c]);
    }
  };
  check("embedding.tokens", "Wemb", 20, 8);
  check("head.bias", "decoder_ff_logit_out_b", 1, 20);
  check("encoder.1.self_attention.query.weight", "encoder_l2_self_Wq", 8, 8);
  check("decoder.0.ssru.forget.weight", "decoder_l1_rnn_Wf", 8, 8);
  check("decoder.1.ssru.forget.bias", "decoder_l2_rnn_bf", 1, 8);
  check("decoder.1.feed_forward.inner.weight", "decoder_l2_ffn_W1", 8, 12);
  check("encoder.0.feed_forward.outer.weight", "encoder_l1_ffn_W2", 12, 8);
  const Matrix table = model.parameters().find("embedding.tokens")->value;
  for (Index c = 0; c < 8; ++c) CHECK(table.row(20)[c] == 0);
  CHECK(model.parameters().find("head.bias")->value.data[20] == -100);  // which no softmax sees
  CHECK(loaded.target_tokenizer.surface(20) == "[START]");
  CHECK(loaded.target_tokenizer.start_id() == 20);
  CHECK(loaded.target_tokenizer.end_id() == 0);
}

TEST_CASE("Marian NMT: products in int8 have the bytes of the file, those of the output layer too") {
  const Folder folder;
  const LoadedTranslator loaded = folder.load();
  const OutputLayer& output = loaded.model->output_layer();
  const PackedWeights packed(loaded.model->parameters(), output, ComputeType::int8);
  const auto check = [&](const kernels::PackedWeight& found, const char* theirs, bool is_turned) {
    std::vector<std::int8_t> bytes(found.inputs * found.outputs);
    kernels::unpack_int8(found, bytes.data());
    const naive_marian::Rows& wanted = folder.model.at(theirs);
    for (Index k = 0, i = 0; k < found.inputs; ++k) {
      for (Index o = 0; o < found.outputs; ++o, ++i) {
        const auto row = static_cast<std::size_t>(is_turned ? o : k),
                   column = static_cast<std::size_t>(is_turned ? k : o);
        const double value = row < wanted.size() ? wanted[row][column] : 0;
        REQUIRE(bytes[i] == std::lround(value * 127));
      }
    }
    for (Index o = 0; o < found.outputs; ++o) CHECK(found.int8.scales[o] == 1 / 127.0f);
  };
  const auto weight = [&](const char* ours) -> const kernels::PackedWeight& {
    return packed.of(*loaded.model->parameters().find(ours));
  };
  check(weight("encoder.1.self_attention.query.weight"), "encoder_l2_self_Wq", false);
  check(weight("decoder.0.ssru.forget.weight"), "decoder_l1_rnn_Wf", false);
  check(weight("decoder.1.feed_forward.inner.weight"), "decoder_l2_ffn_W1", false);
  check(packed.output().packed, "Wemb", true);
  const QuantizedWeight written =
      quantized(*loaded.model->parameters().find("decoder.1.feed_forward.inner.weight"));
  CHECK(written.scales == std::vector<float>(12, 1 / 127.0f));
  for (std::size_t i = 0; i < written.bytes.size(); ++i)
    CHECK(written.bytes[i] == std::lround(folder.model.at("decoder_l2_ffn_W1")[i / 12][i % 12] * 127));
}

TEST_CASE("Marian NMT: a directory that is written in int8 has the bytes of the file, and its numbers") {
  const Folder folder;
  const LoadedTranslator whole = folder.load();
  quantize_model(open_model(folder.scratch.path()), QuantizedWeights::products, folder.scratch / "small");
  for (const bool keeps_bytes : {false, true}) {
    ModelFolder small = open_model(folder.scratch / "small");
    CHECK(small.is_quantized);
    small.keeps_bytes = keeps_bytes;
    const LoadedTranslator loaded = load_translator(small);
    for (const auto& p : whole.model->parameters().all()) {
      INFO(p->name);
      const Parameter& found = *loaded.model->parameters().find(p->name);
      const std::size_t size = p->size();
      REQUIRE((found.int8.bytes != nullptr) == (p->int8.bytes != nullptr));
      if (p->int8.bytes != nullptr) {
        CHECK(std::ranges::equal(std::span(found.int8.bytes, size), std::span(p->int8.bytes, size)));
        CHECK(found.int8.scales[0] == p->int8.scales[0]);
      }
      const bool has_floats = !keeps_bytes || p->is_table || p->int8.bytes == nullptr;
      REQUIRE((found.value.data != nullptr) == has_floats);
      if (has_floats)
        CHECK(std::ranges::equal(std::span(found.value.data, size), std::span(p->value.data, size)));
    }
  }
}

TEST_CASE("Marian NMT: npz, and the names that browsers give files, are read too") {
  Folder folder(settings(), "");
  std::filesystem::remove(folder.scratch / "model.bin");
  folder.put("model.npz", marian_bytes::npz(folder.model.items(false)));
  folder.put("lex.50.50.s2t.bin", marian_bytes::shortlist(lists(), 3));
  const LoadedTranslator loaded = folder.load();
  CHECK(loaded.generation.decoding.max_length_ratio == 3);
  REQUIRE(loaded.shortlist != nullptr);
  CHECK(loaded.shortlist->tokens_for(std::vector<std::int32_t>{4, 0}) ==
        std::vector<std::int32_t>{0, 1, 2, 3, 4, 8, 9, 19});
  folder.put("other.npz", marian_bytes::npz(folder.model.items(false)));
  CHECK(folder.said() ==
        "D: has several weight files of Marian: model.npz and other.npz (keep one, or name it in a YAML file "
        "of "
        "marian-decoder's options)");
  std::filesystem::remove(folder.scratch / "other.npz");
  std::filesystem::remove(folder.scratch / "vocab.spm");
  CHECK(folder.said().starts_with("D: has model.npz of Marian and no vocab*.spm"));
}

TEST_CASE("Marian NMT: a setting that would change a translation is used or refused by name") {
  struct Case {
    const char *more, *said;
  };
  for (const auto& [more, said] :
       {Case{"transformer-depth-scaling: true\nbert-type-vocab-size: 2\n", "(no error)"},
        Case{"right-left: true\n",
             "D/model.bin: \"right-left\" is true, expected false (sentences from their end are not read)"},
        Case{"transformer-tied-layers:\n  - 1\n  - 1\n",
             "D/model.bin: \"transformer-tied-layers\" is [1,1], expected []"},
        Case{"transformer-decoder-dim-ffn: 5\n",
             "D/model.bin: \"transformer-decoder-dim-ffn\" is 5, expected 0 or that of transformer-dim-ffn"},
        Case{"transformer-postprocess-top: n\n",
             "D/model.bin: \"transformer-postprocess-top\" is \"n\", expected \"\" or \"d\""},
        Case{"layer-normalization: true\n",
             "D/model.bin: \"layer-normalization\" is true, expected false (a norm inside the cell is not "
             "read)"},
        Case{"lemma-dim-emb: 3\n", "D/model.bin: \"lemma-dim-emb\" is 3, expected 0"},
        Case{
            "transformer-novelty: true\n",
            "D/model.bin: special:model.yml: \"transformer-novelty\" is a setting that this program does not "
            "know"}}) {
    INFO(more);
    CHECK(Folder(settings(more)).said() == said);
  }
  const auto replaced = [](std::string from, const std::string& to) {
    std::string text = settings();
    return text.replace(text.find(from), from.size(), to);
  };
  CHECK(Folder(replaced("dec-cell: ssru", "dec-cell: gru")).said() ==
        "D/model.bin: \"dec-cell\" is \"gru\", expected \"ssru\"");
  CHECK(
      Folder(replaced("autoreg: rnn", "autoreg: average-attention")).said() ==
      "D/model.bin: \"transformer-decoder-autoreg\" is \"average-attention\", expected \"self-attention\" or "
      "\"rnn\"");
  CHECK(
      Folder(replaced("postprocess: dan", "postprocess: da")).said() ==
      "D/model.bin: \"transformer-postprocess\" is \"da\", expected \"dan\", a norm after each sub-layer and "
      "its sum");
  CHECK(Folder(replaced("activation: relu", "activation: gelu")).said() ==
        "D/model.bin: \"transformer-ffn-activation\" is \"gelu\", expected \"relu\" or \"swish\"");
  CHECK(
      Folder(replaced("embeddings-all: true", "embeddings-all: false")).said() ==
      "D/model.bin: \"tied-embeddings-all\" is false, expected true, or \"tied-embeddings\": true (an output "
      "layer with a matrix of its own is not read)");
  CHECK(Folder(replaced("transformer-heads: 2", "transformer-heads: 3")).said() ==
        "D/model.bin: \"transformer-heads\" is 3, expected a divisor of dim-emb 8");
  CHECK(Folder(replaced("enc-depth: 2", "enc-depth: 3"))
            .said()
            .find("tensor \"encoder_l3_self_Wq\" is missing") != std::string::npos);
  CHECK(Folder(replaced("enc-depth: 2", "enc-depth: 1")).said() ==
        "D/model.bin: tensor \"encoder_l2_ffn_W1\" is no part of the model that special:model.yml describes");
  CHECK(Folder(replaced("  - 20\n  - 20", "  - 20\n  - 19")).said().starts_with("D/model.bin: model: share"));
  CHECK(Folder("type: [").said().starts_with("D/model.bin: special:model.yml:"));
  CHECK(
      Folder("typ").said() ==
      "D/model.bin: special:model.yml: \"type\", \"dim-emb\", \"dim-vocabs\", \"enc-depth\", \"dec-depth\", "
      "\"transformer-heads\" and \"transformer-dim-ffn\" are missing (copy the file again)");
}

TEST_CASE("Marian NMT: an option of marian-decoder is used, or refused by name") {
  const auto with = [](const std::string& more) { return Folder(settings(), kOptions + more).said(); };
  CHECK(with("cpu-threads: 4\nquiet: true\n") == "(no error)");
  CHECK(with("right-left: true\n") ==
        "D/config.yml: \"right-left\" is true, expected false (the last word first is not read)");
  CHECK(with("n-best: true\n") == "D/config.yml: \"n-best\" is true, expected false (use --n-best)");
  CHECK(with("ssplit-mode: paragraph\n") ==
        "D/config.yml: \"ssplit-mode\" is \"paragraph\", expected \"\" (use --split-sentences)");
  CHECK(
      with("new-thing: 1\n") ==
      "D/config.yml: \"new-thing\" is an option that this program does not know (remove it, if translations "
      "do not depend on it)");
  CHECK(with("shortlits:\n  - lex.bin\n") ==
        "D/config.yml: \"shortlits\" is an option that this program does not know; did you mean "
        "\"shortlist\"?");
  CHECK(with("shortlist:\n  - missing.bin\n  - false\n") ==
        "D/config.yml: \"shortlist\" names missing.bin, which is missing (copy it too)");
  const auto replaced = [](const std::string& from, const std::string& to) {
    std::string text = kOptions;
    return Folder(settings(), text.replace(text.find(from), from.size(), to));
  };
  CHECK(replaced("  - model.bin", "  - model.bin\n  - model.bin").said() ==
        "D/config.yml: \"models\" is [\"model.bin\",\"model.bin\"], expected one file (several models that "
        "translate together are not read)");
  CHECK(replaced("  - vocab.spm", "  - ../vocab.spm").said() ==
        "D/config.yml: \"vocabs\" is [\"../vocab.spm\",\"vocab.spm\"], expected files of this folder");
  const Folder other = replaced("  - vocab.spm", "  - vocab.yml");
  other.put("vocab.yml", "a: 0\n");
  CHECK(other.said() == "D/vocab.yml: vocabularies are read as SentencePiece models alone (*.spm)");
  CHECK(replaced("word-penalty: 0", "word-penalty: 0.5").said() ==
        "D/config.yml: \"word-penalty\" is 0.5, expected 0 (translations are not scored by their number of "
        "words)");
  const LoadedTranslator beams = replaced("beam-size: 1", "beam-size: 4").load();
  CHECK(beams.generation.decoding.num_beams == 4);
  CHECK(beams.generation.decoding.length_penalty == 1);
  CHECK(beams.generation.decoding.early_stopping == BeamStopping::first);
  CHECK(replaced("beam-size: 1", "beam-size: 0").said() ==
        "D/config.yml: \"beam-size\" is 0, expected 1 to 256");
}
