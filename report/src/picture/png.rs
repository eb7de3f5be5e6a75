//! Rendering as pixels, with built-in fonts, so that the output is the same on every machine.

use std::convert::Infallible;
use std::io::{self, Write};

use embedded_graphics::mono_font::MonoTextStyle;
use embedded_graphics::mono_font::ascii::{FONT_7X13, FONT_7X13_BOLD};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Drawable, OriginDimensions, Pixel, Point, RgbColor, Size};
use embedded_graphics::text::{Alignment, Text};

use super::scene::{Anchor, Rect, Scene};

const INK: Rgb888 = Rgb888::new(0x22, 0x22, 0x22);
const EMPTY: Rgb888 = Rgb888::new(0xe7, 0xe7, 0xe7);

pub(super) fn draw(scene: &Scene, out: impl Write) -> io::Result<()> {
    let mut pixels = Pixels::new(scene.width.cast_unsigned(), scene.height.cast_unsigned());
    pixels.fill(&scene.plot, EMPTY);
    for ([red, green, blue], rects) in &scene.rects {
        for rect in rects {
            pixels.fill(rect, Rgb888::new(*red, *green, *blue));
        }
    }
    for mark in &scene.marks {
        pixels.fill(mark, INK);
    }
    for label in &scene.labels {
        let font = if label.bold { &FONT_7X13_BOLD } else { &FONT_7X13 };
        let alignment = match label.anchor {
            Anchor::Start => Alignment::Left,
            Anchor::Middle => Alignment::Center,
            Anchor::End => Alignment::Right,
        };
        let style = MonoTextStyle::new(font, INK);
        let text = Text::with_alignment(&label.text, Point::new(label.x, label.y), style, alignment);
        let Ok(_) = text.draw(&mut pixels);
    }
    pixels.write(out)
}

struct Pixels {
    width: u32,
    height: u32,
    /// The pixels, three bytes each, row by row.
    bytes: Vec<u8>,
}

impl Pixels {
    fn new(width: u32, height: u32) -> Self {
        Self { width, height, bytes: vec![0xff; 3 * (width * height) as usize] }
    }

    fn set(&mut self, x: i32, y: i32, color: Rgb888) {
        let (x, y) = (x.cast_unsigned(), y.cast_unsigned());
        if x < self.width && y < self.height {
            let at = 3 * (y * self.width + x) as usize;
            self.bytes[at..at + 3].copy_from_slice(&[color.r(), color.g(), color.b()]);
        }
    }

    fn fill(&mut self, rect: &Rect, color: Rgb888) {
        for y in rect.y..rect.y + rect.height {
            for x in rect.x..rect.x + rect.width {
                self.set(x, y, color);
            }
        }
    }

    fn write(&self, out: impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.bytes)?;
        writer.finish()?;
        Ok(())
    }
}

impl OriginDimensions for Pixels {
    fn size(&self) -> Size {
        Size::new(self.width, self.height)
    }
}

impl DrawTarget for Pixels {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        for Pixel(at, color) in pixels {
            self.set(at.x, at.y, color);
        }
        Ok(())
    }
}
