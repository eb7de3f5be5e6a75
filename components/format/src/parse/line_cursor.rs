//! A cursor over a line, which is parsed from left to right.

#[derive(Clone, Copy, Debug)]
pub(super) struct LineCursor<'a>(pub(super) &'a [u8]);

impl<'a> LineCursor<'a> {
    #[inline]
    pub(super) fn literal(&mut self, text: &[u8], expected: &'static str) -> Result<(), &'static str> {
        self.0 = self.0.strip_prefix(text).ok_or(expected)?;
        Ok(())
    }

    #[inline]
    pub(super) fn number(&mut self, expected: &'static str) -> Result<u64, &'static str> {
        let mut number: u64 = 0;
        let mut at = 0;
        while let Some(byte @ b'0'..=b'9') = self.0.get(at) {
            let digit = u64::from(byte - b'0');
            // A `u64` holds any number of 19 digits.
            number = if at < 19 {
                number * 10 + digit
            } else {
                let tenfold = number.checked_mul(10).ok_or("a number below 2^64")?;
                tenfold.checked_add(digit).ok_or("a number below 2^64")?
            };
            at += 1;
        }
        if at == 0 {
            return Err(expected);
        }
        self.0 = &self.0[at..];
        Ok(number)
    }

    /// Parses a number and the unit behind it, which may end with a separator.
    pub(super) fn amount(&mut self, expected: &'static str, unit: &str) -> Result<u64, &'static str> {
        let number = self.number(expected)?;
        self.literal(unit.as_bytes(), "the unit of the number, or what separates it from the next one")?;
        Ok(number)
    }

    /// Returns the rest of the line.
    pub(super) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// Parses a rank, which is a number of C's type int.
    #[inline]
    pub(super) fn rank(&mut self, expected: &'static str) -> Result<u32, &'static str> {
        let number = self.number(expected)?;
        if number < 1 << 31 { Ok(number as u32) } else { Err("a rank below 2^31") }
    }

    /// Returns the text up to a byte, and skips that byte as well.
    pub(super) fn until(&mut self, byte: u8, expected: &'static str) -> Result<&'a [u8], &'static str> {
        let at = memchr::memchr(byte, self.0).ok_or(expected)?;
        let (before, rest) = self.0.split_at(at);
        self.0 = &rest[1..];
        Ok(before)
    }

    #[inline]
    pub(super) fn end(self, expected: &'static str) -> Result<(), &'static str> {
        if self.0.is_empty() { Ok(()) } else { Err(expected) }
    }
}
