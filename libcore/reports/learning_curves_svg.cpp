#include "reports/learning_curves.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "reports/svg.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {
namespace {

constexpr double kPlotWidth = 440, kPlotHeight = 300, kAxisWidth = 46, kPlotGap = 36;
constexpr double kLegendLine = 20;
constexpr std::size_t kNameColumns = 80;
constexpr double kNameCharacter = 7, kPanelsInARow = 3;
constexpr std::string_view kGrid = "#e4e8ec", kFrame = "#b4bdc7";
using Point = LearningCurve::Point;

class CurvesPicture {
 public:
  CurvesPicture(std::span<const LearningCurve> curves, std::string_view title)
      : curves_(curves), title_(title) {}

  std::string document() {
    prepare();
    std::size_t longest = 0;
    for (const LearningCurve& curve : curves_)
      longest = std::max(longest, shortened(curve.name, kNameColumns).size());
    loss_column_ = kSvgMargin + std::max(320.0, 50 + kNameCharacter * static_cast<double>(longest));
    const double panels = std::min(1 + static_cast<double>(figures_.size()), kPanelsInARow);
    const double width =
        std::max({2 * kSvgMargin + panels * (kAxisWidth + kPlotWidth) + (panels - 1) * kPlotGap, 660.0,
                  figure_column(figures_.size()) + kSvgMargin});
    body_ += svg_text(kSvgMargin, kSvgMargin + 14, 18, kSvgInk, "start", title_, " font-weight=\"bold\"");
    double top = kSvgMargin + 56, left = kSvgMargin + kAxisWidth;
    panel(left, top, loss_heading(), loss_curve(), true);
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      const bool begins_row = (i + 1) % static_cast<std::size_t>(kPanelsInARow) == 0;
      left = begins_row ? kSvgMargin + kAxisWidth : left + kPlotWidth + kPlotGap + kAxisWidth;
      if (begins_row) top += kPlotHeight + 84;
      panel(left, top, heading_of(figures_[i]), figures_[i], false);
    }
    const double bottom = legend(top + kPlotHeight + 62);
    return svg_document(width, bottom + kSvgMargin, title_, body_);
  }

  // A picture of each panel, with the runs and their best below it.
  std::vector<CurvePanel> panels() {
    prepare();
    std::vector<CurvePanel> all;
    const auto add = [&](const std::string& heading, const CurveFigure& figure, bool has_training) {
      body_.clear();
      panel(kSvgMargin + kAxisWidth, kSvgMargin + 16, heading, figure, has_training);
      const double width = 2 * kSvgMargin + kAxisWidth + kPlotWidth;
      double y = kSvgMargin + 16 + kPlotHeight + 56;
      for (std::size_t run = 0; run < curves_.size(); ++run, y += kLegendLine) {
        swatch(run, y);
        const std::string reached = best(curves_[run], figure);
        const double room = width - 2 * kSvgMargin - 44 - svg_text_width(reached, 12);
        body_ += svg_text(kSvgMargin + 34, y, 12, kSvgInk, "start", svg_fitted(curves_[run].name, 12, room));
        body_ += svg_text(width - kSvgMargin, y, 12, kSvgInk, "end", reached);
      }
      all.push_back({heading, svg_document(width, y - kLegendLine + kSvgMargin, heading, body_)});
    };
    add(loss_heading(), loss_curve(), true);
    for (const CurveFigure& figure : figures_) add(heading_of(figure), figure, false);
    return all;
  }

 private:
  // Points alone are told apart by their dots.
  std::string loss_heading() const {
    const bool are_points = std::ranges::all_of(curves_, [](const LearningCurve& curve) {
      return curve.points.size() < 2 && curve.steps.size() < 2;
    });
    return are_points ? "Loss: training open dots, validation full ones"
                      : "Loss: training dashed, validation solid";
  }

  void prepare() {
    for (const LearningCurve& curve : curves_) {
      for (const Point& point : curve.points) last_epoch_ = std::max(last_epoch_, point.epoch);
    }
    figures_ = curve_figures(curves_);
  }

  std::string heading_of(const CurveFigure& figure) const {
    const bool is_best = std::any_of(curves_.begin(), curves_.end(), [&](const LearningCurve& curve) {
      return curve.best_metric == figure.name;
    });
    return (figure.is_of_training ? "Training " : "Validation ") + figure.heading +
           (is_best ? " (best_metric)" : "");
  }

  void line(double x1, double y1, double x2, double y2, std::string_view color, std::string_view more = "") {
    body_ += "<line" + svg_attribute("x1", x1) + svg_attribute("y1", y1) + svg_attribute("x2", x2) +
             svg_attribute("y2", y2);
    body_.append(" stroke=\"").append(color).append("\"").append(more).append("/>\n");
  }

  struct Axes {
    double left, top;                  // of the plot
    double min_x, max_x, least, most;  // what its sides stand for
    double x(double epoch) const { return left + kPlotWidth * (epoch - min_x) / (max_x - min_x); }
    double y(double value) const { return top + kPlotHeight * (most - value) / (most - least); }
  };

  // Where a line goes: epochs and values.
  using Course = std::vector<std::pair<double, double>>;
  static Course course(const LearningCurve& curve, const CurveFigure& figure) {
    Course course;
    for (const Point& point : curve.points) {
      const double value = point.figure(figure.name);
      if (std::isfinite(value)) course.emplace_back(static_cast<double>(point.epoch), value);
    }
    return course;
  }
  // Draws the training within epochs, where the log says more than their means.
  static Course training(const LearningCurve& curve) {
    Course course;
    if (curve.steps.empty()) {
      for (const Point& point : curve.points) {
        if (std::isfinite(point.training_loss))
          course.emplace_back(static_cast<double>(point.epoch), point.training_loss);
      }
    }
    for (const LearningCurve::Step& step : curve.steps) course.emplace_back(step.epoch, step.training_loss);
    return course;
  }

  // What a panel draws of a run.
  using Courses = std::array<Course, 2>;
  static Courses courses(const LearningCurve& curve, const CurveFigure& figure, bool has_training) {
    return {course(curve, figure), has_training ? training(curve) : Course{}};
  }

  // The lowest and the highest value of a run, and the highest of those that are neither far beyond where it
  // began nor above a limit.
  struct Span {
    double lowest = std::numeric_limits<double>::infinity(), highest = 0, kept = 0;
  };
  static Span span_of(const Courses& courses, double limit) {
    constexpr double kBeyond = 1.5;
    Span span;
    double first = 0;
    for (const Course& c : courses) first = std::max(first, c.empty() ? 0 : c.front().second);
    for (const Course& c : courses) {
      for (const auto& [epoch, value] : c) {
        span.lowest = std::min(span.lowest, value);
        span.highest = std::max(span.highest, value);
        if (value <= std::min(kBeyond * first, limit)) span.kept = std::max(span.kept, value);
      }
    }
    return span;
  }

  // Where a picture of values that the lower the better ends, so that a run that diverges does not flatten
  // the others: infinity where none does, or no other has its room below that. Such a run goes far beyond
  // where it began, or is far above the tamest run from its first epoch. A loss below 1 (nat), or a
  // perplexity, is not that of a run that diverges.
  double highest_drawn(const CurveFigure& figure, bool has_training) const {
    constexpr double kNeverNear = 5, kFarAbove = 100, kFlattens = 2;
    const double infinity = std::numeric_limits<double>::infinity();
    double tamest = infinity, most = 0, kept = 0;
    for (const LearningCurve& curve : curves_) {
      const Span span = span_of(courses(curve, figure, has_training), infinity);
      if (span.kept > 0) tamest = std::min(tamest, std::max(1.0, span.kept));
    }
    bool has_others = false;
    for (const LearningCurve& curve : curves_) {
      const Span span = span_of(courses(curve, figure, has_training), kFarAbove * tamest);
      most = std::max(most, span.highest);
      if (span.lowest > kNeverNear * tamest) continue;
      kept = std::max(kept, span.kept);
      has_others = has_others || (span.highest > 0 && span.highest == span.kept);
    }
    const bool is_cut =
        has_others && figure.best == Metric::Best::lowest && kept > 0 && most > kFlattens * kept;
    return is_cut ? kept : infinity;
  }

  // The figure is drawn solid with dots, the loss of training dashed.
  void panel(double left, double top, std::string_view heading, const CurveFigure& figure,
             bool has_training) {
    double least = std::numeric_limits<double>::infinity(), most = -least, first = 1;
    for (const LearningCurve& curve : curves_) {
      if (!curve.steps.empty()) first = 0.5;
      for (const Course& c : courses(curve, figure, has_training)) {
        for (const auto& [epoch, value] : c) {
          least = std::min(least, value);
          most = std::max(most, value);
        }
      }
    }
    if (least > most) least = 0, most = 1;
    const double highest = highest_drawn(figure, has_training);
    most = std::min(most, highest);
    const std::vector<double> ticks = axis_ticks(least, most, 8);
    // Half an epoch of room at both sides, so that no dot lies on the frame.
    const Axes axes{left, top, first - 0.5, last_epoch() + 0.5, ticks.front(), ticks.back()};
    body_ += svg_text(left, top - 12, 13, kSvgInk, "start",
                      std::string(heading) + (std::isinf(highest) ? "" : "; \u25b2 goes beyond"),
                      " font-weight=\"bold\"");
    for (const double tick : ticks) {
      line(left, axes.y(tick), left + kPlotWidth, axes.y(tick), kGrid);
      body_ +=
          svg_text(left - 7, axes.y(tick) + 4, 11, kSvgFaint, "end", tick_text(tick, ticks[1] - ticks[0]));
    }
    std::int64_t step = 1;  // 1, 2, 5, 10, ... so that at most 15 epochs are named
    for (int i = 0; last_epoch_ / step > 15; ++i) step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    for (std::int64_t epoch = step == 1 ? 1 : 0; epoch <= last_epoch_; epoch += step) {
      if (epoch == 0) continue;
      const double x = axes.x(static_cast<double>(epoch));
      line(x, top + kPlotHeight, x, top + kPlotHeight + 4, kFrame);
      body_ += svg_text(x, top + kPlotHeight + 18, 11, kSvgFaint, "middle", std::to_string(epoch));
    }
    body_ += svg_text(left + kPlotWidth / 2, top + kPlotHeight + 36, 11, kSvgInk, "middle", "epoch");
    body_ += "<rect" + svg_attribute("x", left) + svg_attribute("y", top) +
             svg_attribute("width", kPlotWidth) + svg_attribute("height", kPlotHeight) +
             " fill=\"none\" stroke=\"" + std::string(kFrame) + "\"/>\n";
    int cut = 0;
    for (std::size_t run = 0; run < curves_.size(); ++run) {
      const auto [solid, dashed] = courses(curves_[run], figure, has_training);
      draw(axes, run, dashed, false);
      draw(axes, run, solid, true);
      if (note_beyond(axes, run, {solid, dashed}, cut)) ++cut;
    }
  }

  // Says beside where a run first leaves the picture how far it goes, a line below those of the runs before
  // it. Returns whether it leaves it.
  bool note_beyond(const Axes& axes, std::size_t run, const Courses& courses, int lines_before) {
    double epoch = std::numeric_limits<double>::infinity(), highest = axes.most;
    for (const Course& c : courses) {
      for (const auto& [at, value] : c) {
        if (value > axes.most) epoch = std::min(epoch, at);
        highest = std::max(highest, value);
      }
    }
    if (highest == axes.most) return false;
    constexpr double kLine = 14, kAside = 9;
    const double x = axes.x(epoch), y = axes.top + 20 + kLine * lines_before;
    const bool is_left = x < axes.left + kPlotWidth / 2;
    body_ += svg_text(is_left ? x + kAside : x - kAside, y, 11, series_color(run), is_left ? "start" : "end",
                      "leaves the picture: up to " + rounded(highest));
    return true;
  }

  // Few digits of large numbers: "42.7", "6.73e+06".
  static std::string rounded(double value) {
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 3);
    return {text.data(), end.ptr};
  }

  double last_epoch() const { return static_cast<double>(last_epoch_); }

  void draw(const Axes& axes, std::size_t run, const Course& course, bool is_solid) {
    std::string path, dots, before;  // before: the point before, where that lies beyond
    bool is_beyond = false;
    // A source tells of some epochs alone: a line between them would be made up.
    const bool has_gaps = curves_[run].is_of_source;
    double last = 0;
    for (const auto& [epoch, value] : course) {
      if (has_gaps && epoch == 0) {
        level(axes, run, value);
        continue;
      }
      const std::string x = svg_number(axes.x(epoch)), y = svg_number(axes.y(std::min(value, axes.most)));
      const bool was_beyond = std::exchange(is_beyond, value > axes.most);
      const bool begins = has_gaps && epoch > last + 1;
      const std::string begin = path.empty() ? "M" : begins ? " M" : was_beyond ? " M" + before + " L" : " L";
      before = x + "," + y;
      last = epoch;
      if (!(is_beyond && was_beyond)) path += begin + before;
      const bool is_open = !is_solid && course.size() == 1;
      const bool has_dots = is_solid || has_gaps || is_open;
      if (is_beyond && !was_beyond && !has_dots) dots += mark(axes.x(epoch), axes.top) + "/>\n";
      if (!has_dots) continue;
      if (is_beyond) {
        dots += mark(axes.x(epoch), axes.top) + "><title>";
      } else {
        dots.append("<circle cx=\"").append(x).append("\" cy=\"").append(y);
        dots.append(is_open ? "\" r=\"4\" fill=\"none\" stroke=\"" + std::string(series_color(run)) + "\""
                            : std::string("\" r=\"2.6\""));
        dots += "><title>";
      }
      dots += xml_text(curves_[run].name);
      dots.append(", epoch ").append(std::to_string(std::llround(epoch))).append(": ");
      dots.append(format_fixed(value, 4)).append(is_beyond ? "</title></polygon>\n" : "</title></circle>\n");
    }
    if (path.empty()) return;
    const std::string color(series_color(run));
    body_ += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + color +
             "\" stroke-linejoin=\"round\" stroke-width=\"" +
             (is_solid ? "2\"" : "1.4\" stroke-dasharray=\"5 4\" stroke-opacity=\"0.8\"") + "/>\n";
    if (!dots.empty()) body_ += "<g fill=\"" + color + "\">\n" + dots + "</g>\n";
  }

  // The sign of a value above the picture, up to where it ends.
  static std::string mark(double x, double top) {
    const auto corner = [&](double dx, double dy) { return svg_number(x + dx) + "," + svg_number(top + dy); };
    return "<polygon points=\"" + corner(-5, 9) + " " + corner(5, 9) + " " + corner(0, 0) + "\"";
  }

  void swatch(std::size_t run, double y) {
    line(kSvgMargin, y - 4, kSvgMargin + 26, y - 4, series_color(run), " stroke-width=\"2\"");
    body_ += "<circle" + svg_attribute("cx", kSvgMargin + 13) + svg_attribute("cy", y - 4) +
             " r=\"2.6\" fill=\"" + std::string(series_color(run)) + "\"/>\n";
  }

  // A figure of an epoch that is not known.
  void level(const Axes& axes, std::size_t run, double value) {
    const double y = axes.y(std::min(value, axes.most));
    body_ += "<g><title>" + xml_text(curves_[run].name) + ": " + format_fixed(value, 4) + "</title>\n";
    line(axes.left, y, axes.left + kPlotWidth, y, series_color(run),
         " stroke-width=\"1.4\" stroke-dasharray=\"2 4\"");
    body_ += "</g>\n";
  }

  // Returns where it ends.
  double legend(double y) {
    body_ += svg_text(kSvgMargin + 34, y, 11, kSvgFaint, "start", "run");
    body_ += svg_text(loss_column_, y, 11, kSvgFaint, "start", "lowest validation loss");
    for (std::size_t i = 0; i < figures_.size(); ++i)
      body_ += svg_text(figure_column(i), y, 11, kSvgFaint, "start",
                        std::string(figures_[i].best == Metric::Best::highest ? "highest " : "lowest ") +
                            (figures_[i].is_of_training ? "training " : "validation ") + figures_[i].heading);
    for (std::size_t run = 0; run < curves_.size(); ++run) {
      y += kLegendLine;
      const LearningCurve& curve = curves_[run];
      swatch(run, y);
      body_ += svg_text(kSvgMargin + 34, y, 12, kSvgInk, "start", shortened(curve.name, kNameColumns));
      body_ += svg_text(loss_column_, y, 12, kSvgInk, "start", best(curve, loss_curve()));
      for (std::size_t i = 0; i < figures_.size(); ++i)
        body_ += svg_text(figure_column(i), y, 12, kSvgInk, "start", best(curve, figures_[i]));
    }
    return y;
  }

  double figure_column(std::size_t figure) const {
    constexpr double kFigureColumn = 210;
    return loss_column_ + static_cast<double>(figure + 1) * kFigureColumn;
  }

  // With its epoch.
  static std::string best(const LearningCurve& curve, const CurveFigure& figure) {
    const Point* const found = best_point(curve, figure);
    if (found == nullptr) return "";
    return format_fixed(found->figure(figure.name), figure.digits) +
           (found->epoch > 0 ? " (epoch " + std::to_string(found->epoch) + ")" : "");
  }

  std::span<const LearningCurve> curves_;
  std::string_view title_;
  std::int64_t last_epoch_ = 1;
  std::vector<CurveFigure> figures_;  // that a run has
  double loss_column_ = 0;            // of the legend
  std::string body_;
};

}  // namespace

std::string learning_curves_svg(std::span<const LearningCurve> curves, std::string_view title) {
  if (curves.empty()) throw Error("learning curves: no runs");
  return CurvesPicture(curves, title).document();
}

std::vector<CurvePanel> learning_curve_panels(std::span<const LearningCurve> curves) {
  if (curves.empty()) throw Error("learning curves: no runs");
  return CurvesPicture(curves, "").panels();
}

}  // namespace headwater
