//! File operations, whose time is measured. Libraries implement them by messages, collective operations and
//! accesses of their own, under the names that programs use.

use mpit_ffi::files;

use crate::interpose::calls;

/// Defines the data transfers, which differ by their names only.
macro_rules! transfers {
    ($(
        ($($place:ident: $kind:ident,)*) $($name:ident)+ => ($($last:ident: $last_kind:ident)?);
    )+) => {$(
        transfers! { @each [$($place: $kind,)*] [$($last: $last_kind)?] $($name)+ }
    )+};
    (@each $before:tt $after:tt $($name:ident)+) => {$(
        transfers! { @one $before $after $name }
    )+};
    (@one [$($place:ident: $kind:ident,)*] [$($last:ident: $last_kind:ident)?] $name:ident) => {
        calls! {
            timed(Files) large fn $name(
                file: File, $($place: $kind,)* buf: Buf, count: Count, datatype: Type $(, $last: $last_kind)?
            );
        }
    };
}

transfers! {
    () File_read File_read_all File_read_shared File_read_ordered
        File_write File_write_all File_write_shared File_write_ordered => (status: Pointer);
    (offset: Disp,) File_read_at File_read_at_all File_write_at File_write_at_all => (status: Pointer);
    () File_iread File_iread_all File_iread_shared File_iwrite File_iwrite_all File_iwrite_shared => (request: Request);
    (offset: Disp,) File_iread_at File_iread_at_all File_iwrite_at File_iwrite_at_all => (request: Request);
    () File_read_all_begin File_read_ordered_begin File_write_all_begin File_write_ordered_begin => ();
    (offset: Disp,) File_read_at_all_begin File_write_at_all_begin => ();
}

/// Defines the calls that end split collective transfers.
macro_rules! ends {
    ($($name:ident)+) => {
        calls! {$(timed(Files) plain fn $name(file: File, buf: Buf, status: Pointer);)+}
    };
}

ends! {
    File_read_all_end File_read_at_all_end File_read_ordered_end
    File_write_all_end File_write_at_all_end File_write_ordered_end
}

calls! {
    freeing(Files) plain fn File_close(file: ClosedFile) => files::closing(file.get());
    timed(Files) plain fn File_set_size(file: File, size: Disp);
    timed(Files) plain fn File_preallocate(file: File, size: Disp);
    timed(Files) plain fn File_get_size(file: File, size: Pointer);
    timed(Files) plain fn File_get_group(file: File, group: Pointer);
    timed(Files) plain fn File_get_amode(file: File, mode: Pointer);
    timed(Files) plain fn File_set_info(file: File, info: Object);
    timed(Files) plain fn File_get_info(file: File, info: Pointer);
    timed(Files) plain fn File_seek(file: File, offset: Disp, whence: Int);
    timed(Files) plain fn File_seek_shared(file: File, offset: Disp, whence: Int);
    timed(Files) plain fn File_get_position(file: File, offset: Pointer);
    timed(Files) plain fn File_get_position_shared(file: File, offset: Pointer);
    timed(Files) plain fn File_get_byte_offset(file: File, offset: Disp, place: Pointer);
    timed(Files) large fn File_get_type_extent(file: File, datatype: Type, extent: Pointer);
    timed(Files) plain fn File_set_atomicity(file: File, flag: Int);
    timed(Files) plain fn File_get_atomicity(file: File, flag: Pointer);
    timed(Files) plain fn File_sync(file: File);

    // Only in C: in Fortran, the lengths of strings follow the other arguments.
    opening(Files) c fn File_open(comm: Comm, name: Pointer, mode: Int, info: Object, new: NewFile)
        => files::opened(new.get());
    timed(Files) c fn File_delete(name: Pointer, info: Object);
    timed(Files) c fn File_set_view(
        file: File, disp: Disp, element: Type, view: Type, representation: Pointer, info: Object,
    );
    timed(Files) c fn File_get_view(file: File, disp: Pointer, element: Pointer, view: Pointer, representation: Pointer);
}
