use mpit::{event, source};

#[source(ordered)]
struct Clock;

#[event(source = Clock)]
struct Seen {
    flag: bool,
    name: &'static str,
    ranks: [i32; 4],
}

type Flag = bool;

#[event(source = Clock)]
struct Hidden {
    flag: Flag,
}

type Rank = i32;

#[event(source = Clock)]
struct Sent {
    #[mpit(datatype = "UINT64_T")]
    peer: i32,
    #[mpit(datatype = "UINT64")]
    bytes: u64,
    #[mpit(datatype)]
    tag: i32,
    #[mpit(unit = "bytes")]
    length: u64,
    #[mpit]
    last: u64,
}

#[event(source = Clock)]
struct Received {
    #[mpit(datatype = "UINT64_T")]
    peer: Rank,
}

macro_rules! words {
    ($ident:ident, $($field:ident)+) => {
        #[event(source = Clock)]
        struct $ident {
            $($field: u64,)+
        }
    };
}

words!(Fitting, a b c d e f g h i j k l m n o p q r s t u v w x y z aa ab ac ad ae af);
words!(Large, a b c d e f g h i j k l m n o p q r s t u v w x y z aa ab ac ad ae af ag);

fn main() {}

// Proves C31, C33.
