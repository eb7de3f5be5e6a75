//! Findings about plug-ins.

use mpit::internal::plugin::fault_log::LoggedFault;
use mpit::internal::registry::{Definition, Fault, Refusal, Rule, Severity};
use serde::de::Error;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Finding {
    #[serde(deserialize_with = "rule_with_name")]
    pub(crate) rule: Rule,
    /// The definition that has the fault.
    pub(crate) what: String,
    /// The place of the definition, or the file of the plug-in.
    pub(crate) place: String,
    pub(crate) why: String,
}

impl Finding {
    pub(crate) fn new(rule: Rule, what: impl Into<String>, place: &str, why: impl Into<String>) -> Self {
        // Texts of the plug-in may contain line ends.
        let clean = |text: String| text.replace(char::is_control, "?");
        Self { rule, what: clean(what.into()), place: clean(place.into()), why: clean(why.into()) }
    }

    pub(crate) fn of(desc: &impl Definition, rule: Rule, why: impl Into<String>) -> Self {
        Self::new(rule, desc.label(), &desc.origin().to_string(), why)
    }

    pub(crate) fn of_plugin(fault: Fault, path: &str) -> Self {
        Self::new(fault.rule, "the plug-in", path, fault.why)
    }

    pub(crate) fn is_error(&self) -> bool {
        self.rule.severity() == Severity::Error
    }

    pub(crate) fn is_about_the_same(&self, other: &Self) -> bool {
        (&self.what, &self.place) == (&other.what, &other.place)
    }
}

impl From<Refusal> for Finding {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal.rule, refusal.what, &refusal.place, refusal.why)
    }
}

impl From<LoggedFault> for Finding {
    fn from(fault: LoggedFault) -> Self {
        Self::new(fault.rule, fault.what, &fault.place, fault.why)
    }
}

/// Adds severity and remedy, which follow from the rule.
impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { rule, what, place, why } = self;
        let mut fields = serializer.serialize_struct("Finding", 6)?;
        fields.serialize_field("severity", rule.severity().as_str())?;
        fields.serialize_field("rule", rule.as_str())?;
        fields.serialize_field("what", what)?;
        fields.serialize_field("place", place)?;
        fields.serialize_field("why", why)?;
        fields.serialize_field("remedy", rule.remedy())?;
        fields.end()
    }
}

fn rule_with_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Rule, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) pvars: usize,
    pub(crate) cvars: usize,
    pub(crate) events: usize,
    pub(crate) sources: usize,
    pub(crate) categories: usize,
    pub(crate) enumerations: usize,
    pub(crate) components: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct CheckedPlugin {
    pub(crate) path: String,
    pub(crate) name: Option<String>,
    pub(crate) defines: Option<Counts>,
    pub(crate) findings: Vec<Finding>,
    #[serde(skip)]
    pub(crate) loads: bool,
}

impl CheckedPlugin {
    pub(crate) fn errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.is_error()).count()
    }

    pub(crate) fn sort(&mut self) {
        self.findings.sort_by_cached_key(|finding| {
            let (file, line) = finding.place.rsplit_once(':').unwrap_or((&finding.place, ""));
            (finding.rule.severity(), file.to_owned(), line.parse::<u32>().unwrap_or_default())
        });
    }

    pub(crate) fn warnings(&self) -> usize {
        self.findings.len() - self.errors()
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) plugins: Vec<CheckedPlugin>,
    /// The MPI library whose variables the definitions were compared with.
    pub(crate) compared_with: Option<String>,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
}

impl Report {
    pub(crate) fn new(plugins: Vec<CheckedPlugin>, compared_with: Option<String>) -> Self {
        let errors = plugins.iter().map(CheckedPlugin::errors).sum();
        let warnings = plugins.iter().map(CheckedPlugin::warnings).sum();
        Self { plugins, compared_with, errors, warnings }
    }
}
