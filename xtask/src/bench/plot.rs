//! Plots of cost by number, as SVG, with the name of each curve's slope.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use mpit_tests::{Context, Failure, Outcome};
use plotters::prelude::*;

use crate::document;

/// A curve whose fitted line changes by at most this factor between its ends is flat.
pub(crate) const FLAT: f64 = 1.5;

const SIZE: (u32, u32) = (760, 420);

/// A plot that sections of the benchmark add points to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The name of the file, without `.svg`.
    pub(crate) file: &'static str,
    pub(crate) title: &'static str,
    /// The things that the horizontal axis counts.
    pub(crate) of: &'static str,
    /// The vertical axis, with its unit.
    pub(crate) cost: &'static str,
}

struct Curve {
    name: String,
    /// Numbers, in ascending order, and costs.
    points: Vec<(f64, f64)>,
}

struct Plot {
    kind: &'static Kind,
    curves: Vec<Curve>,
}

/// All plots of a run, in the order of their first points.
#[derive(Default)]
pub(crate) struct Plots(Vec<Plot>);

impl Plots {
    pub(crate) fn add(&mut self, kind: &'static Kind, curve: &str, number: f64, cost: f64) {
        let at = self.0.iter().position(|plot| plot.kind == kind).unwrap_or_else(|| {
            self.0.push(Plot { kind, curves: Vec::new() });
            self.0.len() - 1
        });
        let curves = &mut self.0[at].curves;
        let at = curves.iter().position(|one| one.name == curve).unwrap_or_else(|| {
            curves.push(Curve { name: curve.to_owned(), points: Vec::new() });
            curves.len() - 1
        });
        curves[at].points.push((number, cost));
    }

    /// Writes the pictures beside a page, into the directory with its name. Returns the part of the page that shows them.
    pub(crate) fn write(&self, page: &Path) -> Outcome<String> {
        let directory = page.with_extension("");
        fs::create_dir_all(&directory).context(directory.display())?;
        let link = page.file_stem().context("a page has a name")?.display();
        let mut part = String::new();
        for plot in &self.0 {
            let Kind { file, title, of, .. } = plot.kind;
            let path = directory.join(file).with_extension("svg");
            fs::write(&path, plot.draw().context(path.display())?).context(path.display())?;
            _ = write!(part, "### {title}\n\n![{title}, by the number of {of}]({link}/{file}.svg)\n\n");
            part.push_str(&document::head(&["curve", "first", "last", "slope"]));
            for Curve { name, points } in &plot.curves {
                let end = |(number, cost): (f64, f64)| format!("{cost:.2} at {number}");
                let ends = [points[0], points[points.len() - 1]].map(end);
                part.push_str(&document::row(&[
                    name.clone(),
                    ends[0].clone(),
                    ends[1].clone(),
                    slope(points),
                ]));
            }
            part.push('\n');
        }
        Ok(part)
    }
}

impl Plot {
    fn draw(&self) -> Outcome<String> {
        let mut picture = String::new();
        self.draw_on(&SVGBackend::with_string(&mut picture, SIZE).into_drawing_area())
            .map_err(|error| Failure::new(error.to_string()))?;
        Ok(picture)
    }

    fn draw_on<B: DrawingBackend>(&self, area: &DrawingArea<B, plotters::coord::Shift>) -> DrawResult<(), B> {
        let points = || self.curves.iter().flat_map(|curve| curve.points.iter().copied());
        let largest = points().map(|(number, _)| number).fold(1.0, f64::max);
        let (least, most) =
            points().map(|(_, cost)| cost).fold((0.0, 0.0), |(a, b), c| (f64::min(a, c), f64::max(b, c)));
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(area)
            .caption(self.kind.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(56)
            .build_cartesian_2d((1.0..largest * 1.1).log_scale(), least * 1.1..most * 1.25 + 0.1)?;
        let whole = |number: &f64| format!("{number:.0}");
        chart
            .configure_mesh()
            .x_desc(self.kind.of)
            .y_desc(self.kind.cost)
            .x_label_formatter(&whole)
            .draw()?;
        for (at, curve) in self.curves.iter().enumerate() {
            let color = Palette99::pick(at);
            let line = LineSeries::new(curve.points.iter().copied(), color.stroke_width(2)).point_size(3);
            chart
                .draw_series(line)?
                .label(&curve.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
        area.present()
    }
}

/// Names the slope of a curve: that of the line with the least squares, over the logarithm of the number.
fn slope(points: &[(f64, f64)]) -> String {
    let count = points.len() as f64;
    let logarithms = || points.iter().map(|(number, cost)| (number.log10(), *cost));
    let (x, y) = logarithms().fold((0.0, 0.0), |(x, y), (a, b)| (x + a / count, y + b / count));
    let (products, squares) = logarithms().fold((0.0, 0.0), |(products, squares), (a, b)| {
        (products + (a - x) * (b - y), squares + (a - x).powi(2))
    });
    if squares == 0.0 {
        return "one number".into();
    }
    let slope = products / squares;
    let at = |(number, _): (f64, f64)| y + slope * (number.log10() - x);
    let (first, last) = (at(points[0]), at(points[points.len() - 1]));
    let is_flat = first > 0.0 && last > 0.0 && f64::max(first / last, last / first) <= FLAT;
    let change = format!("{slope:+.2} for each factor of 10");
    if is_flat { format!("flat ({change})") } else { change }
}

#[cfg(test)]
mod tests {
    use super::*;

    static KIND: Kind = Kind { file: "messages", title: "A message", of: "peers", cost: "ns" };

    #[test]
    fn slopes_are_named() {
        assert_eq!(slope(&[(1.0, 4.0), (10.0, 4.5), (100.0, 5.0)]), "flat (+0.50 for each factor of 10)");
        assert_eq!(slope(&[(1.0, 2.0), (10.0, 4.0), (100.0, 6.0)]), "+2.00 for each factor of 10");
        assert_eq!(slope(&[(1.0, 6.0), (100.0, 2.0)]), "-2.00 for each factor of 10");
        assert_eq!(slope(&[(1.0, 6.0)]), "one number");
        // Without a positive cost there is no factor.
        assert_eq!(slope(&[(1.0, -0.5), (10.0, 0.5)]), "+1.00 for each factor of 10");
    }

    #[test]
    fn plots_are_written_beside_the_page() -> Outcome {
        let directory = tempfile::tempdir().context("a directory")?;
        let mut plots = Plots::default();
        for (number, cost) in [(1.0, 3.0), (10.0, 3.1), (100_000.0, 3.2)] {
            plots.add(&KIND, "one<&", number, cost);
            plots.add(&KIND, "other", number, cost * 2.0);
        }
        let part = plots.write(&directory.path().join("page.md"))?;
        assert!(
            part.contains("](page/messages.svg)\n") && part.contains("| 3.00 at 1 | 3.20 at 100000 | flat"),
            "{part}"
        );
        let picture =
            fs::read_to_string(directory.path().join("page/messages.svg")).context("the picture")?;
        assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{picture}");
        for text in ["A message", "peers", "one&lt;&amp;", "other"] {
            assert!(picture.contains(text), "{text} in {picture}");
        }
        assert!(picture.matches("<polyline").count() >= 2, "{picture}");
        Ok(())
    }
}
