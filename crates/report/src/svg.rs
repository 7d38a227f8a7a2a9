//! Charts as SVG: scales, ticks, paths and bands.
//!
//! Colours come from the page's style sheet through classes, so that a chart follows the reader's
//! light or dark scheme. Coordinates have two decimals; the same numbers give the same bytes.

use maud::{Markup, Render, html};

use super::text::Text;

/// Width of every chart in its own units.
pub const WIDTH: f64 = 440.0;
/// Height of every chart.
pub const HEIGHT: f64 = 250.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 40.0;
/// Right end of the axes.
const END: f64 = WIDTH - RIGHT;
/// Points that a path keeps at most.
pub const MOST_POINTS: usize = 600;

/// A linear map from values to coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    values: (f64, f64),
    place: (f64, f64),
}

impl Scale {
    /// Maps `values` onto `place`; an empty range of values is widened.
    pub fn new(values: (f64, f64), place: (f64, f64)) -> Scale {
        let values = if values.1 > values.0 { values } else { (values.0 - 0.5, values.0 + 0.5) };
        Scale { values, place }
    }

    /// The coordinate of a value; values outside stop at the edge.
    pub fn at(&self, value: f64) -> f64 {
        let share = ((value - self.values.0) / (self.values.1 - self.values.0)).clamp(0.0, 1.0);
        self.place.0 + share * (self.place.1 - self.place.0)
    }
}

/// About `count` round values between `low` and `high`: steps of 1, 2 or 5 times a power of ten.
pub fn ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    if high.partial_cmp(&low) != Some(std::cmp::Ordering::Greater) || count == 0 {
        return vec![low];
    }
    let rough = (high - low) / count as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|s| s * power).find(|s| *s >= rough * 0.999);
    let step = step.unwrap_or(10.0 * power);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

/// A tick's text: as few decimals as distinguish the ticks.
pub fn tick_text(value: f64, step: f64) -> String {
    let decimals = if step >= 0.999 { 0 } else { (-step.log10()).ceil().clamp(0.0, 6.0) as usize };
    match value {
        v if v.abs() >= 1e6 => format!("{:.1} M", v / 1e6),
        v if v.abs() >= 1e4 => format!("{:.0} k", v / 1e3),
        v => format!("{v:.decimals$}"),
    }
}

/// At most about `most` points that look the same: of each stretch its first, lowest, highest and last.
pub fn decimate(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    if points.len() <= most {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil((most / 4).max(1));
    let mut kept = Vec::with_capacity(most);
    for part in points.chunks(stretch) {
        let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let mut corners: Vec<(f64, f64)> =
            [part.first(), part.iter().min_by(by_height), part.iter().max_by(by_height), part.last()]
                .into_iter()
                .flatten()
                .copied()
                .collect();
        corners.sort_by(|a, b| a.0.total_cmp(&b.0));
        corners.dedup();
        kept.extend(corners);
    }
    kept
}

/// A coordinate with at most two decimals.
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// The style sheet of a chart outside a page, for up to six lines.
const STYLE: &str = "svg{background:#fff}text{font:11px sans-serif;fill:#444}.end{text-anchor:end}\
.middle{text-anchor:middle}.grid{stroke:#ddd;fill:none}.line{fill:none;stroke-width:2}.dot{fill:#fff}\
.s0{stroke:#1f77b4}.s1{stroke:#d62728}.s2{stroke:#2ca02c}.s3{stroke:#9467bd}.s4{stroke:#ff7f0e}.s5{stroke:#333}";

/// A drawing as wide as every chart, from the height `top` on downwards.
pub fn drawing(class: &str, (top, height): (f64, f64), title: &str, shapes: &[Markup]) -> Markup {
    let view = format!("0 {} {WIDTH} {}", number(top), number(height));
    html! {
        svg class=(class) viewBox=(view) role="img" xmlns="http://www.w3.org/2000/svg" {
            title { (Text(title)) }
            @for shape in shapes { (shape) }
        }
    }
}

/// A text at this point.
pub fn text(class: &str, (x, y): (f64, f64), text: &str) -> Markup {
    html! { text class=(class) x=(number(x)) y=(number(y)) { (Text(text)) } }
}

/// A bar with its upper left corner at this point, and a text for the pointer.
pub fn bar(class: &str, (x, y): (f64, f64), (width, height): (f64, f64), hint: &str) -> Markup {
    let [x, y, width, height] = [x, y, width, height].map(number);
    html! {
        rect class={ "bar " (class) } x=(x) y=(y) width=(width) height=(height) { title { (Text(hint)) } }
    }
}

/// A chart that is being drawn.
pub struct Chart {
    title: String,
    labels: (String, String),
    x: Scale,
    y: Scale,
    /// Height of what stands above the chart.
    above: f64,
    shapes: Vec<Markup>,
}

impl Chart {
    /// A frame with axes for these ranges.
    pub fn new(title: &str, labels: (&str, &str), x: (f64, f64), y: (f64, f64)) -> Chart {
        let mut chart = Chart {
            title: title.into(),
            labels: (labels.0.into(), labels.1.into()),
            x: Scale::new(x, (LEFT, END)),
            y: Scale::new(y, (HEIGHT - BOTTOM, TOP)),
            above: 0.0,
            shapes: Vec::new(),
        };
        chart.grid();
        chart
    }

    fn grid(&mut self) {
        let y_ticks = ticks(self.y.values.0, self.y.values.1, 5);
        let step = y_ticks.windows(2).next().map_or(1.0, |pair| pair[1] - pair[0]);
        for value in y_ticks {
            let at = self.y.at(value);
            self.path("grid", format_args!("M{LEFT} {}H{END}", number(at)));
            self.text("tick end", (LEFT - 6.0, at + 4.0), &tick_text(value, step));
        }
    }

    /// Marks round values along the x axis.
    pub fn x_ticks(mut self) -> Chart {
        let x_ticks = ticks(self.x.values.0, self.x.values.1, 6);
        let step = x_ticks.windows(2).next().map_or(1.0, |pair| pair[1] - pair[0]);
        for value in x_ticks {
            self.x_label(value, &tick_text(value, step));
        }
        self
    }

    /// Writes a text under the x axis.
    pub fn x_label(&mut self, value: f64, text: &str) {
        self.text("tick middle", (self.x.at(value), HEIGHT - BOTTOM + 15.0), text);
    }

    fn text(&mut self, class: &str, at: (f64, f64), shown: &str) {
        self.shapes.push(text(class, at, shown));
    }

    fn path(&mut self, class: impl Render, d: impl Render) {
        self.shapes.push(html! { path class=(class) d=(d) {} });
    }

    /// The part of a path from the first point to the last, after the command that moves to the first.
    fn through(&self, points: &[(f64, f64)]) -> String {
        let place = |(x, y): &(f64, f64)| format!("{} {}", number(self.x.at(*x)), number(self.y.at(*y)));
        points.iter().map(place).collect::<Vec<_>>().join("L")
    }

    /// A line through the points, in order of x.
    pub fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        if let &[(x, y)] = points {
            let (x, y) = (number(self.x.at(x)), number(self.y.at(y)));
            self.shapes.push(html! { circle class={ "dot " (class) } cx=(x) cy=(y) r="3" {} });
        } else if !points.is_empty() {
            let points = self.through(&decimate(points, MOST_POINTS));
            self.path(format_args!("line {class}"), format_args!("M{points}"));
        }
    }

    /// Names lines above the chart, each beside a stroke of its class, in two columns.
    pub fn legend(&mut self, lines: &[(&str, &str)]) {
        const ROW: f64 = 15.0;
        self.above = ROW * lines.len().div_ceil(2) as f64;
        for (index, (class, name)) in lines.iter().enumerate() {
            let y = TOP / 2.0 - self.above + ROW * (index / 2) as f64;
            let x = LEFT + (index % 2) as f64 * (END - LEFT) / 2.0;
            let (from, to) = (number(x), number(x + 20.0));
            self.path(format_args!("line {class}"), format_args!("M{from} {}H{to}", number(y)));
            self.text("note", (x + 26.0, y + 4.0), name);
        }
    }

    /// The area between two lines over the same x.
    pub fn band(&mut self, class: &str, low: &[(f64, f64)], high: &[(f64, f64)]) {
        if low.is_empty() {
            return;
        }
        let mut back = decimate(low, MOST_POINTS);
        back.reverse();
        let (there, back) = (self.through(&decimate(high, MOST_POINTS)), self.through(&back));
        self.path(format_args!("band {class}"), format_args!("M{there}L{back}Z"));
    }

    /// A horizontal line with its name at the right end.
    pub fn rule(&mut self, class: &str, y: f64, name: &str) {
        let at = self.y.at(y);
        self.path(format_args!("rule {class}"), format_args!("M{LEFT} {}H{END}", number(at)));
        self.text("note end", (END - 2.0, at - 4.0), name);
    }

    /// A vertical line with its name.
    pub fn mark(&mut self, x: f64, name: &str) {
        let at = self.x.at(x);
        self.path("rule stop", format_args!("M{} {TOP}V{}", number(at), HEIGHT - BOTTOM));
        let (class, shift) = if at > WIDTH / 2.0 { ("note end", -4.0) } else { ("note start", 4.0) };
        self.text(class, (at + shift, HEIGHT - BOTTOM - 6.0), name);
    }

    /// A rectangle from `x` values and `y` values, with a text for the pointer.
    pub fn bar(&mut self, class: &str, x: (f64, f64), y: (f64, f64), hint: &str) {
        let (left, right) = (self.x.at(x.0), self.x.at(x.1));
        let (bottom, top) = (self.y.at(y.0), self.y.at(y.1));
        let size = ((right - left).max(0.3), (bottom - top).max(0.0));
        self.shapes.push(bar(class, (left, top), size, hint));
    }

    /// A short horizontal stroke, as a level that was expected.
    pub fn level(&mut self, class: &str, x: (f64, f64), y: f64, hint: &str) {
        let [left, right] = [x.0, x.1].map(|x| number(self.x.at(x)));
        let y = number(self.y.at(y));
        self.shapes.push(html! {
            path class={ "level " (class) } d={ "M" (left) " " (y) "H" (right) } { title { (Text(hint)) } }
        });
    }

    /// The finished chart with its style sheet: a self-contained file.
    pub fn finish_alone(mut self) -> String {
        self.shapes.insert(0, html! { style { (STYLE) } });
        self.finish().into_string()
    }

    /// The finished chart, for a page that has the style sheet.
    pub fn finish(mut self) -> Markup {
        let (x_name, y_name) = std::mem::take(&mut self.labels);
        self.text("label middle", ((LEFT + END) / 2.0, HEIGHT - 6.0), &x_name);
        let middle = number((TOP + HEIGHT - BOTTOM) / 2.0);
        self.shapes.push(html! {
            text.label.middle transform={ "translate(11 " (middle) ") rotate(-90)" } { (Text(y_name)) }
        });
        drawing("chart", (-self.above, HEIGHT + self.above), &self.title, &self.shapes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 100.0, 5), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks(-3.0, 3.0, 6), [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
        assert_eq!(ticks(0.0, 7.3, 3), [0.0, 5.0]);
        assert_eq!(ticks(4.0, 4.0, 5), [4.0]);
        assert_eq!(ticks(0.48, 0.52, 4).len(), 5);
    }

    #[test]
    fn tick_texts_tell_the_ticks_apart() {
        assert_eq!(tick_text(0.25, 0.05), "0.25");
        assert_eq!(tick_text(40.0, 20.0), "40");
        assert_eq!(tick_text(1.5, 0.5), "1.5");
        assert_eq!(tick_text(20_000.0, 5_000.0), "20 k");
    }

    #[test]
    fn decimation_keeps_ends_and_extremes() {
        let points: Vec<(f64, f64)> =
            (0..50_000).map(|i| (f64::from(i), if i == 31_234 { 99.0 } else { f64::from(i % 7) })).collect();
        let kept = decimate(&points, 600);
        assert!(kept.len() <= 620, "{}", kept.len());
        assert_eq!((kept[0], *kept.last().unwrap()), (points[0], points[49_999]));
        assert!(kept.contains(&(31_234.0, 99.0)));
        assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(decimate(&points[..500], 600), &points[..500]);
    }

    #[test]
    fn a_chart_alone_is_xml_with_its_style() {
        let mut chart = Chart::new("<a> & \u{0}", ("x", "y"), (0.0, 1.0), (0.0, 1.0)).x_ticks();
        chart.line("s0", &[(0.0, 0.0), (1.0, 1.0)]);
        let alone = chart.finish_alone();
        assert!(alone.starts_with("<svg ") && alone.contains(" xmlns=\"http://www.w3.org/2000/svg\""));
        assert!(alone.contains("<title>&lt;a&gt; &amp; ␀</title>") && alone.contains(STYLE));
        assert_eq!(alone.matches("<path ").count(), alone.matches("</path>").count());
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([number(1.0), number(1.256), number(-0.001), number(120.5)], ["1", "1.26", "0", "120.5"]);
    }
}
