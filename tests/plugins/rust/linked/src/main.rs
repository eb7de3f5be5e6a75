//! A program over an MPI library of the standard ABI that is preloaded. With a file and a way as arguments, loads the file while a tool looks.
//! If `MPIT_TEST_PRIVATE` has the file of mpit's library, loads that for itself.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use std::thread;

// The package `split` has this program, too, with mpit in a `dylib`.
#[cfg(feature = "split")]
use keeper as _;

unsafe extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
}

const RTLD_NOW: c_int = 2;
const RTLD_NOLOAD: c_int = 4;
const RTLD_GLOBAL: c_int = 256;

type Index = unsafe extern "C" fn(*const c_char, c_int, *mut c_int) -> c_int;
type Alloc = unsafe extern "C" fn(usize, c_int, *const c_void, *mut usize, *mut c_int) -> c_int;
type Read = unsafe extern "C" fn(usize, usize, *mut u64) -> c_int;

const COUNTER: c_int = 7;

/// mpit's library, or null for the program's scope.
static LIBRARY: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

fn find(name: &CStr) -> *mut c_void {
    let found = unsafe { dlsym(LIBRARY.load(Relaxed), name.as_ptr()) };
    assert!(!found.is_null(), "{name:?}");
    found
}

fn has(name: &CStr) -> Option<c_int> {
    let get_index: Index = unsafe { transmute(find(c"MPI_T_pvar_get_index")) };
    let mut index = -1;
    let code = unsafe { get_index(name.as_ptr(), COUNTER, &mut index) };
    if code == 0 { Some(index) } else { None }
}

fn open(file: &CStr, flags: c_int) -> *mut c_void {
    let library = unsafe { dlopen(file.as_ptr(), flags) };
    assert!(!library.is_null(), "{file:?}");
    library
}

/// Loads a file in one of several ways. The next call looks for its definitions.
fn load(file: &CStr, way: &str) {
    match way {
        "local" => _ = open(file, RTLD_NOW),
        "global" => _ = open(file, RTLD_NOW | RTLD_GLOBAL),
        "thread" => thread::scope(|scope| _ = scope.spawn(|| _ = open(file, RTLD_NOW))),
        "again" => {
            let library = open(file, RTLD_NOW);
            assert_eq!(unsafe { dlclose(library) }, 0);
            assert!(unsafe { dlopen(file.as_ptr(), RTLD_NOW | RTLD_NOLOAD) }.is_null(), "still loaded");
            assert!(has(c"short_widgets").is_none());
            open(file, RTLD_NOW);
        }
        _ => unreachable!("{way}"),
    }
}

fn main() {
    if let Ok(file) = std::env::var("MPIT_TEST_PRIVATE") {
        LIBRARY.store(open(&CString::new(file).unwrap(), RTLD_NOW), Relaxed);
    }
    let init: unsafe extern "C" fn(*const c_void, *const c_void) -> c_int = unsafe { transmute(find(c"MPI_Init")) };
    let finalize: unsafe extern "C" fn() -> c_int = unsafe { transmute(find(c"MPI_Finalize")) };
    let init_thread: unsafe extern "C" fn(c_int, *mut c_int) -> c_int =
        unsafe { transmute(find(c"MPI_T_init_thread")) };
    let session_create: unsafe extern "C" fn(*mut usize) -> c_int =
        unsafe { transmute(find(c"MPI_T_pvar_session_create")) };
    let alloc: Alloc = unsafe { transmute(find(c"MPI_T_pvar_handle_alloc")) };
    let start: unsafe extern "C" fn(usize, usize) -> c_int = unsafe { transmute(find(c"MPI_T_pvar_start")) };
    let read: Read = unsafe { transmute(find(c"MPI_T_pvar_read")) };

    let (mut provided, mut session, mut handle, mut count, mut value) = (0, 0, 0, 0, 0);
    assert_eq!(unsafe { init(null(), null()) }, 0);
    assert_eq!(unsafe { init_thread(0, &mut provided) }, 0);
    let is_visible = has(c"linked_widgets").inspect(|index| {
        assert_eq!(unsafe { session_create(&mut session) }, 0);
        assert_eq!(unsafe { alloc(session, *index, null(), &mut handle, &mut count) }, 0);
        assert_eq!(unsafe { start(session, handle) }, 0);
    });
    linked::linked_make(5);
    if is_visible.is_some() {
        assert_eq!(unsafe { read(session, handle, &mut value) }, 0);
    }
    println!("linked: {} {value}", is_visible.is_some());
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let [file, way] = &arguments[..] {
        let before = has(c"short_widgets").is_some();
        load(&CString::new(file.as_str()).unwrap(), way);
        let in_thread = thread::spawn(|| has(c"short_widgets").is_some()).join().unwrap();
        println!("loaded later: {before} {in_thread} {}", has(c"short_widgets").is_some());
    }
    assert_eq!(unsafe { finalize() }, 0);
}
