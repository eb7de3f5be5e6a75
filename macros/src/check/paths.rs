//! Lists of paths in attributes, such as `category = [Pml, Osc]`, compared as they are written.

use quote::ToTokens as _;
use syn::Path;

use crate::error::Errors;

/// Reports a path that occurs twice in the list of a key.
pub(crate) fn check_once(key: &str, paths: &[Path], errors: &mut Errors) {
    for (at, path) in paths.iter().enumerate() {
        if contains(&paths[..at], path) {
            errors.on(path, format!("`{}` is named twice in `{key}`", text_of(path)));
        }
    }
}

/// Returns true if one of the paths is written like this one.
pub(crate) fn contains(paths: &[Path], path: &Path) -> bool {
    paths.iter().any(|other| text_of(other) == text_of(path))
}

fn text_of(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}
