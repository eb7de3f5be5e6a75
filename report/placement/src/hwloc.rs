//! Files of hwloc: the numbers of cores of nodes.

use roxmltree::{Document, Node, ParsingOptions};

/// A node in a file of hwloc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The name, if the file has it.
    pub name: Option<String>,
    /// The number of cores.
    pub cores: u32,
}

/// The maximum number of attributes of an element; hwloc writes about 20. The parser's time is quadratic in it.
const MAX_ATTRIBUTES: usize = 1000;

/// Fails if a text has what files of hwloc have not, and on which the parser's time or memory would be quadratic.
fn check_limits(text: &str) -> Result<(), String> {
    for word in ["<!ENTITY", "xmlns"] {
        if text.contains(word) {
            return Err(format!("no XML of hwloc: it has `{word}`"));
        }
    }
    let mut rest = text;
    while let Some((_, tag)) = rest.split_once('<') {
        // Comments and sections of plain text, which elements cannot begin in.
        let others = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")];
        if let Some((_, end)) = others.iter().find(|(begin, _)| tag.starts_with(begin)) {
            rest = tag.split_once(end).map_or("", |(_, rest)| rest);
            continue;
        }
        let (mut quote, mut attributes, mut length) = (None, 0, tag.len());
        for (at, byte) in tag.bytes().enumerate() {
            match (quote, byte) {
                (Some(begin), _) if byte == begin => quote = None,
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => attributes += 1,
                (None, b'>') => {
                    length = at;
                    break;
                }
                _ => {}
            }
        }
        if attributes > MAX_ATTRIBUTES {
            return Err(format!("no XML of hwloc: an element has more than {MAX_ATTRIBUTES} attributes"));
        }
        rest = &tag[length..];
    }
    Ok(())
}

/// Parses the XML of hwloc: objects `Machine` with objects `Core` in them, or `PU` where cores are unknown.
///
/// # Errors
///
/// Fails with the reason if the text is none of hwloc.
pub fn parse(text: &str) -> Result<Vec<Machine>, String> {
    check_limits(text)?;
    let options = ParsingOptions { allow_dtd: true, nodes_limit: 10_000_000, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|error| format!("no XML of hwloc: {error}"))?;
    let is_of_kind =
        |node: &Node<'_, '_>, kind: &str| node.has_tag_name("object") && node.attribute("type") == Some(kind);
    // No machine is in another one. Nodes have numbers in the order of the text.
    let mut end = None;
    let machines = document.descendants().filter(|node| {
        let is_outermost = is_of_kind(node, "Machine") && end.is_none_or(|end| node.id().get() > end);
        if is_outermost {
            end = node.descendants().next_back().map(|last| last.id().get());
        }
        is_outermost
    });
    let machines: Result<Vec<Machine>, String> = machines
        .map(|machine| {
            let count =
                |kind: &str| machine.descendants().filter(|node| is_of_kind(node, kind)).count() as u32;
            let info =
                |node: &Node<'_, '_>| node.has_tag_name("info") && node.attribute("name") == Some("HostName");
            let name = machine.children().find(info).and_then(|info| info.attribute("value"));
            let cores = if count("Core") > 0 { count("Core") } else { count("PU") };
            match cores {
                0 => Err("a machine without cores".to_owned()),
                _ => Ok(Machine { name: name.map(str::to_owned), cores }),
            }
        })
        .collect();
    match machines? {
        machines if machines.is_empty() => {
            Err("no object Machine; write the file by `lstopo node.xml`".into())
        }
        machines => Ok(machines),
    }
}

#[cfg(test)]
mod tests {
    use super::{Machine, parse};

    /// The begin of a file of lstopo 2.9, with two cores of two threads each.
    const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" gp_index="1">
    <info name="Backend" value="Linux"/>
    <info name="HostName" value="n07"/>
    <object type="Package" os_index="0" gp_index="3">
      <object type="Core" os_index="0" gp_index="4">
        <object type="PU" os_index="0" gp_index="5"/><object type="PU" os_index="2" gp_index="6"/>
      </object>
      <object type="Core" os_index="1" gp_index="7">
        <object type="PU" os_index="1" gp_index="8"/><object type="PU" os_index="3" gp_index="9"/>
      </object>
    </object>
  </object>
</topology>
"#;

    #[test]
    fn files_of_hwloc_are_read() {
        assert_eq!(parse(XML), Ok(vec![Machine { name: Some("n07".into()), cores: 2 }]));
        for text in ["", "<topology/>", "{}", r#"<topology><object type="Machine"/></topology>"#] {
            assert!(parse(text).is_err(), "{text}");
        }
        // Each would take minutes, or all memory.
        let attributes = " a='='".repeat(100_000);
        let nested = |begin: &str| begin.repeat(100_000);
        for (text, why) in [
            (XML.replace("<topology ", &format!("<topology{attributes} ")), "more than 1000 attributes"),
            (XML.replace("\"hwloc2.dtd\"", "[<!ENTITY a \"b\">]"), "<!ENTITY"),
            (nested("<a xmlns:b='c'>"), "xmlns"),
        ] {
            let found = parse(&text).unwrap_err();
            assert!(found.contains(why), "{found}");
        }
        let comment = format!("<!--{attributes}--><topology ");
        assert!(parse(&XML.replace("<topology ", &comment)).is_ok());
        // A machine in another one is not counted twice.
        let machine = "<object type='Machine'><object type='Core'/>";
        let inner = format!("<t>{machine}{machine}</object></object>{machine}</object></t>");
        let machines: Vec<u32> = parse(&inner).unwrap().into_iter().map(|machine| machine.cores).collect();
        assert_eq!(machines, [2, 1]);
    }
}
