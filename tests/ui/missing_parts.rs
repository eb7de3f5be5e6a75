use mpit::component;
use mpit::component::pml::{self, Send};
use mpit::cvar;
use mpit::cvar::Cvar;

struct Recorder;

// The functions that open and close the component are missing.
#[component(framework = "pml", name = "recorder")]
impl pml::Component for Recorder {
    fn sent(&self, _: &Send) {}
}

// The length of the text is missing.
#[cvar]
static HOST: Cvar<String> = Cvar::new(String::new());

fn main() {}

// Proves C50.
