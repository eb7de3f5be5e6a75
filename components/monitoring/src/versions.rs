//! The version of the components, as the control variables that Open MPI's components have.

use mpit::cvar;
use mpit::cvar::Cvar;

use crate::categories::PmlMonitoring;
use crate::coll::CollMonitoring;
use crate::osc::OscMonitoring;

/// Defines the three control variables of a component.
macro_rules! versions {
    ($($category:ident: $major:ident, $minor:ident, $release:ident;)*) => {$(
        /// Major version of the component.
        #[cvar(scope = "CONSTANT", verbosity = "MPIDEV_ALL", category = $category)]
        static $major: Cvar<i32> = Cvar::new(number(env!("CARGO_PKG_VERSION_MAJOR")));

        /// Minor version of the component.
        #[cvar(scope = "CONSTANT", verbosity = "MPIDEV_ALL", category = $category)]
        static $minor: Cvar<i32> = Cvar::new(number(env!("CARGO_PKG_VERSION_MINOR")));

        /// Release version of the component.
        #[cvar(scope = "CONSTANT", verbosity = "MPIDEV_ALL", category = $category)]
        static $release: Cvar<i32> = Cvar::new(number(env!("CARGO_PKG_VERSION_PATCH")));
    )*};
}

versions! {
    PmlMonitoring: PML_MONITORING_MAJOR_VERSION, PML_MONITORING_MINOR_VERSION, PML_MONITORING_RELEASE_VERSION;
    OscMonitoring: OSC_MONITORING_MAJOR_VERSION, OSC_MONITORING_MINOR_VERSION, OSC_MONITORING_RELEASE_VERSION;
    CollMonitoring: COLL_MONITORING_MAJOR_VERSION, COLL_MONITORING_MINOR_VERSION, COLL_MONITORING_RELEASE_VERSION;
}

const fn number(text: &str) -> i32 {
    match i32::from_str_radix(text, 10) {
        Ok(number) => number,
        Err(_) => panic!("Cargo's version numbers are numbers"),
    }
}
