//! Formatting of numbers and tables for the user.

use std::fmt::Write;

pub(crate) fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// Formats a number: whole ones with groups of digits, others with four digits.
pub(crate) fn number(value: f64) -> String {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", grouped(value.abs() as u128));
    }
    let digits = 3.0 - value.abs().log10().floor();
    if (0.0..=8.0).contains(&digits) {
        format!("{value:.0$}", digits as usize)
    } else {
        format!("{value:.3e}")
    }
}

/// Formats a number of bytes with three digits.
pub fn bytes(number: u128) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = number as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{number} B"),
        _ if value < 10.0 => format!("{value:.2} {}", UNITS[unit]),
        _ if value < 100.0 => format!("{value:.1} {}", UNITS[unit]),
        _ => format!("{value:.0} {}", UNITS[unit]),
    }
}

/// Formats a part of a whole in percent.
pub fn percent(part: u128, all: u128) -> String {
    ratio(part as f64 / all.max(1) as f64)
}

/// Formats a number from 0 to 1 in percent.
pub(crate) fn ratio(number: f64) -> String {
    format!("{:.0} %", 100.0 * number)
}

/// Formats a duration in nanoseconds with three digits.
pub(crate) fn duration(ns: f64) -> String {
    const UNITS: [(&str, f64); 4] = [("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0)];
    // A number that is rounded up to 1000 has the next unit.
    let (unit, factor) = UNITS.into_iter().find(|(_, factor)| ns >= 0.9995 * factor).unwrap_or(("ns", 1.0));
    let value = ns / factor;
    match unit {
        "ns" => format!("{value:.0} ns"),
        _ if value < 9.995 => format!("{value:.2} {unit}"),
        _ if value < 99.95 => format!("{value:.1} {unit}"),
        _ => format!("{value:.0} {unit}"),
    }
}

/// Formats the range of message sizes that a bin of the histogram counts.
pub(crate) fn bin(at: usize) -> String {
    let unit = |power: usize| {
        const UNITS: [&str; 7] = ["", " Ki", " Mi", " Gi", " Ti", " Pi", " Ei"];
        format!("{}{}", 1_u64 << (power % 10), UNITS[(power / 10).min(6)])
    };
    match at {
        0 => "0".into(),
        1 => "1".into(),
        _ => format!("{}..{}", unit(at - 1), unit(at)),
    }
}

/// Returns rows of as many cells: the first one to the left, the others to the right.
pub(crate) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(width).collect();
    let line = |row: &Vec<String>| {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            _ = if at == 0 { write!(line, "{cell:<width$}") } else { write!(line, "  {cell:>width$}") };
        }
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_readable() {
        assert_eq!(super::grouped(0), "0");
        assert_eq!(super::grouped(123), "123");
        assert_eq!(super::grouped(1_234_567), "1 234 567");
        let durations = [0.0, 999.4, 999.9, 1500.0, 12.34e6, 999.6e6, 9.999e9, 123.4e9].map(super::duration);
        assert_eq!(
            durations,
            ["0 ns", "999 ns", "1.00 us", "1.50 us", "12.3 ms", "1.00 s", "10.0 s", "123 s"]
        );
        assert_eq!((super::ratio(0.256), super::percent(1, 0)), ("26 %".into(), "100 %".into()));
        let numbers = [0.0, -1234.0, 2.0 / 3.0, 1234.56, 12345.6, 1.5e-7, f64::NAN].map(super::number);
        assert_eq!(numbers, ["0", "-1 234", "0.6667", "1235", "1.235e4", "1.500e-7", "NaN"]);
        assert_eq!(super::bytes(1023), "1023 B");
        assert_eq!(super::bytes(1024), "1.00 KiB");
        assert_eq!(super::bytes(1 << 40), "1.00 TiB");
        assert_eq!(super::bin(0), "0");
        assert_eq!(super::bin(3), "4..8");
        assert_eq!(super::bin(10), "512..1 Ki");
        assert_eq!(super::bin(65), "16 Ei..32 Ei");
    }
}
