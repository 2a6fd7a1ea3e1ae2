//! Times of the log: milliseconds since 1970, formatted as RFC 3339 in UTC.

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type Millis = i64;

/// Formats a time as `2026-11-15T10:00:00.000Z`. The year is always from 0 to 9999, because callers
/// clamp their clocks.
pub fn rfc3339(time: Millis) -> String {
    let (days, in_day) = (time.div_euclid(86_400_000), time.rem_euclid(86_400_000));
    let (year, month, day) = civil(days);
    let (seconds, millis) = (in_day / 1000, in_day % 1000);
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{h:02}:{m:02}:{s:02}.{millis:03}Z")
}

/// Parses a time: `2026-11-15` or `2026-11-15T10:00`, optionally with seconds, a fraction, and `Z`
/// or `+01:00`. The default zone is UTC. Also parses a time before now: `30m`, `12h`, `3d`, `2w`.
pub fn moment(text: &str, now: Millis) -> Option<Millis> {
    if let Some((number, unit)) = text.split_at_checked(text.len().saturating_sub(1))
        && let Ok(number) = number.parse::<i64>()
        && number >= 0
    {
        let unit = match unit {
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            "w" => 7 * 86_400_000,
            _ => return None,
        };
        return now.checked_sub(number.checked_mul(unit)?);
    }
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let days = days(year, month, day);
    if civil(days) != (year, month, day) {
        return None;
    }
    Some(days * 86_400_000 + time.map_or(Some(0), in_day)?)
}

/// Parses the end of a range. A time with seconds but no fraction means the end of that second,
/// because times are often shown without their fraction.
pub fn moment_through(text: &str, now: Millis) -> Option<Millis> {
    let clock = text.split_once(['T', 't', ' ']).map_or("", |(_, time)| time);
    let clock = clock.split(['Z', 'z', '+', '-']).next().unwrap_or_default();
    let seconds = clock.matches(':').count() == 2 && !clock.contains('.');
    Some(moment(text, now)? + if seconds { 999 } else { 0 })
}

/// Parses numbers with the given numbers of digits.
fn numbers<const N: usize>(text: &str, between: char, digits: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(between);
    let mut found = [0; N];
    for (number, digits) in found.iter_mut().zip(digits) {
        let part = parts.next()?;
        let fits = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = part.parse().ok().filter(|_| fits)?;
    }
    parts.next().is_none().then_some(found)
}

/// Parses a time of day into milliseconds since midnight, UTC.
fn in_day(time: &str) -> Option<Millis> {
    let (clock, zone) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, "Z"),
    };
    let offset = match zone.split_at_checked(1)? {
        ("Z" | "z", "") => 0,
        (sign @ ("+" | "-"), zone) => {
            let [hours, minutes] = numbers(zone, ':', [2, 2])?;
            (hours * 60 + minutes) * if sign == "+" { -60_000 } else { 60_000 }
        }
        _ => return None,
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let [h, m, s] = match numbers(clock, ':', [2, 2, 2]) {
        Some(all) => all,
        None => numbers(clock, ':', [2, 2]).map(|[h, m]| [h, m, 0])?,
    };
    if h > 23 || m > 59 || s > 60 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let millis: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    Some(((h * 60 + m) * 60 + s) * 1_000 + millis + offset)
}

/// Returns the day number of a Gregorian date, counted from 1970-01-01.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Returns the Gregorian date of a day number. Calculating in eras of 400 years makes it exact.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::{moment, moment_through, rfc3339};

    #[test]
    fn a_time_to_the_second_goes_to_its_end() {
        let through = |text| moment_through(text, 0).zip(moment(text, 0)).map(|(a, b)| a - b);
        for whole in ["2026-11-15T10:00:05Z", "2026-11-15 10:00:05", "2026-11-15T10:00:05+01:00"] {
            assert_eq!(through(whole), Some(999), "{whole}");
        }
        for exact in ["2026-11-15", "2026-11-15T10:00Z", "2026-11-15T10:00:05.1Z", "3d"] {
            assert_eq!(through(exact), Some(0), "{exact}");
        }
        assert_eq!(through("2026-11-15T10:00:99:1"), None);
    }

    #[test]
    fn moments_are_read_as_people_write_them() {
        let now = 1_000_000_000_000;
        let table = [
            ("2026-11-15", 1_794_700_800_000),
            ("2026-11-15T00:00:00.000Z", 1_794_700_800_000),
            ("2026-11-15T01:30+01:30", 1_794_700_800_000),
            ("2026-11-14 19:00:00-05:00", 1_794_700_800_000),
            ("2000-02-29T00:00:00.1234Z", 951_782_400_123),
            ("1970-01-01", 0),
            ("2d", now - 2 * 86_400_000),
            ("0m", now),
        ];
        for (text, expected) in table {
            assert_eq!(moment(text, now), Some(expected), "{text}");
        }
        let none = [
            "",
            "d",
            "-1d",
            "5y",
            "2026-02-30",
            "2026-13-01",
            "2026-1-1",
            "yesterday",
            "\u{e9}",
            "2026-11-15T25:00",
            "2026-11-15T10:00+1",
            "2026-11-15T",
            "9999999999999999w",
        ];
        for text in none {
            assert_eq!(moment(text, now), None, "{text}");
        }
    }

    #[test]
    fn known_moments() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(951_782_400_123), "2000-02-29T00:00:00.123Z");
        assert_eq!(rfc3339(1_794_700_800_000), "2026-11-15T00:00:00.000Z");
        assert_eq!(rfc3339(-1), "1969-12-31T23:59:59.999Z");
    }
}
