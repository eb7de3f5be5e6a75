//! Times as text, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns year, month, day, hour, minute, second and millisecond.
fn civil(time: SystemTime) -> [u64; 7] {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // Years that begin in March have the leap day at their end.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    [year, month, day, second / 3_600, second / 60 % 60, second % 60, since.subsec_millis().into()]
}

/// Returns a text such as `2026-11-22T08:15:00.123Z`, which sorts by time.
#[must_use]
pub fn text(time: SystemTime) -> String {
    let [year, month, day, hour, minute, second, milli] = civil(time);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Returns a text such as `20261122T081500`, for names.
#[must_use]
pub fn compact(time: SystemTime) -> String {
    let [year, month, day, hour, minute, second, _] = civil(time);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}")
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::{compact, text};

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, wanted) in [
            (0, "1970-01-01T00:00:00.007Z"),
            (951_782_399, "2000-02-28T23:59:59.007Z"),
            (951_782_400, "2000-02-29T00:00:00.007Z"),
            (951_868_800, "2000-03-01T00:00:00.007Z"),
            (1_735_689_599, "2024-12-31T23:59:59.007Z"),
            (4_107_542_400, "2100-03-01T00:00:00.007Z"),
        ] {
            assert_eq!(text(UNIX_EPOCH + Duration::from_millis(seconds * 1000 + 7)), wanted);
        }
        assert_eq!(compact(UNIX_EPOCH + Duration::from_secs(951_782_400)), "20000229T000000");
    }
}
