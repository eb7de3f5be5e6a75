//! The models.

mod bench;
mod calls;
mod events;
mod forks;
mod instances;
mod levels;
mod log;
mod records;
mod sessions;
mod slots;
mod small;
mod sparse;

use std::rc::Rc;

use std::harness::Model;

/// Returns all models. Those that take long are first, so that no process waits for one at the end.
pub(crate) fn all() -> Vec<Model> {
    [
        events::MODELS,
        instances::MODELS,
        slots::MODELS,
        small::MODELS,
        sparse::MODELS,
        sessions::MODELS,
        log::MODELS,
        records::MODELS,
        levels::MODELS,
        forks::MODELS,
        calls::MODELS,
    ]
    .concat()
}

/// Runs functions at once, each in a thread, and waits for all.
fn at_once<S: 'static, const N: usize>(shared: &Rc<S>, threads: [fn(&S); N]) {
    let [first, others @ ..] = &threads[..] else { return };
    let spawn = |run: &fn(&S)| {
        let (shared, run) = (shared.clone(), *run);
        std::thread::spawn(move || run(&shared))
    };
    let handles: Vec<_> = others.iter().map(spawn).collect();
    first(shared);
    for handle in handles {
        handle.join().expect("no thread of a model panics");
    }
}
