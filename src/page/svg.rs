//! Charts as SVG, written by hand: scales, ticks, paths and bands.
//!
//! Colours come from the page's style sheet through classes, so that a chart follows the reader's
//! light or dark scheme. Coordinates have two decimals; the same numbers give the same bytes.

use crate::page::escape::escape;

/// Width of every chart in its own units.
pub const WIDTH: f64 = 440.0;
/// Height of every chart.
pub const HEIGHT: f64 = 250.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 40.0;
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

/// What a chart needs of a style sheet where no page brings one: up to six lines.
const STYLE: &str = "svg{background:#fff}text{font:11px sans-serif;fill:#444}.end{text-anchor:end}\
.middle{text-anchor:middle}.grid{stroke:#ddd;fill:none}.line{fill:none;stroke-width:2}.dot{fill:#fff}\
.s0{stroke:#1f77b4}.s1{stroke:#d62728}.s2{stroke:#2ca02c}.s3{stroke:#9467bd}.s4{stroke:#ff7f0e}.s5{stroke:#333}";

/// A chart that is being drawn.
pub struct Chart {
    title: String,
    labels: (String, String),
    x: Scale,
    y: Scale,
    /// Height of what stands above the chart.
    above: f64,
    body: String,
}

impl Chart {
    /// A frame with axes for these ranges.
    pub fn new(title: &str, labels: (&str, &str), x: (f64, f64), y: (f64, f64)) -> Chart {
        let mut chart = Chart {
            title: title.into(),
            labels: (labels.0.into(), labels.1.into()),
            x: Scale::new(x, (LEFT, WIDTH - RIGHT)),
            y: Scale::new(y, (HEIGHT - BOTTOM, TOP)),
            above: 0.0,
            body: String::new(),
        };
        chart.grid();
        chart
    }

    fn grid(&mut self) {
        let y_ticks = ticks(self.y.values.0, self.y.values.1, 5);
        let step = y_ticks.windows(2).next().map_or(1.0, |pair| pair[1] - pair[0]);
        for value in y_ticks {
            let at = number(self.y.at(value));
            self.body += &format!("<path class=\"grid\" d=\"M{LEFT} {at}H{}\"/>", WIDTH - RIGHT);
            self.text(LEFT - 6.0, self.y.at(value) + 4.0, "tick end", &tick_text(value, step));
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
        self.text(self.x.at(value), HEIGHT - BOTTOM + 15.0, "tick middle", text);
    }

    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        self.body += &format!(
            "<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>",
            number(x),
            number(y),
            escape(text)
        );
    }

    fn path(&self, points: &[(f64, f64)]) -> String {
        let mut path = String::new();
        for (index, (x, y)) in decimate(points, MOST_POINTS).into_iter().enumerate() {
            path.push(if index == 0 { 'M' } else { 'L' });
            path += &format!("{} {}", number(self.x.at(x)), number(self.y.at(y)));
        }
        path
    }

    /// A line through the points, in order of x.
    pub fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.len() == 1 {
            let (x, y) = (number(self.x.at(points[0].0)), number(self.y.at(points[0].1)));
            self.body += &format!("<circle class=\"dot {class}\" cx=\"{x}\" cy=\"{y}\" r=\"3\"/>");
        } else if !points.is_empty() {
            self.body += &format!("<path class=\"line {class}\" d=\"{}\"/>", self.path(points));
        }
    }

    /// Names lines above the chart, each beside a stroke of its class, in two columns.
    pub fn legend(&mut self, lines: &[(&str, &str)]) {
        const ROW: f64 = 15.0;
        self.above = ROW * lines.len().div_ceil(2) as f64;
        for (index, (class, name)) in lines.iter().enumerate() {
            let y = TOP / 2.0 - self.above + ROW * (index / 2) as f64;
            let x = LEFT + (index % 2) as f64 * (WIDTH - LEFT - RIGHT) / 2.0;
            let (from, to) = (number(x), number(x + 20.0));
            self.body += &format!("<path class=\"line {class}\" d=\"M{from} {}H{to}\"/>", number(y));
            self.text(x + 26.0, y + 4.0, "note", name);
        }
    }

    /// The area between two lines over the same x.
    pub fn band(&mut self, class: &str, low: &[(f64, f64)], high: &[(f64, f64)]) {
        if low.is_empty() {
            return;
        }
        let mut back: Vec<(f64, f64)> = decimate(low, MOST_POINTS);
        back.reverse();
        let back: String = back
            .iter()
            .map(|(x, y)| format!("L{} {}", number(self.x.at(*x)), number(self.y.at(*y))))
            .collect();
        self.body += &format!("<path class=\"band {class}\" d=\"{}{back}Z\"/>", self.path(high));
    }

    /// A horizontal line with its name at the right end.
    pub fn rule(&mut self, class: &str, y: f64, name: &str) {
        let at = self.y.at(y);
        self.body +=
            &format!("<path class=\"rule {class}\" d=\"M{LEFT} {}H{}\"/>", number(at), WIDTH - RIGHT);
        self.text(WIDTH - RIGHT - 2.0, at - 4.0, "note end", name);
    }

    /// A vertical line with its name.
    pub fn mark(&mut self, x: f64, name: &str) {
        let at = self.x.at(x);
        self.body += &format!("<path class=\"rule stop\" d=\"M{} {TOP}V{}\"/>", number(at), HEIGHT - BOTTOM);
        let (anchor, shift) = if at > WIDTH / 2.0 { ("end", -4.0) } else { ("start", 4.0) };
        self.text(at + shift, HEIGHT - BOTTOM - 6.0, &format!("note {anchor}"), name);
    }

    /// A rectangle from `x` values and `y` values, with a text for the pointer.
    pub fn bar(&mut self, class: &str, x: (f64, f64), y: (f64, f64), hint: &str) {
        let (left, right) = (self.x.at(x.0), self.x.at(x.1));
        let (bottom, top) = (self.y.at(y.0), self.y.at(y.1));
        self.body += &format!(
            "<rect class=\"bar {class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>",
            number(left),
            number(top),
            number((right - left).max(0.3)),
            number((bottom - top).max(0.0)),
            escape(hint)
        );
    }

    /// A short horizontal stroke, as a level that was expected.
    pub fn level(&mut self, class: &str, x: (f64, f64), y: f64, hint: &str) {
        self.body += &format!(
            "<path class=\"level {class}\" d=\"M{} {}H{}\"><title>{}</title></path>",
            number(self.x.at(x.0)),
            number(self.y.at(y)),
            number(self.x.at(x.1)),
            escape(hint)
        );
    }

    /// The finished chart with a style sheet of its own: a file that stands alone.
    pub fn finish_alone(self) -> String {
        self.finish().replacen('>', &format!("><style>{STYLE}</style>"), 1)
    }

    /// The finished chart, for a page that has the style sheet.
    pub fn finish(mut self) -> String {
        let (x_name, y_name) = self.labels.clone();
        self.text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6.0, "label middle", &x_name);
        let middle = (TOP + HEIGHT - BOTTOM) / 2.0;
        self.body += &format!(
            "<text class=\"label middle\" transform=\"translate(11 {}) rotate(-90)\">{}</text>",
            number(middle),
            escape(&y_name)
        );
        format!(
            "<svg class=\"chart\" viewBox=\"0 {} {WIDTH} {}\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\"><title>{}</title>{}</svg>",
            number(-self.above),
            number(HEIGHT + self.above),
            escape(&self.title),
            self.body
        )
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
    fn numbers_are_short() {
        assert_eq!([number(1.0), number(1.256), number(-0.001), number(120.5)], ["1", "1.26", "0", "120.5"]);
    }
}
