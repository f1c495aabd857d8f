#include "tools/images/notes.hpp"

#include "cli/tool.hpp"
#include "support/numbers.hpp"

namespace headwater::images {
namespace {

// "3 of 5 images are transparent"
std::string share(std::int64_t part, std::int64_t all, const char* one, const char* several) {
  return format_count(part) + " of " + counted(all, "image") + " " + (part == 1 ? one : several);
}

struct Words {
  std::string begin, laid, dropped, turned, not_turned;
};

void note_with(const ImageFileReader& files, const Words& words) {
  const ImageFileCounts counts = files.counts();
  if (counts.transparent > 0) {
    const Background& background = files.reading().background;
    cli::note(words.begin + share(counts.transparent, counts.images, "is transparent", "are transparent") +
              ": " +
              (background.drops_transparency ? words.dropped : "laid on " + background.name() + words.laid));
  }
  if (counts.oriented > 0) {
    cli::note(words.begin + share(counts.oriented, counts.images, "has a tag", "have a tag") +
              " of orientation: " + (files.reading().applies_orientation ? words.turned : words.not_turned));
  }
}

}  // namespace

std::string filter_text(const std::optional<PublishedResize>& published) {
  if (!published) return "with the bilinear filter, not antialiased";
  const auto number = static_cast<std::int64_t>(published->filter);
  const bool is_nearest = published->filter == ResizeFilter::nearest;
  return (published->is_resized
              ? "with the " + std::string(*name_of_filter(number)) + " filter of Pillow" +
                    (is_nearest ? "" : ", antialiased") + (published->is_cut ? ", and cut" : "")
              : std::string("cut")) +
         ", as preprocessor_config.json says";
}

void note_files(const ImageFileReader& files, const std::string& filter) {
  const std::string as = ", as " + std::string(kLearnedFrom);
  note_with(files, {.begin = "",
                    .laid = as,
                    .dropped = "dropped" + as,
                    .turned = "turned as it says" + as,
                    .not_turned = "not turned" + as});
  const ImageFileCounts counts = files.counts();
  if (counts.resized > 0)
    cli::note(share(counts.resized, counts.images, "was resized", "were resized") + " " + filter);
}

void note_chosen_files(const ImageFileReader& files, const std::string& place) {
  note_with(files,
            {.begin = place + ": ",
             .laid = " (--background chooses another colour, or drop)",
             .dropped = "dropped, so that the colours beneath show (--background white lays them on white)",
             .turned = "turned as it says",
             .not_turned = "not turned (--apply-orientation turns them)"});
}

}  // namespace headwater::images
