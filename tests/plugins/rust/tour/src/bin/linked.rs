//! The program has the definitions itself.

use every as _;

fn main() {
    tour::show();
}
