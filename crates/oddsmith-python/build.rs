//! Extension modules leave the interpreter's symbols to the process that loads them; some linkers must be told.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
