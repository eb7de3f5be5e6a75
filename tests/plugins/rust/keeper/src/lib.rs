//! A shared library that contains mpit, and has no definitions.

use mpit as _;
