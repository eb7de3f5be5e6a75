use mpit::source;

#[source(ordered)]
struct Clock;

macro_rules! words {
    ($ident:ident, $($field:ident)+) => {
        #[mpit::event(source = Clock)]
        struct $ident {
            $($field: u64,)+
        }
    };
}

words!(Fitting, a b c d e f g h i j k l m n o p q r s t u v w x y z aa ab ac ad ae af);
words!(Large, a b c d e f g h i j k l m n o p q r s t u v w x y z aa ab ac ad ae af ag);

fn main() {}

// Proves C33.
