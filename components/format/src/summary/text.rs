//! The text of a summary: lines of words and numbers, separated by tabs, which end with the line `END`.
//!
//! Processes send it to each other, and the file of a summary has it behind lines about the job. It has at most so many bytes as
//! the limit of a sender, whatever the number of processes.

use std::fmt::Write;
use std::str::FromStr;

use super::arrivals::key;
use super::operation::{Operation, Part};
use super::{Area, CallStat, Place, RankStat, Summary, Traffic};
use crate::calls::{CALLS, index_of_symbol};
use crate::rows::Kind;

const END: &str = "END";

/// The names of places in lines.
const PLACES: [&str; Place::ALL.len()] = ["node", "other", "unknown"];

/// The names of the times of processes.
const TIMES: [&str; 3] = ["elapsed", "mpi", "useful"];

impl Summary {
    /// Returns the text. So that it is not longer than `limit`, it may have a smaller sample of collective operations, and then fewer
    /// machines by name.
    #[must_use]
    pub fn text(&self, limit: usize) -> String {
        let mut text = self.whole_text();
        if text.len() <= limit {
            return text;
        }
        let mut less = self.clone();
        while text.len() > limit && less.halve() {
            text = less.whole_text();
        }
        text
    }

    /// Leaves out half of the operations; without operations, their clocks; without clocks, half of the machines. Returns false if there
    /// are no machines either.
    fn halve(&mut self) -> bool {
        let (operations, processes) = (&mut self.arrivals.operations, &mut self.hosts.processes);
        if !operations.is_empty() {
            // Those that remain are the ones that other parts of the job keep as well.
            let half = operations.len() / 2;
            *operations = std::mem::take(operations).into_iter().take(half).collect();
        } else if !self.arrivals.domains.is_empty() {
            self.arrivals.domains.clear();
        } else if !processes.is_empty() {
            let half = processes.len() / 2;
            *processes = std::mem::take(processes).into_iter().take(half).collect();
            self.hosts.has_more = true;
        } else {
            return false;
        }
        true
    }

    fn whole_text(&self) -> String {
        let mut out = String::new();
        let mut line = |fields: &[&dyn std::fmt::Display]| {
            for (at, field) in fields.iter().enumerate() {
                let separator = if at == 0 { "" } else { "\t" };
                // Memory takes everything.
                let _ = write!(out, "{separator}{field}");
            }
            out.push('\n');
        };
        line(&[&"PROCESSES", &self.processes, &self.size, &self.finalized]);
        for (name, processes) in self.hosts.iter() {
            line(&[&"HOST", &processes, &name.replace(char::is_control, " ")]);
        }
        if self.hosts.has_more {
            line(&[&"HOSTS", &"more"]);
        }
        let times = TIMES.iter().copied().zip([&self.elapsed, &self.in_mpi, &self.useful]);
        let areas = Area::ALL.iter().map(|area| area.as_str()).zip(&self.areas);
        for (name, RankStat { ranks, sum, min, max }) in times.chain(areas) {
            line(&[&"TIME", &name, ranks, sum, &min.0, &min.1, &max.0, &max.1]);
        }
        line(&[&"CLOCKS", &self.clock_error]);
        for (call, CallStat { count, bytes, time }) in &self.calls {
            let Some(call) = CALLS.get(usize::from(*call)) else { continue };
            let RankStat { ranks, sum, min, max } = time;
            let name = format!("MPI_{}", call.name);
            line(&[&"CALL", &name, count, bytes, ranks, sum, &min.0, &min.1, &max.0, &max.1]);
        }
        for kind in Kind::ALL {
            for (place, name) in Place::ALL.iter().zip(PLACES) {
                let Traffic { count, bytes } = self.traffic(kind, *place);
                if (count, bytes) != (0, 0) {
                    line(&[&"TRAFFIC", &kind.letter(), &name, &count, &bytes]);
                }
            }
        }
        for domain in &self.arrivals.domains {
            line(&[&"CLOCK", domain]);
        }
        for ((_, comm, number), operation) in &self.arrivals.operations {
            line(&[&"OPERATION", comm, number, &u8::from(operation.synchronizes)]);
            for part in &operation.parts {
                let Part { domain, ranks, sum_of_entries, last, first_exit, spent } = part;
                line(&[&"PART", domain, ranks, sum_of_entries, &last.0, &last.1, first_exit, spent]);
            }
        }
        line(&[&END]);
        out
    }

    /// Parses the text, which other processes and files may have damaged.
    ///
    /// # Errors
    ///
    /// The number of the first line that is invalid, from 1; the number of lines plus 1 if the end is missing.
    pub fn parse(text: &str) -> Result<Self, usize> {
        let mut summary = Self::default();
        let mut operation = None;
        let mut lines = 0;
        for (at, line) in (1..).zip(text.lines()) {
            lines = at;
            let mut fields = Fields(line.split('\t'));
            match fields.word() {
                Some(END) if text.lines().nth(at).is_none() && summary.processes > 0 => return Ok(summary),
                Some(word) => summary.add_line(word, &mut fields, &mut operation).ok_or(at)?,
                None => return Err(at),
            }
            if fields.word().is_some() {
                return Err(at);
            }
        }
        Err(lines + 1)
    }

    /// Adds what a line says. `operation` is that of the lines about parts. Returns `None` if the line is invalid.
    fn add_line(
        &mut self,
        word: &str,
        fields: &mut Fields<'_>,
        operation: &mut Option<(u64, u64, u64)>,
    ) -> Option<()> {
        match word {
            "PROCESSES" => {
                (self.processes, self.size, self.finalized) =
                    (fields.number()?, fields.number()?, fields.number()?);
            }
            "HOST" => {
                let processes = fields.number()?;
                self.hosts.add(fields.word()?, processes);
            }
            "HOSTS" if fields.word()? == "more" => self.hosts.has_more = true,
            "TIME" => {
                let name = fields.word()?;
                let stat = fields.rank_stat()?;
                *self.time_of(name)? = stat;
            }
            "CLOCKS" => self.clock_error = fields.number()?,
            "CALL" => {
                let call = u16::try_from(index_of_symbol(fields.word()?)?).ok()?;
                let (count, bytes) = (fields.number()?, fields.number()?);
                self.calls.insert(call, CallStat { count, bytes, time: fields.rank_stat()? });
            }
            "TRAFFIC" => {
                let letter = fields.word()?;
                let kind = Kind::ALL.into_iter().find(|kind| letter.chars().eq([kind.letter()]))?;
                let name = fields.word()?;
                let place = Place::ALL.into_iter().zip(PLACES).find(|(_, is)| *is == name)?.0;
                self.add_traffic(kind, place, fields.number()?, fields.number()?);
            }
            "CLOCK" => _ = self.arrivals.domains.insert(fields.number()?),
            "OPERATION" => {
                let key = key(fields.number()?, fields.number()?);
                let synchronizes = fields.number::<u8>()? == 1;
                self.arrivals.operations.insert(key, Operation { synchronizes, parts: Vec::new() });
                *operation = Some(key);
            }
            "PART" => {
                let part = Part {
                    domain: fields.number()?,
                    ranks: fields.number()?,
                    sum_of_entries: fields.number()?,
                    last: (fields.number()?, fields.number()?),
                    first_exit: fields.number()?,
                    spent: fields.number()?,
                };
                let parts = &mut self.arrivals.operations.get_mut(&(*operation)?)?.parts;
                let is_possible = part.sum_of_entries <= u128::from(part.ranks) * u128::from(u64::MAX);
                // In ascending order, as they are looked up.
                if !is_possible || parts.last().is_some_and(|last| last.domain >= part.domain) {
                    return None;
                }
                parts.push(part);
            }
            _ => return None,
        }
        Some(())
    }

    fn time_of(&mut self, name: &str) -> Option<&mut RankStat> {
        match TIMES.iter().position(|time| *time == name) {
            Some(0) => Some(&mut self.elapsed),
            Some(1) => Some(&mut self.in_mpi),
            Some(_) => Some(&mut self.useful),
            None => self.areas.get_mut(Area::ALL.iter().position(|area| area.as_str() == name)?),
        }
    }
}

/// The fields of a line.
struct Fields<'a>(std::str::Split<'a, char>);

impl<'a> Fields<'a> {
    fn word(&mut self) -> Option<&'a str> {
        self.0.next()
    }

    fn number<T: FromStr>(&mut self) -> Option<T> {
        self.word()?.parse().ok()
    }

    fn rank_stat(&mut self) -> Option<RankStat> {
        Some(RankStat {
            ranks: self.number()?,
            sum: self.number()?,
            min: (self.number()?, self.number()?),
            max: (self.number()?, self.number()?),
        })
    }
}
