//! The constructor of an image with definitions.
//!
//! It is assembler code, because only that can be put into a group of which the linker keeps one, and can refer to lists that the image
//! may not have. The names of symbols contain that of the copy, so an image has a constructor for each copy that it was compiled for.

/// Expands to the constructor, once in an object. Each target has instructions that pass the address of the lists to the function.
#[doc(hidden)]
#[macro_export]
macro_rules! __mpit_constructor {
    ($($instruction:literal)*) => {
        // A module, because a block has assembler code only in a module; in a constant, because a definition may expand to several elements.
        // The compiler puts the content of a constant into one object with the element beside it.
        const _: () = {
        mod register_lists {
        ::core::arch::global_asm!(
            ".ifndef mpit_register_lists_{copy}",
            ".pushsection .text.mpit_register_lists,\"axG\",%progbits,mpit_register_lists_{copy},comdat",
            ".weak mpit_register_lists_{copy}",
            ".hidden mpit_register_lists_{copy}",
            ".type mpit_register_lists_{copy}, %function",
            "mpit_register_lists_{copy}:",
            $($instruction,)*
            ".size mpit_register_lists_{copy}, . - mpit_register_lists_{copy}",
            ".popsection",
            // A `ListsOfImage`. A list without elements may not exist, and must not be found in another image.
            ".pushsection .data.rel.ro.mpit_lists,\"awG\",%progbits,mpit_register_lists_{copy},comdat",
            ".p2align 3",
            ".Lmpit_lists_{copy}:",
            ".hidden __start_mpit_copies, __stop_mpit_copies",
            ".quad __start_mpit_copies, __stop_mpit_copies",
            ".irp list, pvars, cvars, events, sources, enums, categories, components",
            ".weak __start_mpit_0_1_\\list",
            ".hidden __start_mpit_0_1_\\list",
            ".weak __stop_mpit_0_1_\\list",
            ".hidden __stop_mpit_0_1_\\list",
            ".quad __start_mpit_0_1_\\list, __stop_mpit_0_1_\\list",
            ".endr",
            ".popsection",
            ".pushsection mpit_copies,\"awG\",%progbits,mpit_register_lists_{copy},comdat",
            ".p2align 3",
            ".quad {copy}",
            ".popsection",
            // Before constructors without a priority, so that calls in these find the definitions.
            ".pushsection .init_array.00101,\"awG\",%init_array,mpit_register_lists_{copy},comdat",
            ".p2align 3",
            ".quad mpit_register_lists_{copy}",
            ".popsection",
            ".endif",
            copy = sym $crate::__private::dependents::COPY,
            register = sym $crate::__private::dependents::REGISTER,
        );
        }
        };
    };
}

/// Expands to the constructor that registers the lists of an image.
#[cfg(all(
    target_os = "linux",
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(any(miri, mpit_models))
))]
#[doc(hidden)]
#[macro_export]
macro_rules! __mpit_register_lists {
    () => {
        $crate::__mpit_constructor! {
            "lea rdi, [rip + .Lmpit_lists_{copy}]"
            "mov rax, qword ptr [rip + {register}@GOTPCREL]"
            "jmp qword ptr [rax]"
        }
    };
}

/// Expands to the constructor that registers the lists of an image.
#[cfg(all(
    target_os = "linux",
    target_arch = "aarch64",
    target_pointer_width = "64",
    not(any(miri, mpit_models))
))]
#[doc(hidden)]
#[macro_export]
macro_rules! __mpit_register_lists {
    () => {
        $crate::__mpit_constructor! {
            "adrp x0, .Lmpit_lists_{copy}"
            "add x0, x0, :lo12:.Lmpit_lists_{copy}"
            "adrp x1, :got:{register}"
            "ldr x1, [x1, :got_lo12:{register}]"
            "ldr x1, [x1]"
            "br x1"
        }
    };
}

/// Expands to nothing: where no constructor is compiled, each image with definitions must contain the crate.
#[cfg(not(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(any(miri, mpit_models))
)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __mpit_register_lists {
    () => {};
}
