"""What scripts/release does, a step a file; scripts/image-root uses those that look at programs.

    words       errors, commands, the two architectures
    version     what a release is called, and what the changelog says of it
    sysroot     Debian's packages of an architecture, unpacked beside this machine's own
    build       both programs, of a commit, at a path that is the same in every clone
    elf         the libraries that the loader wants, by readelf
    parts       the Debian packages that a program is made of: by its link map, its headers, its libraries
    sbom        the same in the words of SPDX
    images      an OCI image for each program and architecture, and an index over the architectures
    archives    tar.gz of the static program, the chart, the manifest of krew
    registry    what is pushed, and what is there already
    signing     cosign with a key, without a log
    trial       each program started with its own files alone
    run         the command line
"""
