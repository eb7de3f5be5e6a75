//! Output of what was read.

use std::fs;
use std::process::Command;

use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;

use crate::support::{container, directory, histogram, prof, profs, read};
use mpit_report::export::{ReportTable, write_csv, write_parquet};
use mpit_report::matrix::{self, Selection, Value};
use mpit_report::{Job, html, picture, summary};

/// A job of four processes, one of which is missing.
fn job() -> Job {
    read(profs(&[0, 1, 3]).path())
}

fn bytes(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_summary_equals_the_golden_file() {
    let mut text = String::new();
    summary::write(&mut text, &job(), 2).unwrap();
    let golden = include_str!("golden/summary.txt");
    if std::env::var_os("MPIT_TEST_ACCEPT").is_some() {
        fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/golden/summary.txt"), &text).unwrap();
    }
    assert_eq!(text, golden, "{text}");
}

#[test]
fn tables_with_commas() {
    let job = job();
    let pairs = bytes(|out| write_csv(out, &job, ReportTable::Pairs));
    assert_eq!(pairs.lines().next(), Some("kind,from,to,messages,bytes"));
    assert!(pairs.contains("\nE,0,1,27,108\n") && pairs.contains("\nR,1,0,2,4096\n"), "{pairs}");
    assert_eq!(pairs.lines().count(), 1 + 3 * 6);
    let sizes = bytes(|out| write_csv(out, &job, ReportTable::Sizes));
    assert_eq!(sizes, "bytes_from,bytes_below,messages\n0,1,0\n1,2,0\n2,4,0\n4,8,93\n");
    let comms = bytes(|out| write_csv(out, &job, ReportTable::Comms));
    assert!(comms.contains("\nMPI_COMM_WORLD,4,1,6,72,0,0,24,288\n"), "{comms}");
    assert!(comms.contains("\nMPI_COMM_SELF,1,3,0,0,0,0,0,0\n"), "{comms}");
}

/// Returns the rows of a table as Parquet's own reader prints them.
fn rows_of(job: &Job, table: ReportTable, name: &str) -> Vec<String> {
    let mut file = tempfile::tempfile().unwrap();
    let rows = write_parquet(&mut file, job, table, name).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let all: Vec<String> = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
    assert_eq!(all.len() as u64, rows);
    all
}

#[test]
fn parquet_has_the_same_tables() {
    let job = job();
    let pairs = rows_of(&job, ReportTable::Pairs, "my \"job\"");
    assert_eq!(pairs[0], r#"{job: "my "job"", kind: "E", from: 0, to: 1, messages: 27, bytes: 108}"#);
    assert_eq!(pairs.len(), 3 * 6);
    let comms = rows_of(&job, ReportTable::Comms, "x");
    assert!(comms[0].starts_with(r#"{job: "x", name: "MPI_COMM_WORLD", size: 4, "#), "{comms:?}");
    assert!(rows_of(&job, ReportTable::Late, "x").is_empty());
    // Not known: no machine and no time.
    let ranks = rows_of(&job, ReportTable::Ranks, "x");
    assert!(ranks[0].contains("host: null") && ranks[0].contains("in_mpi: null"), "{ranks:?}");
    let most = format!("E\t0\t1\t{} bytes\t1 msgs sent\t{}", u64::MAX, histogram(64, 1));
    let large =
        directory(&[("run.0.prof", format!("# POINT TO POINT\n{most}\n# OSC\n# COLLECTIVES\n").as_bytes())]);
    let pairs = rows_of(&read(large.path()), ReportTable::Pairs, "x");
    assert!(pairs[0].ends_with(&format!("bytes: {}}}", i64::MAX)), "{pairs:?}");
}

/// Tests that docs/files.md has the columns.
#[test]
fn columns_are_documented() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/files.md")).unwrap();
    for table in ReportTable::ALL {
        let csv = bytes(|out| write_csv(out, &Job::default(), table));
        let columns = csv.lines().next().unwrap().replace(',', ", ");
        let row = format!("| `{}` | `{columns}` |", table.as_str());
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn matrices_keep_direction() {
    let job = job();
    let matrix = Selection::External.of(&job).unwrap();
    let mat = bytes(|out| matrix::write_mat(out, &matrix, 4, Value::Size));
    assert_eq!(mat, "0 108 0 0 \n0 0 108 0 \n0 0 0 0 \n108 0 0 0 \n");
    let mtx = bytes(|out| matrix::write_mtx(out, &matrix, 4, Value::Messages));
    let lines: Vec<_> = mtx.lines().collect();
    assert_eq!(lines[0], "%%MatrixMarket matrix coordinate integer general");
    assert_eq!(lines[2..], ["4 4 3", "1 2 27", "2 3 27", "4 1 27"]);
    let avg = bytes(|out| matrix::write_mat(out, &matrix, 4, Value::Average));
    assert_eq!(avg, "0 4 0 0 \n0 0 4 0 \n0 0 0 0 \n4 0 0 0 \n");
}

#[test]
fn a_picture_is_well_formed() {
    for (job, paths) in [(job(), 4), (Job::default(), 1)] {
        // A title with all that must not be there as it is.
        let svg = bytes(|out| picture::write_svg(out, &job, "a<b>&\"'\u{1}c"));
        let document = roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
        assert_eq!(document.root_element().tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
        let named =
            |name: &'static str| document.descendants().filter(|node| node.tag_name().name() == name).count();
        assert!(named("path") >= paths && named("text") > 2, "{svg}");
        let mut png = Vec::new();
        picture::write_png(&mut png, &job, "title").unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert!(info.width > 200 && info.height > 100);
    }
}

#[test]
fn a_tile_has_its_place_and_color() {
    // All of one size: every tile has the last color.
    let dir = directory(&[(
        "run.0.prof",
        format!(
            "# POINT TO POINT\nE\t0\t1\t8 bytes\t1 msgs sent\t{}\n# OSC\n# COLLECTIVES\n",
            histogram(4, 1)
        )
        .as_bytes(),
    )]);
    let svg = bytes(|out| picture::write_svg(out, &read(dir.path()), "x"));
    // Two ranks: tiles of 256 pixels. Row 0, column 1.
    assert!(svg.contains("<path fill=\"#fde725\" d=\"M326 70h256v256h-256z"), "{svg}");
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let page = bytes(|out| html::write(out, &job(), "</script><b>"));
    for word in ["http:", "https:", "//cdn", " src=", " href=", "url(", "@import", "fetch(", "<b>"] {
        assert!(!page.contains(word), "{word}");
    }
    for word in
        ["<!DOCTYPE html>", "MPI_COMM_WORLD", "missing: rank 2 (no file)", "prefers-color-scheme", "<svg "]
    {
        assert!(page.contains(word), "{word}");
    }
    // The script knows what the tiles show.
    let data = page.split("id=\"tiles\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data[0]["side"], 4);
    assert_eq!(data[0]["tiles"][0], serde_json::json!([0, 1, 108 + 12, 28]));
    // A map of all, and one for each kind.
    assert_eq!((data.as_array().unwrap().len(), page.matches("<svg class=\"map\"").count()), (6, 6));
    assert_eq!(data[2]["tiles"][0], serde_json::json!([0, 1, 0, 3]));
    // So many elements begin as end, but for those that have no end.
    for name in [
        "table", "tr", "td", "th", "svg", "g", "div", "details", "summary", "script", "style", "body",
        "html", "ul", "li", "dl", "dt", "dd", "thead", "tbody", "h2", "h3", "p", "strong", "em", "small",
    ] {
        let begin = page.matches(&format!("<{name}>")).count() + page.matches(&format!("<{name} ")).count();
        assert_eq!(begin, page.matches(&format!("</{name}>")).count(), "{name}");
    }
}

#[test]
fn communicator_names_are_escaped() {
    let text = prof(0).replacen("MPI_COMM_SELF", "<img src=x onerror=alert(1)>", 1);
    let dir = directory(&[("run.0.prof", text.as_bytes())]);
    let page = bytes(|out| html::write(out, &read(dir.path()), "x"));
    assert!(!page.contains("<img") && page.contains("&lt;img src=x"), "{page}");
}

/// Equal bytes from this crate and Open MPI's own script, from equal input: texts one after the other, or the file of a job.
#[test]
#[allow(clippy::print_stderr, reason = "a test that cannot run says so")]
fn symmetric_matrices_equal_profile2mat() {
    let names = ["profile2mat", "profile2mat.pl"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name)));
    let Some(script) = places.find(|place| place.is_file()) else {
        eprintln!("NOT RUN: no profile2mat here, which comes with Debian's package openmpi-bin");
        return;
    };
    let mut concatenated: String = (0..4).map(prof).collect();
    // Odd numbers, to be halved: both neighbors even and odd; and pairs that went one way only.
    for (at, number) in [1_u64, 3, 5, 7, 1 << 52, (1 << 52) + 1, 10_000_000_001].into_iter().enumerate() {
        let line = |from: usize, to: usize| {
            format!("E\t{from}\t{to}\t{number} bytes\t{} msgs sent\t{}\n", at + 1, histogram(1, 1))
        };
        let both = if at % 2 == 0 { line(at, 5) } else { line(at, 6) + &line(6, at) };
        concatenated.extend(["# POINT TO POINT\n", &both, "# OSC\n# COLLECTIVES\n"]);
    }
    let container = String::from_utf8(container(&[0, 1, 2, 3], &[])).unwrap();
    for text in [concatenated, container] {
        let dir = directory(&[("x.prof", text.as_bytes())]);
        let done = Command::new(&script).arg("x.prof").current_dir(dir.path()).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        let job = read(dir.path());
        for (selection, value) in Selection::ALL.iter().flat_map(|s| Value::ALL.map(|v| (*s, v))) {
            let matrix = selection.of(&job).unwrap();
            let name = format!("x_{}_{}.mat", value.as_str(), selection.as_str());
            let theirs = fs::read_to_string(dir.path().join(&name)).unwrap();
            let ours = bytes(|out| matrix::write_like_profile2mat(out, &matrix, value));
            assert_eq!(ours, theirs, "{name}");
        }
    }
}
