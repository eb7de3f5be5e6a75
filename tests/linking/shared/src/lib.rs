//! The library, which contains mpit and the two component crates.

use mpit_tests_linking_disk as _;
use mpit_tests_linking_net as _;
