//! Time as the log keeps it: milliseconds since 1970, written for people as RFC 3339 in UTC.

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type Millis = i64;

/// `2026-11-15T10:00:00.000Z`. Years outside 0 to 9999 do not occur: clocks are clamped outside.
pub fn rfc3339(time: Millis) -> String {
    let (days, in_day) = (time.div_euclid(86_400_000), time.rem_euclid(86_400_000));
    let (year, month, day) = civil(days);
    let (seconds, millis) = (in_day / 1000, in_day % 1000);
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{h:02}:{m:02}:{s:02}.{millis:03}Z")
}

/// The Gregorian date of a day counted from 1970-01-01. Eras of 400 years make it exact.
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
    use super::rfc3339;

    #[test]
    fn known_moments() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(951_782_400_123), "2000-02-29T00:00:00.123Z");
        assert_eq!(rfc3339(1_794_700_800_000), "2026-11-15T00:00:00.000Z");
        assert_eq!(rfc3339(-1), "1969-12-31T23:59:59.999Z");
    }
}
