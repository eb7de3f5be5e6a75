//! A color scale from dark blue (small) to yellow (large), which is also suitable for color-blind readers.

use colorous::VIRIDIS;

/// Red, green, blue.
pub(crate) type Color = [u8; 3];

pub(crate) const STEPS: usize = 64;

pub(crate) fn color(step: usize) -> Color {
    VIRIDIS.eval_rational(step, STEPS).as_array()
}

/// A logarithmic scale between the smallest and the largest number that is not 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub(crate) least: u64,
    pub(crate) most: u64,
}

impl Scale {
    pub(crate) fn of(numbers: impl Iterator<Item = u64>) -> Option<Self> {
        numbers.filter(|number| *number > 0).fold(None, |scale, number| {
            let Self { least, most } = scale.unwrap_or(Self { least: number, most: number });
            Some(Self { least: least.min(number), most: most.max(number) })
        })
    }

    pub(crate) fn step(self, number: u64) -> usize {
        if number == 0 {
            return 0;
        }
        if self.most <= self.least {
            return STEPS - 1;
        }
        let (least, most) = ((self.least as f64).ln(), (self.most as f64).ln());
        (((number as f64).ln() - least) / (most - least) * (STEPS - 1) as f64).round() as usize
    }

    /// Returns the number at a position on the scale between 0 and 1.
    pub(crate) fn at(self, share: f64) -> u64 {
        let (least, most) = ((self.least as f64).ln(), (self.most as f64).ln());
        match share {
            share if share <= 0.0 => self.least,
            share if share >= 1.0 => self.most,
            share => (least + (most - least) * share).exp().round() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{STEPS, Scale, color};

    #[test]
    fn the_scale_spans_all_colors() {
        let scale = Scale::of([0, 1 << 20, 1, 1 << 10].into_iter()).unwrap();
        assert_eq!(scale, Scale { least: 1, most: 1 << 20 });
        assert_eq!((scale.step(1), scale.step(1 << 20)), (0, STEPS - 1));
        assert!((31..=32).contains(&scale.step(1 << 10)));
        assert_eq!((scale.at(0.0), scale.at(0.5), scale.at(1.0)), (1, 1 << 10, 1 << 20));
        assert_eq!(Scale::of([0, 0].into_iter()), None);
        assert_eq!(Scale { least: 7, most: 7 }.step(7), STEPS - 1);
        assert_eq!((color(0), color(STEPS - 1)), ([68, 1, 84], [253, 231, 37]));
    }
}
