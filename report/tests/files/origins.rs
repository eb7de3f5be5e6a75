//! The calls of several ranks by place and region of the program.

use mpit_report::data::Report;

use crate::support::{container_of, directory, prof, read};

/// Returns the text of a rank with calls of one name, at two places and in two regions, whose numbers differ between ranks.
fn text(rank: u32) -> String {
    let (first, second) = if rank.is_multiple_of(2) { (1, 2) } else { (2, 1) };
    let call = |region: u64, site: u64, calls: u64| {
        format!(
            "# CALL\t{rank}\tMPI_Barrier\tMPI_COMM_WORLD\t{region}\t{site}\t{calls} calls\t{calls} timed\t{calls}000000000 ns\t1 ns\t\
             9 ns\t0 bytes\t\n"
        )
    };
    prof(rank)
        + &format!("# TIME\t{rank}\tblocking\t40000000000 ns\ttsc\t40 ns\t77\n")
        + &call(0, u32::MAX.into(), 1)
        + &call(first, first, 2)
        + &call(second, second, u64::from(rank))
        + &format!(
            "# SITE\t{rank}\t{first}\t4660\t12ab\t/no/such/app\n# SITE\t{rank}\t{second}\t32\t-\t/no/such/lib.so\n"
        )
        + &format!("# REGION\t{rank}\t{first}\t0 mismatches\tsolver\n")
        + &format!("# REGION\t{rank}\t{second}\t{rank} mismatches\toutput\n")
        + &format!("# REGION\t{rank}\t3\t0 mismatches\twithout calls\n")
        + &format!("# VISITS\t{rank}\t{first}\t5 visits\t{}000000000 ns\n", 12 - rank)
        + &format!("# VISITS\t{rank}\t{second}\t1 visits\t3000000000 ns\n")
        + &if rank == 3 { format!("# VISITS\t{rank}\t3\t7 visits\t8000000000 ns\n") } else { String::new() }
}

#[test]
fn numbers_of_places_are_those_of_a_rank() {
    let texts = [0, 1, 2, 3].map(|rank| (rank, "n1", text(rank)));
    let directory = directory(&[("run.prof", &container_of(&texts, &[]))]);
    let mut job = read(directory.path());
    job.resolve_sites();
    let report = serde_json::to_value(Report::of(&job, "run")).unwrap();
    let of = |table: &str, key: &str| {
        let row = |row: &serde_json::Value| {
            (row[key].as_str().unwrap().to_owned(), row["calls"].as_u64(), row["imbalance"].as_f64())
        };
        report[table].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    let row = |name: &str, calls: u64, imbalance: f64| (name.to_owned(), Some(calls), Some(imbalance));
    assert_eq!(
        of("sites", "site"),
        [row("app+0x1234", 8, 0.0), row("lib.so+0x20", 6, 0.5), row("(other sites)", 4, 0.0)]
    );
    assert_eq!(
        of("regions", "region"),
        [row("solver", 8, 0.0), row("output", 6, 0.5), row("(outside)", 4, 0.0)]
    );
    let has = |text: &str| job.notes.iter().any(|note| note.contains(text));
    assert!(has("6 ends of regions do not fit to the last begin: output;"), "{:?}", job.notes);
    assert!(has("4 ranks call MPI from more places"), "{:?}", job.notes);
    assert!(has("/no/such/app: cannot read") && has("/no/such/lib.so: cannot read"), "{:?}", job.notes);
}

/// A region has the longest time of a rank, the mean and the maximum outside of MPI, and what follows from them.
#[test]
fn regions_have_times_and_efficiencies() {
    let texts = [0, 1, 2, 3].map(|rank| (rank, "n1", text(rank)));
    let directory = directory(&[("run.prof", &container_of(&texts, &[]))]);
    let report = serde_json::to_value(Report::of(&read(directory.path()), "run")).unwrap();
    let rows = report["region_times"].as_array().unwrap();
    let of = |name: &str| rows.iter().find(|row| row["region"] == name).unwrap();
    let names: Vec<_> = rows.iter().map(|row| row["region"].as_str().unwrap()).collect();
    assert_eq!(names, ["(outside)", "solver", "output", "without calls"]);
    let in_thousandths = |name: &str, key: &str| (of(name)[key].as_f64().unwrap() * 1000.0).round() as u64;
    let numbers = |name: &str| {
        let keys = ["visits", "ranks", "seconds", "elapsed", "useful_mean", "useful_max"];
        keys.map(|key| in_thousandths(name, key))
    };
    // 12, 11, 10 and 9 s, of which 2 are in MPI.
    assert_eq!(numbers("solver"), [20_000, 4000, 42_000, 12_000, 8500, 10_000]);
    // 3 s each, of which 0, 1, 2 and 3 are in MPI.
    assert_eq!(numbers("output"), [4000, 4000, 12_000, 3000, 1500, 3000]);
    assert_eq!(numbers("without calls"), [7000, 1000, 8000, 8000, 2000, 8000]);
    // 40 s without those inside of regions, of which 1 is in MPI.
    assert_eq!(numbers("(outside)"), [0, 4000, 98_000, 27_000, 23_500, 26_000]);
    let efficiencies = |name: &str| {
        let keys = ["load_balance", "communication_efficiency", "parallel_efficiency"];
        keys.map(|key| in_thousandths(name, key))
    };
    assert_eq!(efficiencies("solver"), [850, 833, 708]);
    assert_eq!(efficiencies("output"), [500, 1000, 500]);
    assert_eq!(efficiencies("without calls"), [250, 1000, 250]);
}

/// Ranks without regions are outside of them all the time.
#[test]
fn ranks_without_regions_are_outside() {
    let without: String = text(1)
        .lines()
        .filter(|line| !line.starts_with("# VISITS"))
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            if fields[0] != "# CALL" {
                return format!("{line}\n");
            }
            fields[..4].join("\t") + "\t0\t" + &fields[5..].join("\t") + "\n"
        })
        .collect();
    let report_of = |texts: &[(u32, &str, String)]| {
        let directory = directory(&[("run.prof", &container_of(texts, &[]))]);
        serde_json::to_value(Report::of(&read(directory.path()), "run")).unwrap()
    };
    let report = report_of(&[(0, "n1", text(0)), (1, "n1", without.clone())]);
    let row = |table: &str| {
        let mut rows = report[table].as_array().unwrap().iter();
        rows.find(|row| row["region"] == "(outside)").unwrap()
    };
    // 25 of 40 s, of which 1 is in MPI, and 40 s, of which 4 are in MPI.
    let times = row("region_times");
    assert_eq!((&times["ranks"], times["seconds"].as_f64()), (&2.into(), Some(65.0)));
    assert_eq!((times["useful_mean"].as_f64(), times["useful_max"].as_f64()), (Some(30.0), Some(36.0)));
    assert_eq!((row("regions")["calls"].as_u64(), row("regions")["max"].as_f64()), (Some(5), Some(4.0)));
    let report = report_of(&[(1, "n1", without)]);
    assert_eq!(
        (&report["regions"], &report["region_times"]),
        (&serde_json::json!([]), &serde_json::json!([]))
    );
}

/// Times of threads that are in regions at once say nothing about the time outside.
#[test]
fn times_of_threads_have_no_outside() {
    let text = text(0).replace("# VISITS\t0\t1\t5 visits\t12", "# VISITS\t0\t1\t5 visits\t52");
    let directory = directory(&[("run.prof", &container_of(&[(0, "n1", text)], &[]))]);
    let job = read(directory.path());
    let report = serde_json::to_value(Report::of(&job, "run")).unwrap();
    let names = report["region_times"].as_array().unwrap().iter().map(|row| row["region"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["solver", "output"]);
    let has = |text: &str| job.notes.iter().any(|note| note.contains(text));
    assert!(has("threads of 1 ranks were in regions at once"), "{:?}", job.notes);
}

/// The file is not looked for.
#[test]
fn places_in_python_are_lines() {
    let text = prof(0)
        + "# TIME\t0\tblocking\t40000000000 ns\ttsc\t40 ns\t77\n\
           # CALL\t0\tMPI_Send\tMPI_COMM_WORLD\t0\t1\t2 calls\t2 timed\t2000 ns\t1 ns\t9 ns\t0 bytes\t\n\
           # SITE\t0\t1\t15\tpython:Heat.step\t/no/such/heat.py\n";
    let directory = directory(&[("run.prof", &container_of(&[(0, "n1", text)], &[]))]);
    let mut job = read(directory.path());
    job.resolve_sites();
    let report = serde_json::to_value(Report::of(&job, "run")).unwrap();
    let site = &report["sites"][0];
    assert_eq!(site["site"], "heat.py:15 (Heat.step)");
    assert_eq!(
        site["code"][0],
        serde_json::json!({"function": "Heat.step", "file": "/no/such/heat.py", "line": 15})
    );
    assert!(
        site["offset"].is_null() && site["build_id"].is_null() && job.notes.is_empty(),
        "{site} {:?}",
        job.notes
    );
}
