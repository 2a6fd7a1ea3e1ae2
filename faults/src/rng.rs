//! A deterministic random number generator: the same seed gives the same run.

use std::time::Duration;

pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns a duration between two bounds, uniform on a logarithmic scale.
    pub fn time(&mut self, from: Duration, to: Duration) -> Duration {
        let share = self.below(10_000) as f64 / 10_000.0;
        from.mul_f64((to.as_secs_f64() / from.as_secs_f64()).powf(share))
    }

    pub fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = self.next() as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Rng;

    #[test]
    fn times_stay_between_their_bounds_and_reach_both_ends() {
        let (from, to) = (Duration::from_millis(5), Duration::from_millis(600));
        let mut rng = Rng::new(1);
        let times: Vec<Duration> = (0..1000).map(|_| rng.time(from, to)).collect();
        assert!(times.iter().all(|time| (from..=to).contains(time)));
        assert!(
            times.iter().any(|time| *time < from * 2) && times.iter().any(|time| *time > to / 2)
        );
    }
}
