#include "reports/attention_table.hpp"

#include <doctest/doctest.h>
#include <bit>
#include <cstring>

#include "error_text.hpp"

using namespace headwater;

namespace {

AttentionRecord small_record(std::int64_t layer = 0, std::int64_t head = 0) {
  return {.example = 2,
          .kind = AttentionKind::cross,
          .layer = layer,
          .head = head,
          .query_tokens = {"[START]", "casa"},
          .key_tokens = {"red", "house", "."},
          .predicts = {"casa", "roja"},
          .weights = {0.25F, 0.75F, 0.0F, 0.1F, 0.2F, 0.7F}};
}

using enum AttentionRows::Format;

std::string text_of(AttentionRows::Format format, const AttentionRecord& record,
                    const AttentionTexts& texts = {}) {
  std::string out;
  append_attention(out, format, record, texts);
  return out;
}

// A reader of RFC 4180 with LF line ends: the rows of fields.
std::vector<std::vector<std::string>> read_csv(std::string_view text) {
  std::vector<std::vector<std::string>> rows(1);
  std::string field;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      if (c != '"') {
        field.push_back(c);
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field.push_back(text[++i]);
      } else {
        is_quoted = false;
      }
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == ',' || c == '\n') {
      rows.back().push_back(field);
      field.clear();
      if (c == '\n' && i + 1 < text.size()) rows.emplace_back();
    } else {
      field.push_back(c);
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("CSV in long form") {
  const std::string out = std::string(attention_csv_header()) + text_of(csv, small_record(1, 3));
  CHECK(out ==
        "example,kind,layer,head,q,k,q_token,k_token,predicts,q_text,k_text,predicts_text,weight\n"
        "2,cross,1,3,0,0,[START],red,casa,[START],red,casa,0.25\n"
        "2,cross,1,3,0,1,[START],house,casa,[START],house,casa,0.75\n"
        "2,cross,1,3,0,2,[START],.,casa,[START],.,casa,0\n"
        "2,cross,1,3,1,0,casa,red,roja,casa,red,roja,0.100000001\n"
        "2,cross,1,3,1,1,casa,house,roja,casa,house,roja,0.200000003\n"
        "2,cross,1,3,1,2,casa,.,roja,casa,.,roja,0.699999988\n");
}

TEST_CASE("of pairs of texts each token says which text it is of, padding none") {
  const AttentionRecord record{
      .query_tokens = {"a", "b", "[PAD]"}, .key_tokens = {"a", "b"}, .weights = {1, 0, 0, 1, 0, 1}};
  const AttentionTexts texts{.has_segments = true, .second_text = 1, .padding = 2};
  const std::string table = std::string(attention_csv_header(true)) + text_of(csv, record, texts);
  CHECK(table.substr(0, table.find("\n0,encoder,0,0,0,1")) ==
        "example,kind,layer,head,q,k,q_token,k_token,predicts,q_text,k_text,predicts_text,q_segment,k_"
        "segment,weight\n"
        "0,encoder,0,0,0,0,a,a,,a,a,,0,0,1");
  CHECK(table.ends_with("\n0,encoder,0,0,2,1,[PAD],b,,[PAD],b,,,1,1\n"));
  CHECK(text_of(json, record, texts).find("\"q_segments\":[0,1,null],\"k_segments\":[0,1],\"weights\"") !=
        std::string::npos);
}

TEST_CASE("a record of all layers and heads names none") {
  const AttentionRecord record{
      .layer = -1, .head = -1, .query_tokens = {"a"}, .key_tokens = {"a"}, .weights = {1}};
  CHECK(text_of(csv, record) == "0,encoder,,,0,0,a,a,,a,a,,1\n");
  CHECK(text_of(json, record) ==
        "{\"version\":1,\"example\":0,\"kind\":\"encoder\",\"q_tokens\":[\"a\"],\"k_tokens\":[\"a\"],"
        "\"weights\":[[1]]}\n");
}

TEST_CASE("CSV has decoded text beside the tokens, on one line, and the weight last") {
  const AttentionRecord record{.query_tokens = {"ĠgeÃ¶ffnet"},
                               .key_tokens = {"Ċ", "Ã"},
                               .predicts = {"Ġ,"},
                               .weights = {0.25F, 0.75F}};
  CHECK(text_of(csv, record, {.queries = {" geöffnet"}, .keys = {"\n\r", "<0xC3>"}, .predicts = {" ,"}}) ==
        "0,encoder,0,0,0,0,ĠgeÃ¶ffnet,Ċ,\"Ġ,\", geöffnet,\\n\\r,\" ,\",0.25\n"
        "0,encoder,0,0,0,1,ĠgeÃ¶ffnet,Ã,\"Ġ,\", geöffnet,<0xC3>,\" ,\",0.75\n");
}

TEST_CASE("CSV of images: rows and columns of patches, empty of a class token") {
  const PatchTokens tokens{.rows = 1, .columns = 2, .has_class_token = true};
  const std::vector<std::string> names = {"[CLS]", "0,0", "0,1"};
  const AttentionRecord record{.example = 3,
                               .layer = 1,
                               .head = 2,
                               .query_tokens = names,
                               .key_tokens = names,
                               .weights = {0.5F, 0.25F, 0.25F, 0, 0, 1, 0.125F, 0.375F, 0.5F}};
  std::string out(patch_attention_csv_header());
  append_patch_attention_csv(out, record, tokens);
  CHECK(out ==
        "example,kind,layer,head,q,k,q_row,q_column,k_row,k_column,weight\n"
        "3,encoder,1,2,0,0,,,,,0.5\n"
        "3,encoder,1,2,0,1,,,0,0,0.25\n"
        "3,encoder,1,2,0,2,,,0,1,0.25\n"
        "3,encoder,1,2,1,0,0,0,,,0\n"
        "3,encoder,1,2,1,1,0,0,0,0,0\n"
        "3,encoder,1,2,1,2,0,0,0,1,1\n"
        "3,encoder,1,2,2,0,0,1,,,0.125\n"
        "3,encoder,1,2,2,1,0,1,0,0,0.375\n"
        "3,encoder,1,2,2,2,0,1,0,1,0.5\n");
  CHECK(error_text([&] { append_patch_attention_csv(out, record, {.rows = 1, .columns = 2}); }) ==
        "attention: example 3, encoder, layer 1, head 2: 3 x 3 tokens, an image has 2");
}

TEST_CASE("hostile tokens survive the quoting") {
  const std::vector<std::string> tokens = {"a,b", "\"", "\"\"x", "line\nend", "\r", "", " ", "日本"};
  AttentionRecord record{.query_tokens = {"q\",\n"},
                         .key_tokens = tokens,
                         .predicts = {","},
                         .weights = std::vector<float>(8, 0.125F)};
  const auto rows = read_csv(text_of(csv, record));
  REQUIRE(rows.size() == tokens.size());
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    REQUIRE(rows[k].size() == 13);
    CHECK(rows[k][6] == "q\",\n");
    CHECK(rows[k][7] == tokens[k]);
    CHECK(rows[k][8] == ",");
  }
}

TEST_CASE("float32 weights read back equal from nine digits") {
  AttentionRecord record{.query_tokens = {"q"}, .key_tokens = {}, .predicts = {}, .weights = {}};
  for (std::uint32_t bits = 0x00000001; bits < 0x3F800000; bits += 0x00765431) {
    record.key_tokens.push_back("k");
    record.weights.push_back(std::bit_cast<float>(bits));
  }
  const auto rows = read_csv(text_of(csv, record));
  REQUIRE(rows.size() == record.weights.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    CHECK(std::strtof(rows[k].back().c_str(), nullptr) == record.weights[k]);
}

TEST_CASE("encoders predict nothing; an example without tokens has no lines") {
  AttentionRecord record{.query_tokens = {"a"}, .key_tokens = {"a"}, .predicts = {}, .weights = {1.0F}};
  CHECK(text_of(csv, record) == "0,encoder,0,0,0,0,a,a,,a,a,,1\n");
  CHECK(text_of(csv, AttentionRecord{}).empty());
}

TEST_CASE("blocks for gnuplot") {
  CHECK(text_of(matrix, small_record()) ==
        "# example 2, cross, layer 0, head 0\n"
        "# rows: \"[START]\" \"casa\"\n"
        "# predicts: \"casa\" \"roja\"\n"
        "# columns: \"red\" \"house\" \".\"\n"
        "0.25 0.75 0\n"
        "0.100000001 0.200000003 0.699999988\n\n\n");
}

static std::string npy_of(const std::vector<AttentionRecord>& records) {
  AttentionArray array;
  for (const AttentionRecord& record : records) array.add(record);
  std::string file;
  array.write([&](std::string_view bytes) { file += bytes; });
  return file;
}

TEST_CASE("rows that come one by one make the text of the whole record") {
  const AttentionRecord whole = small_record(1, 2);
  AttentionRecord head = whole;
  head.weights.clear();
  const AttentionTexts texts{.queries = {"", "house"}, .keys = {"red", "a\nb", "."}, .predicts = {"x", "y"}};
  for (const AttentionRows::Format format : {csv, json, matrix}) {
    const AttentionTexts said = format == matrix ? AttentionTexts() : texts;
    std::string found;
    const AttentionRows rows(format, head, said);
    rows.begin(found);
    for (std::size_t q = 0; q < whole.queries(); ++q)
      rows.rows(found, q, std::span(whole.weights).subspan(q * whole.keys(), whole.keys()));
    rows.end(found);
    CHECK(found == text_of(format, whole, said));
  }
}

TEST_CASE("NumPy file") {
  const std::vector<AttentionRecord> records = {small_record(0, 0), small_record(0, 1), small_record(1, 0),
                                                small_record(1, 1)};
  const std::string file = npy_of(records);
  CHECK(file.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t header = static_cast<unsigned char>(file[8]) + 256U * static_cast<unsigned char>(file[9]);
  CHECK((10 + header) % 64 == 0);
  CHECK(file[9 + header] == '\n');
  CHECK(file.substr(10, header)
            .starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 2, 3), }"));
  REQUIRE(file.size() == 10 + header + 4 * 6 * sizeof(float));
  float last = 0;
  std::memcpy(&last, file.data() + file.size() - sizeof(float), sizeof(float));
  CHECK(last == 0.7F);
  CHECK_THROWS_AS(npy_of({}), Error);
  const std::vector<AttentionRecord> ragged = {small_record(0, 0), small_record(0, 1), small_record(1, 0)};
  CHECK_THROWS_AS(npy_of(ragged), Error);
  std::vector<AttentionRecord> mixed = {small_record(0, 0), small_record(0, 1)};
  mixed[1].example = 3;
  CHECK_THROWS_WITH_AS(npy_of(mixed), doctest::Contains("one example and one kind"), Error);
}

TEST_CASE("records whose sizes do not fit are refused") {
  AttentionRecord record = small_record();
  record.weights.pop_back();
  std::string out;
  CHECK_THROWS_WITH_AS(append_attention(out, csv, record), doctest::Contains("5 weights for 2 x 3 tokens"),
                       Error);
  record = small_record();
  record.predicts.pop_back();
  CHECK_THROWS_AS(append_attention(out, csv, record), Error);
}
