//! A program over an MPI library of the standard ABI that is preloaded. With an argument, loads that file while a tool looks.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};

unsafe extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
}

type Index = unsafe extern "C" fn(*const c_char, c_int, *mut c_int) -> c_int;
type Alloc = unsafe extern "C" fn(usize, c_int, *const c_void, *mut usize, *mut c_int) -> c_int;
type Read = unsafe extern "C" fn(usize, usize, *mut u64) -> c_int;

const COUNTER: c_int = 7;

fn find(name: &CStr) -> *mut c_void {
    let found = unsafe { dlsym(null_mut(), name.as_ptr()) };
    assert!(!found.is_null(), "{name:?}");
    found
}

fn has(name: &CStr) -> Option<c_int> {
    let get_index: Index = unsafe { transmute(find(c"MPI_T_pvar_get_index")) };
    let mut index = -1;
    let code = unsafe { get_index(name.as_ptr(), COUNTER, &mut index) };
    if code == 0 { Some(index) } else { None }
}

fn main() {
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
    if let Some(file) = std::env::args().nth(1) {
        let before = has(c"short_widgets").is_some();
        let file = CString::new(file).unwrap();
        assert!(!unsafe { dlopen(file.as_ptr(), 2) }.is_null());
        println!("loaded later: {before} {}", has(c"short_widgets").is_some());
    }
    assert_eq!(unsafe { finalize() }, 0);
}
