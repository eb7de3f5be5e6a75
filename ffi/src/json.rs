//! Output of JSON, which the command `mpit` reads.

use std::fmt::Write as _;

/// A value that has a form in JSON.
pub(crate) trait Value {
    fn write(&self, out: &mut String);
}

macro_rules! plain {
    ($($type:ty),+) => {$(
        impl Value for $type {
            fn write(&self, out: &mut String) {
                _ = write!(out, "{self}");
            }
        }
    )+};
}

plain!(bool, i32, i64, u32, u64, isize);

impl Value for str {
    fn write(&self, out: &mut String) {
        out.push('"');
        for char in self.chars() {
            match char {
                '"' | '\\' => out.extend(['\\', char]),
                '\0'..='\x1f' => _ = write!(out, "\\u{:04x}", u32::from(char)),
                _ => out.push(char),
            }
        }
        out.push('"');
    }
}

impl Value for String {
    fn write(&self, out: &mut String) {
        self.as_str().write(out);
    }
}

impl<T: Value + ?Sized> Value for &T {
    fn write(&self, out: &mut String) {
        T::write(self, out);
    }
}

impl<T: Value> Value for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }
}

impl<T: Value> Value for Vec<T> {
    fn write(&self, out: &mut String) {
        out.push('[');
        for (at, value) in self.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            value.write(out);
        }
        out.push(']');
    }
}

macro_rules! tuples {
    ($(($($type:ident $at:tt),+);)+) => {$(
        /// An array with the members of the tuple.
        impl<$($type: Value),+> Value for ($($type,)+) {
            fn write(&self, out: &mut String) {
                $(
                    out.push(if $at == 0 { '[' } else { ',' });
                    self.$at.write(out);
                )+
                out.push(']');
            }
        }
    )+};
}

tuples! {
    (A 0, B 1);
    (A 0, B 1, C 2);
}

/// The text of an object without its closing brace; empty while the object has no members.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object(String);

impl Object {
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Value) -> Self {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        name.write(&mut self.0);
        self.0.push(':');
        value.write(&mut self.0);
        self
    }

    pub(crate) fn into_text(mut self) -> String {
        self.0.push_str(if self.0.is_empty() { "{}" } else { "}" });
        self.0
    }
}

impl Value for Object {
    fn write(&self, out: &mut String) {
        out.push_str(&self.clone().into_text());
    }
}

#[cfg(test)]
mod tests {
    use super::Object;

    #[test]
    fn values_are_written_as_json() {
        let inner = Object::default().with("x", -1).with("none", None::<bool>);
        let text = Object::default()
            .with("name", "a\"b\\c\n\u{1}é")
            .with("list", vec![Some(true), None])
            .with("tuple", (1, "x".to_owned()))
            .with("empty", Vec::<String>::new())
            .with("objects", vec![inner, Object::default()]);
        let expected = r#"{"name":"a\"b\\c\u000a\u0001é","list":[true,null],"tuple":[1,"x"],"empty":[],"objects":[{"x":-1,"none":null},{}]}"#;
        assert_eq!(text.into_text(), expected);
    }
}
