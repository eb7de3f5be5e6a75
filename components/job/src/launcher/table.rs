//! The table of launchers: all that is known of each, in one entry.

/// A launcher of MPI programs.
#[derive(Debug)]
pub struct Launcher {
    /// The name in messages.
    pub name: &'static str,
    /// The names of its program. Several launchers may have one name; an MPI library or a version may follow.
    pub programs: &'static [&'static str],
    /// Parts of the names of its program, or of the link that names it, that no other launcher has.
    pub name_parts: &'static [&'static str],
    /// Other programs in the directory of its program.
    pub neighbors: &'static [&'static str],
    /// Beginnings of the names of its MPI library's files.
    pub library_files: &'static [&'static str],
    /// The rule by which it hands the environment on; `None` if that is not known.
    pub propagation: Option<Propagation>,
    /// The variables that it sets for its processes.
    pub variables: &'static Variables,
    /// The files by which it places ranks, one for each group of its versions.
    pub placements: &'static [Placement],
}

/// The environment variables by which a launcher describes a job to its processes.
#[derive(Debug)]
pub struct Variables {
    /// The rank of the process: the first one that is set.
    pub rank: &'static [&'static str],
    /// The number of processes.
    pub size: Option<&'static str>,
    /// Another variable that only processes of a job have.
    pub mark: Option<&'static str>,
    /// A variable that `srun` never sets.
    pub never_of_srun: Option<&'static str>,
    /// The names of the world, the best one first.
    pub worlds: &'static [WorldName],
    /// True if processes of other launchers below this one inherit the variables.
    pub is_inherited: bool,
}

/// A launcher's name of a world: equal in all of its processes, different in each step and each spawned world.
#[derive(Clone, Copy, Debug)]
pub enum WorldName {
    /// The namespace of PMIx, in the first of these variables.
    Namespace {
        /// The variables.
        variables: [&'static str; 2],
        /// A variable with a random value: namespaces are used again.
        random: &'static str,
    },
    /// A number of the launcher, and the number of the group of processes that it started.
    Group {
        /// The beginning of the name.
        prefix: &'static str,
        /// The variable of the launcher.
        launcher: &'static str,
        /// The variable of the group, from 0.
        group: &'static str,
    },
    /// The proxy that started the process.
    Proxy,
    /// Numbers of an application or step, all of them.
    Numbers {
        /// The variables.
        variables: &'static [&'static str],
        /// A variable that the script of a batch job lacks.
        requires: Option<&'static str>,
    },
}

/// A rule by which a launcher hands the environment on to its processes.
#[derive(Debug)]
pub enum Propagation {
    /// An option names each variable for other machines, unless a setting has a list of them.
    Named {
        /// The option, which one more dash may precede.
        option: &'static str,
        /// The setting on the command line.
        setting: &'static str,
        /// The environment variable of the setting.
        variable: &'static str,
        /// The reason, in messages.
        because: &'static str,
    },
    /// Everything is handed on, unless something restricts it.
    Unrestricted {
        /// The options that restrict it.
        restrictions: &'static [Restriction],
        /// A variable with a list that restricts it.
        variable: Option<&'static str>,
    },
}

/// An option that restricts the variables that are handed on.
#[derive(Debug)]
pub struct Restriction {
    /// The option, without dashes.
    pub name: &'static str,
    /// The option that takes its place; it is followed by a list.
    pub becomes: &'static str,
    /// True if a list follows.
    pub has_list: bool,
}

/// A file by which a launcher places ranks, and the command line that uses it.
#[derive(Debug, PartialEq, Eq)]
pub struct Placement {
    /// The value of the option `--launcher`.
    pub name: &'static str,
    /// The description of the value.
    pub help: &'static str,
    /// The MPI libraries whose processes it places.
    pub library: LibraryVersion,
    /// The format of the file.
    pub file: PlacementFile,
    /// The names of nodes that the launcher knows.
    pub nodes: NodeNames,
    /// The command line: `{file}`, `{nodes}`, `{ranks}`, `{most}` (ranks on one node) and `{program}` are replaced.
    pub line: &'static str,
}

/// A rule for the text by which an MPI library describes its version.
#[derive(Debug, PartialEq, Eq)]
pub enum LibraryVersion {
    /// The text begins with a name, and a major version in this range follows.
    Begins(&'static str, u32, u32),
    /// The text has one of these parts.
    Has(&'static [&'static str]),
    /// The text has one of these parts. The library itself reads the file, with any launcher.
    ReadBy(&'static [&'static str]),
    /// Any library: the launcher's program alone counts.
    Any,
}

/// A format of files that place ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlacementFile {
    /// A line for each rank, with its node and core.
    Rankfile,
    /// The node of each rank, in the order of ranks.
    HostList,
    /// Nodes in the order of ranks, each with the number of ranks that follow each other on it. A node has several lines.
    MachineFile,
    /// The ranks in the order of nodes and cores, a line for each node, in a file with this name.
    RankOrder(&'static str),
}

/// The names of nodes that a launcher knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeNames {
    /// The names as they are.
    Full,
    /// The names without domains.
    Short,
    /// The names as the user gives them, and otherwise without domains.
    ShortUnlessGiven,
}

const NONE: Launcher = Launcher {
    name: "",
    programs: &[],
    name_parts: &[],
    neighbors: &[],
    library_files: &[],
    propagation: None,
    variables: &NO_VARIABLES,
    placements: &[],
};

const NO_VARIABLES: Variables =
    Variables { rank: &[], size: None, mark: None, never_of_srun: None, worlds: &[], is_inherited: false };

/// The launchers.
pub static LAUNCHERS: [Launcher; 8] = [
    // Also PRRTE. PMIx has the namespace in steps of `srun --mpi=pmix` as well.
    Launcher {
        name: "mpiexec of Open MPI",
        programs: &["mpiexec", "mpirun", "orterun", "prterun"],
        name_parts: &["openmpi", "orterun", "prterun", "ompirun"],
        neighbors: &["ompi_info", "prterun", "orterun"],
        library_files: &["libmpi.so.40"],
        propagation: Some(Propagation::Named {
            option: "-x",
            setting: "mca_base_env_list",
            variable: "OMPI_MCA_mca_base_env_list",
            because: "because Open MPI hands no other variables on to other machines",
        }),
        variables: &Variables {
            rank: &["PMIX_RANK", "OMPI_COMM_WORLD_RANK"],
            size: Some("OMPI_COMM_WORLD_SIZE"),
            worlds: &[WorldName::Namespace {
                variables: ["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"],
                // Open MPI 4 reuses its job numbers; this value is random, and equal in spawned worlds.
                random: "OMPI_MCA_orte_precondition_transports",
            }],
            ..NO_VARIABLES
        },
        // Open MPI cuts the domain off its own node's name, and then accepts the short name only.
        placements: &[
            Placement {
                name: "openmpi4",
                help: "mpiexec of Open MPI 4",
                library: LibraryVersion::Begins("Open MPI v", 0, 4),
                file: PlacementFile::Rankfile,
                nodes: NodeNames::Short,
                line: "mpiexec --rankfile {file} -n {ranks} {program}",
            },
            Placement {
                name: "openmpi5",
                help: "mpiexec of Open MPI 5",
                library: LibraryVersion::Begins("Open MPI v", 5, u32::MAX),
                file: PlacementFile::Rankfile,
                nodes: NodeNames::Short,
                line: "mpiexec --map-by rankfile:file={file} -n {ranks} {program}",
            },
        ],
    },
    // `mpiexec` often starts its daemons by `srun`, and their processes inherit the variables of the daemons' step.
    Launcher {
        name: "srun",
        programs: &["srun"],
        propagation: Some(Propagation::Unrestricted {
            restrictions: &[Restriction { name: "export", becomes: "--export", has_list: true }],
            // The restriction of `sbatch --export`.
            variable: Some("SLURM_EXPORT_ENV"),
        }),
        variables: &Variables {
            size: Some("SLURM_STEP_NUM_TASKS"),
            worlds: &[
                WorldName::Numbers { variables: &["PMI_JOBID"], requires: None },
                WorldName::Numbers {
                    variables: &["SLURM_JOB_ID", "SLURM_STEP_ID"],
                    requires: Some("SLURM_PROCID"),
                },
            ],
            is_inherited: true,
            ..NO_VARIABLES
        },
        // Slurm's names of nodes are those of its configuration, by default without a domain.
        placements: &[Placement {
            name: "slurm",
            help: "srun",
            library: LibraryVersion::Any,
            file: PlacementFile::HostList,
            nodes: NodeNames::ShortUnlessGiven,
            line: "SLURM_HOSTFILE={file} srun --distribution=arbitrary -N {nodes} -n {ranks} {program}",
        }],
        ..NONE
    },
    Launcher {
        name: "Hydra, the mpiexec of MPICH and Intel MPI",
        programs: &["mpiexec", "mpirun"],
        name_parts: &["hydra", "mpich"],
        neighbors: &["mpiexec.hydra", "hydra_pmi_proxy", "hydra_bstrap_proxy"],
        library_files: &["libmpi.so.12", "libmpich.so."],
        propagation: Some(Propagation::Unrestricted {
            restrictions: &[
                Restriction { name: "genvlist", becomes: "-genvlist", has_list: true },
                Restriction { name: "envlist", becomes: "-envlist", has_list: true },
                Restriction { name: "genvnone", becomes: "-genvlist", has_list: false },
                Restriction { name: "envnone", becomes: "-envlist", has_list: false },
            ],
            variable: None,
        }),
        variables: &Variables {
            rank: &["PMI_RANK", "PMI_ID"],
            size: Some("PMI_SIZE"),
            mark: Some("PMI_FD"),
            never_of_srun: Some("I_MPI_HYDRA_UUID"),
            worlds: &[
                WorldName::Group {
                    prefix: "intel",
                    launcher: "I_MPI_HYDRA_UUID",
                    group: "HYDRA_BSTRAP_PGID",
                },
                WorldName::Proxy,
            ],
            ..NO_VARIABLES
        },
        placements: &[Placement {
            name: "hydra",
            help: "mpiexec of MPICH and Intel MPI",
            library: LibraryVersion::Has(&["MPICH", "MVAPICH", "Intel(R) MPI"]),
            file: PlacementFile::MachineFile,
            nodes: NodeNames::Full,
            line: "mpiexec -machinefile {file} -n {ranks} {program}",
        }],
    },
    // `srun --mpi=cray_shasta` sets the variable, too.
    Launcher {
        name: "PALS",
        variables: &Variables {
            worlds: &[WorldName::Numbers { variables: &["PALS_APID"], requires: None }],
            ..NO_VARIABLES
        },
        placements: &[Placement {
            name: "cray",
            help: "The launchers of Cray MPICH",
            library: LibraryVersion::ReadBy(&["CRAY MPICH", "Cray MPICH", "cray mpich"]),
            file: PlacementFile::RankOrder("MPICH_RANK_ORDER"),
            nodes: NodeNames::Full,
            line: "MPICH_RANK_REORDER_METHOD=3 srun -n {ranks} --ntasks-per-node={most} --distribution=block {program}",
        }],
        ..NONE
    },
    Launcher {
        name: "ALPS",
        variables: &Variables {
            never_of_srun: Some("ALPS_APP_ID"),
            worlds: &[WorldName::Numbers { variables: &["ALPS_APP_ID"], requires: None }],
            ..NO_VARIABLES
        },
        ..NONE
    },
    Launcher {
        name: "Flux",
        variables: &Variables {
            never_of_srun: Some("FLUX_JOB_ID"),
            worlds: &[WorldName::Numbers { variables: &["FLUX_JOB_ID"], requires: None }],
            ..NO_VARIABLES
        },
        ..NONE
    },
    Launcher {
        name: "jsrun of LSF",
        variables: &Variables {
            never_of_srun: Some("JSM_NAMESPACE"),
            worlds: &[WorldName::Numbers { variables: &["JSM_NAMESPACE"], requires: None }],
            ..NO_VARIABLES
        },
        ..NONE
    },
    Launcher {
        name: "a launcher with PMIx",
        variables: &Variables { rank: &["PMIX_RANK"], is_inherited: true, ..NO_VARIABLES },
        ..NONE
    },
];

/// The number of launchers.
const COUNT: usize = LAUNCHERS.len();

/// The names of launchers and their variables, those that others inherit last. Apart from the table, so that libraries that programs load
/// have these parts of it only.
pub(crate) const VARIABLES: [(&str, &Variables); COUNT] = {
    let mut all = [("", &NO_VARIABLES); COUNT];
    let (mut next, mut at) = (0, 0);
    while at < 2 * COUNT {
        let launcher = &LAUNCHERS[at % COUNT];
        if launcher.variables.is_inherited == (at >= COUNT) {
            all[next] = (launcher.name, launcher.variables);
            next += 1;
        }
        at += 1;
    }
    all
};
