//! Selection lists, in the syntax of Open MPI's MCA: `a,b` selects these components only, `^a,b` all but these, and an
//! empty list all.
//!
//! Open MPI's own lists (`mpiexec --mca pml ^monitoring`) name its components. A component of ours with the same name as an
//! excluded one is excluded, too, unless a list of ours says otherwise.

/// A parsed list.
pub(crate) struct Selection<'a> {
    names: Vec<&'a str>,
    /// True if all components but these are selected.
    is_inverse: bool,
}

impl<'a> Selection<'a> {
    /// Parses a list. Invalid parts are skipped; the second value has a message for each.
    pub(crate) fn parse(list: &'a str, known: &[&str]) -> (Self, Vec<String>) {
        let list = list.trim();
        // An empty list excludes nothing; so does `^` alone.
        let is_inverse = list.is_empty() || list.starts_with('^');
        let list = list.strip_prefix('^').unwrap_or(list);
        let mut names = Vec::new();
        let mut warnings = Vec::new();
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            if name.starts_with('^') {
                warnings.push(format!(
                    "`{name}` is ignored: write `^` once, in front of a list of components to exclude"
                ));
            } else if known.contains(&name) {
                names.push(name);
            } else {
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                warnings.push(format!("no component is called `{name}` (available: {known})"));
            }
        }
        (Self { names, is_inverse }, warnings)
    }

    pub(crate) fn admits(&self, name: &str) -> bool {
        let is_listed = self.names.contains(&name);
        if self.is_inverse { !is_listed } else { is_listed }
    }
}

#[derive(Debug)]
pub(crate) struct List {
    pub(crate) text: String,
    /// The environment variable with Open MPI's own list, if the list is from there.
    pub(crate) variable: Option<String>,
}

impl List {
    /// Returns our list if it is set, or else the exclusions of Open MPI's own list for the framework.
    pub(crate) fn effective(framework: &str, ours: &str) -> Self {
        if ours.trim().is_empty() {
            let variable = format!("OMPI_MCA_{framework}");
            let theirs = mpit::internal::os::environment::var(&variable).unwrap_or_default();
            // A list of inclusions selects among Open MPI's components only; ours record beside them.
            if theirs.trim().starts_with('^') {
                return Self { text: theirs, variable: Some(variable) };
            }
        }
        Self { text: ours.to_owned(), variable: None }
    }

    pub(crate) fn admits(&self, name: &str) -> bool {
        Selection::parse(&self.text, &[name]).0.admits(name)
    }

    /// Returns a message for each part that is invalid or has a surprising effect.
    pub(crate) fn warnings(&self, known: &[&str]) -> Vec<String> {
        match &self.variable {
            None => Selection::parse(&self.text, known).1,
            Some(variable) => known
                .iter()
                .filter(|name| !self.admits(name))
                .map(|name| {
                    let list = self.text.trim();
                    format!("`{name}` is excluded because {variable}={list} excludes Open MPI's own; set this list to `^` to keep it")
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{List, Selection};

    const KNOWN: [&str; 3] = ["monitoring", "trace", "x"];

    fn selected(list: &str) -> (Vec<&'static str>, usize) {
        let (selection, warnings) = Selection::parse(list, &KNOWN);
        (KNOWN.into_iter().filter(|name| selection.admits(name)).collect(), warnings.len())
    }

    #[test]
    fn lists_are_parsed() {
        assert_eq!(selected(""), (KNOWN.to_vec(), 0));
        assert_eq!(selected("  "), (KNOWN.to_vec(), 0));
        assert_eq!(selected("^"), (KNOWN.to_vec(), 0));
        assert_eq!(selected("x"), (vec!["x"], 0));
        assert_eq!(selected("x, monitoring,"), (vec!["monitoring", "x"], 0));
        assert_eq!(selected("^x,monitoring"), (vec!["trace"], 0));
        assert_eq!(selected(" ^ x "), (vec!["monitoring", "trace"], 0));
    }

    #[test]
    fn invalid_names_are_skipped() {
        assert_eq!(selected("x,^trace"), (vec!["x"], 1));
        assert_eq!(selected("^x,^trace"), (vec!["monitoring", "trace"], 1));
        assert_eq!(selected("ob1"), (vec![], 1));
        assert_eq!(selected("ob1,x"), (vec!["x"], 1));
        assert_eq!(selected("^ob1,x"), (vec!["monitoring", "trace"], 1));
    }

    #[test]
    fn lists_of_open_mpi_exclude_only_our_names() {
        let theirs = |text: &str| List { text: text.into(), variable: Some("OMPI_MCA_pml".into()) };
        assert!(theirs("^cm,ucx").warnings(&KNOWN).is_empty() && theirs("^cm,ucx").admits("monitoring"));
        let list = theirs("^cm,monitoring");
        assert!(!list.admits("monitoring") && list.admits("trace"));
        let warning = "`monitoring` is excluded because OMPI_MCA_pml=^cm,monitoring excludes Open MPI's own; set this list to `^` to keep it";
        assert_eq!(list.warnings(&KNOWN), [warning]);
        let ours = List::effective("pml", "x,ob1");
        assert_eq!((ours.admits("x"), ours.admits("trace"), ours.warnings(&KNOWN).len()), (true, false, 1));
    }

    #[test]
    fn messages_name_known_components() {
        let warning = |list, known| Selection::parse(list, known).1.remove(0);
        assert_eq!(warning("ob1", &KNOWN), "no component is called `ob1` (available: monitoring, trace, x)");
        assert_eq!(warning("ob1", &[]), "no component is called `ob1` (available: none)");
    }
}
