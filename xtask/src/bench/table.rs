//! The table of results. All sections write to one, in the same columns.

use std::fmt::Write;

use super::rounds::Samples;

/// The unit of most sections.
pub(crate) const NANOSECONDS: &str = "ns";

/// The columns; `Line` has the last four.
const COLUMNS: [&str; 10] =
    ["library", "what", "unit", "best", "median", "max", "beside", "floor", "goal", "goal met"];

/// The widths of the columns in a terminal; text that is longer moves the rest of its line.
const WIDTHS: [usize; COLUMNS.len()] = [16, 42, 8, 9, 9, 9, 30, 24, 18, 0];

/// The ratio up to which a line and its peer are equal: the best rounds of two runs differ by as much.
const EQUAL: f64 = 1.01;

/// The ratio to the floor that is a goal where the number that was set is less.
const OF_FLOOR: f64 = 2.0;

/// The best figure of other measurements.
struct Reference {
    name: String,
    best: f64,
    /// True for other software with the same purpose, which mpit must not be behind.
    is_peer: bool,
}

/// A measurement, and what it is compared with. The best samples are compared: they hardly depend on other load of the machine.
pub(crate) struct Line {
    on: String,
    what: String,
    samples: Samples,
    /// The unit, if it is not that of the section.
    unit: Option<&'static str>,
    /// Shown with the ratio.
    beside: Option<Reference>,
    /// The part of the work that cannot be left out, without mpit, measured in the same run.
    floor: Option<Reference>,
    goal: Option<Goal>,
}

struct Goal {
    text: String,
    max: f64,
    /// True if it is twice the floor, which is more than the number that was set.
    is_of_floor: bool,
}

impl Line {
    pub(crate) fn new(on: &str, what: &str, samples: &Samples) -> Self {
        let samples = samples.clone();
        Self { on: on.into(), what: what.into(), samples, unit: None, beside: None, floor: None, goal: None }
    }

    /// Replaces the unit of the section.
    pub(crate) fn unit(self, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// Adds the ratio to a baseline, unless the baseline is not above 0.
    pub(crate) fn beside(mut self, baseline: &Samples, name: &str) -> Self {
        if baseline.best > 0.0 {
            self.beside = Some(Reference { name: name.into(), best: baseline.best, is_peer: false });
        }
        self
    }

    /// Adds the ratio to a peer, which the line must not be behind.
    pub(crate) fn peer(mut self, peer: &Samples, name: &str) -> Self {
        self = self.beside(peer, name);
        if let Some(beside) = &mut self.beside {
            beside.is_peer = true;
        }
        self
    }

    pub(crate) fn floor(mut self, floor: &Samples, name: &str) -> Self {
        self.floor = Some(Reference { name: name.into(), best: floor.best, is_peer: false });
        self
    }

    /// Adds the goal that the best figure is at most `max` units, or at most twice the floor if that is more.
    pub(crate) fn at_most(self, max: f64, unit: &str) -> Self {
        self.goal(max, format!("<= {max} {unit}"))
    }

    /// Adds the goal that the ratio is at most `max`, or the figure at most twice the floor if that is more.
    pub(crate) fn within(self, max: f64) -> Self {
        let (name, best) = self.beside.as_ref().map_or(("", 0.0), |beside| (&*beside.name, beside.best));
        let text = format!("<= {max} of {name}");
        self.goal(max * best, text)
    }

    /// Adds a goal, as the greatest figure that is within it, and its text.
    pub(crate) fn goal(self, max: f64, text: String) -> Self {
        let goal = match &self.floor {
            Some(Reference { name, best, .. }) if OF_FLOOR * best > max => {
                Goal { text: format!("<= {OF_FLOOR} of {name}"), max: OF_FLOOR * best, is_of_floor: true }
            }
            _ => Goal { text, max, is_of_floor: false },
        };
        Self { goal: Some(goal), ..self }
    }

    pub(crate) fn best(&self) -> f64 {
        self.samples.best
    }

    pub(crate) fn what(&self) -> &str {
        &self.what
    }

    pub(crate) fn unit_name(&self) -> &str {
        self.unit.unwrap_or_default()
    }

    /// Returns the name of what the line is compared with, and the ratio.
    pub(crate) fn ratio(&self) -> Option<(&str, f64)> {
        self.beside.as_ref().map(|beside| (&*beside.name, self.samples.best / beside.best))
    }

    pub(crate) fn floor_best(&self) -> Option<f64> {
        self.floor.as_ref().map(|floor| floor.best)
    }

    fn is_behind(&self) -> bool {
        let limit = |peer: &Reference| EQUAL * peer.best;
        self.beside.as_ref().is_some_and(|beside| beside.is_peer && self.samples.best > limit(beside))
    }

    /// Returns true if there is a goal, and the best figure is above it.
    pub(crate) fn is_missed(&self) -> bool {
        self.goal.as_ref().is_some_and(|goal| self.samples.best > goal.max)
    }

    fn verdict(&self) -> &'static str {
        match &self.goal {
            None => "",
            Some(_) if self.is_missed() => "missed",
            Some(_) => "met",
        }
    }

    /// Returns the text of the goal.
    pub(crate) fn goal_text(&self) -> Option<&str> {
        self.goal.as_ref().map(|goal| &*goal.text)
    }

    fn cells(&self) -> [String; COLUMNS.len()] {
        let (best, median, max) = (self.samples.best, self.samples.median(), self.samples.max());
        // Times below 1 need another digit.
        let number = |value: f64| if max < 1.0 { format!("{value:.3}") } else { format!("{value:.2}") };
        let beside = self
            .beside
            .as_ref()
            .map(|Reference { name, best: other, .. }| format!("{:.3} of {name} {other:.2}", best / other));
        let floor = self.floor.as_ref().map(|floor| format!("{:.2} {}", floor.best, floor.name));
        [
            self.on.clone(),
            self.what.clone(),
            self.unit.unwrap_or_default().to_owned(),
            number(best),
            number(median),
            number(max),
            beside.unwrap_or_default(),
            floor.unwrap_or_default(),
            self.goal_text().unwrap_or_default().to_owned(),
            self.verdict().to_owned(),
        ]
    }
}

enum Entry {
    Section(String),
    Line(Box<Line>),
    /// A measurement that failed or cannot be made, and the reason.
    Missing(String),
}

/// All that was measured. Prints each entry at once.
#[derive(Default)]
pub(crate) struct Table {
    entries: Vec<Entry>,
    unit: &'static str,
}

impl Table {
    /// Begins a section, whose lines have this unit.
    pub(crate) fn section(&mut self, title: &str, unit: &'static str) {
        if self.entries.is_empty() {
            println!("{}", text(&COLUMNS.map(str::to_owned)));
        }
        println!("\n{title}");
        self.unit = unit;
        self.entries.push(Entry::Section(title.to_owned()));
    }

    pub(crate) fn add(&mut self, mut line: Line) {
        line.unit.get_or_insert(self.unit);
        println!("{}", text(&line.cells()));
        self.entries.push(Entry::Line(line.into()));
    }

    pub(crate) fn add_missing(&mut self, reason: String) {
        println!("{reason}");
        self.entries.push(Entry::Missing(reason));
    }

    /// Returns the table as comma-separated values, each line with its section.
    pub(crate) fn csv(&self) -> String {
        let mut all = format!("section,{}\n", COLUMNS.join(",").replace(' ', "_"));
        let mut section = "";
        for entry in &self.entries {
            let cells = match entry {
                Entry::Section(title) => {
                    section = title;
                    continue;
                }
                Entry::Line(line) => line.cells(),
                // In the column of measurements.
                Entry::Missing(reason) => {
                    let mut cells = COLUMNS.map(|_| String::new());
                    cells[1].clone_from(reason);
                    cells
                }
            };
            let cells: Vec<_> = cells.iter().map(|cell| quoted(cell)).collect();
            let _ = writeln!(all, "{},{}", quoted(section), cells.join(","));
        }
        all
    }

    /// Returns the lines.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &Line> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Line(line) => Some(&**line),
            Entry::Section(_) | Entry::Missing(_) => None,
        })
    }

    /// Returns the numbers of goals that are met and missed, and lists the lines that are behind a peer.
    pub(crate) fn summary(&self) -> String {
        let goals = |verdict| self.lines().filter(|line| line.verdict() == verdict).count();
        let is_of_floor = |line: &&Line| line.goal.as_ref().is_some_and(|goal| goal.is_of_floor);
        let of_floor = self.lines().filter(|line| line.verdict() == "met").filter(is_of_floor).count();
        let behind: Vec<_> = self
            .lines()
            .filter(|line| line.is_behind())
            .map(|line| format!("{} {}", line.on, line.what))
            .collect();
        format!(
            "{} goals are met, of which {} {} twice the floor; {} are missed. {}.\n",
            goals("met"),
            of_floor,
            if of_floor == 1 { "is" } else { "are" },
            goals("missed"),
            if behind.is_empty() {
                "No line is behind its peer".to_owned()
            } else {
                format!("Behind a peer: {}", behind.join("; "))
            }
        )
    }
}

/// Returns a cell of comma-separated values.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

/// Returns the cells of a line for a terminal.
fn text(cells: &[String; COLUMNS.len()]) -> String {
    let mut line = String::new();
    for (at, (cell, width)) in cells.iter().zip(WIDTHS).enumerate() {
        // Numbers are aligned at the right.
        let cell = if (3..6).contains(&at) { format!("{cell:>width$}") } else { format!("{cell:<width$}") };
        line.push_str(&cell);
        line.push(' ');
    }
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_and_peers_are_judged() {
        let one = |of: f64| Samples::of(vec![of]);
        let line = |of: f64| Line::new("ompi", "a read", &one(of));
        let mut table = Table::default();
        table.section("Reads", NANOSECONDS);
        table.add(line(2.0).peer(&one(4.0), "theirs").at_most(2.0, "ns"));
        table.add(line(5.0).peer(&one(4.0), "theirs").floor(&one(1.0), "a load").at_most(2.0, "ns"));
        table.add(line(5.0).beside(&one(4.0), "two").floor(&one(3.0), "a load").at_most(2.0, "ns"));
        table.add(line(4.03).peer(&one(4.0), "theirs"));
        table.add(line(5.0).unit("us").goal(4.0, "flat".into()));
        table.add_missing("mpich cannot be measured: no program".into());
        assert_eq!(
            table.summary(),
            "2 goals are met, of which 1 is twice the floor; 2 are missed. Behind a peer: ompi a read.\n"
        );
        let data = table.csv();
        let rows: Vec<_> = data.lines().collect();
        assert_eq!(rows[0], "section,library,what,unit,best,median,max,beside,floor,goal,goal_met");
        assert_eq!(rows[1], "Reads,ompi,a read,ns,2.00,2.00,2.00,0.500 of theirs 4.00,,<= 2 ns,met");
        assert!(rows[2].ends_with(",1.250 of theirs 4.00,1.00 a load,<= 2 ns,missed"));
        assert!(rows[3].ends_with(",3.00 a load,<= 2 of a load,met"));
        assert!(rows[5].contains(",a read,us,5.00,") && rows[5].ends_with(",flat,missed"));
        assert_eq!(rows[6], "Reads,,mpich cannot be measured: no program,,,,,,,,");
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
    }

    #[test]
    fn ratios_need_a_positive_baseline() {
        let one = |of: f64| Samples::of(vec![of]);
        let line = |base| Line::new("", "", &one(1.0)).beside(&one(base), "it");
        let verdict = |line: Line| line.within(1.5).verdict();
        assert_eq!(
            [1.0, 0.5, 0.0, -1.0].map(|base| verdict(line(base))),
            ["met", "missed", "missed", "missed"]
        );
        // Twice the floor is the goal where it is more.
        assert_eq!(verdict(line(0.5).floor(&one(0.4), "a load")), "missed");
        assert_eq!(verdict(line(0.5).floor(&one(0.5), "a load")), "met");
    }
}
