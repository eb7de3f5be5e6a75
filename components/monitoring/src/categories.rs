//! Categories of variables that several modules belong to.

use mpit::category;
use mpit_frameworks::pml::Pml;

/// Monitoring of point-to-point messages: their number, their bytes and their receivers. It counts the messages of the
/// program. Messages that a library sends for its own purposes are counted only if the library reports them.
#[category(name = "pml_monitoring", parent = Pml)]
#[derive(Debug)]
pub struct PmlMonitoring;
