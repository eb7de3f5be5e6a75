//! Rendering as SVG.

use std::fmt::{self, Write};

use mpit_vocabulary::{is_deceptive, write_escaped};

use super::scene::{Anchor, Rect, Scene};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Embedding {
    File,
    /// A page, whose colors the picture adopts.
    Page,
}

pub(super) fn draw(scene: &Scene, place: Embedding) -> String {
    let mut out = String::new();
    let written = write(&mut out, scene, place);
    debug_assert!(written.is_ok(), "a string takes everything");
    out
}

fn write(out: &mut String, scene: &Scene, place: Embedding) -> fmt::Result {
    let Scene { width, height, .. } = scene;
    // An HTML page needs no namespace for the element; in a file, the format requires it.
    let (space, ink) = match place {
        Embedding::File => (" xmlns=\"http://www.w3.org/2000/svg\"", "#222"),
        Embedding::Page => ("", "currentColor"),
    };
    writeln!(
        out,
        "<svg{space} class=\"map\" role=\"img\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">"
    )?;
    if place == Embedding::File {
        writeln!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>")?;
    }
    let Rect { x, y, width, height } = scene.plot;
    writeln!(
        out,
        "<rect class=\"plot\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"#8883\"/>"
    )?;
    out.push_str("<g shape-rendering=\"crispEdges\">\n");
    for ([red, green, blue], rects) in &scene.rects {
        if !rects.is_empty() {
            write!(out, "<path fill=\"#{red:02x}{green:02x}{blue:02x}\" d=\"")?;
            rects.iter().try_for_each(|rect| path(out, rect))?;
            out.push_str("\"/>\n");
        }
    }
    write!(out, "<path fill=\"{ink}\" d=\"")?;
    scene.marks.iter().try_for_each(|rect| path(out, rect))?;
    out.push_str("\"/>\n</g>\n");
    writeln!(out, "<g fill=\"{ink}\" font-family=\"sans-serif\" font-size=\"12\">")?;
    for label in &scene.labels {
        let anchor = match label.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = if label.bold { " font-weight=\"bold\"" } else { "" };
        let (x, y, text) = (label.x, label.y, escaped(&label.text));
        writeln!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"{weight}>{text}</text>")?;
    }
    out.push_str("</g>\n</svg>\n");
    Ok(())
}

fn path(out: &mut String, rect: &Rect) -> fmt::Result {
    let Rect { x, y, width, height } = rect;
    write!(out, "M{x} {y}h{width}v{height}h-{width}z")
}

/// Escapes a text for XML and HTML. Control characters, which XML does not allow, become blanks; invisible ones that change how the text
/// is shown stand as `\u{202e}`.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c if is_deceptive(c) => _ = write_escaped(&mut out, c),
            c => out.push(c),
        }
    }
    out
}
