// SPDX-License-Identifier: BSD-3-Clause
// build.rs - builds lib/ with a C compiler; with the feature "system" finds an installed library.

#[cfg(not(feature = "system"))]
mod build {
    use std::env;
    use std::path::{Path, PathBuf};

    /// The folders of lib/ with the sources of libcstrace and libcstrace-files.
    const FOLDERS: [&str; 6] = ["base", "bytes", "flow", "protocols", "decoder", "files"];

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        let entries =
            std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().map_or(false, |e| e == "c") {
                found.push(path);
            }
        }
    }

    pub fn library() {
        // Paths are relative to the crate, where build scripts run: crate cc names objects after
        // them.
        let mut found = Vec::new();
        for folder in FOLDERS {
            sources(&Path::new("lib").join(folder), &mut found);
            println!("cargo:rerun-if-changed=lib/{folder}");
        }
        println!("cargo:rerun-if-changed=include");
        // A decoder that is not optimised is no use in debug builds of programs either.
        cc::Build::new()
            .files(found)
            .include("include")
            .include("lib")
            .flag("-std=gnu11")
            .flag("-fvisibility=hidden")
            .opt_level(2)
            .warnings(false)
            .compile("cstrace");
        let top = env::var("CARGO_MANIFEST_DIR").unwrap();
        println!("cargo:include={top}/include");
    }
}

#[cfg(feature = "system")]
fn find() {
    let version = std::env::var("CARGO_PKG_VERSION").unwrap();
    for library in ["cstrace-files", "cstrace"] {
        let found = pkg_config::Config::new().atleast_version(&version).probe(library);
        found.unwrap_or_else(|e| panic!("feature \"system\": {e}"));
    }
}

fn main() {
    #[cfg(feature = "system")]
    find();
    #[cfg(not(feature = "system"))]
    build::library();
}
