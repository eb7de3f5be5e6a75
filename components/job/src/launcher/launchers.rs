//! The table of launchers: all that is known of each, in one entry.

/// A launcher of MPI programs.
#[derive(Debug)]
pub struct Launcher {
    /// The name in messages.
    pub name: &'static str,
    /// The names of its program. Several launchers may have one name; an MPI library or a version may follow.
    pub(crate) programs: &'static [&'static str],
    /// Parts of the names of its program, or of the link that names it, that no other launcher has.
    pub(crate) name_parts: &'static [&'static str],
    /// Other programs in the directory of its program.
    pub(crate) neighbors: &'static [&'static str],
    /// Beginnings of the names of its MPI library's files.
    pub library_files: &'static [&'static str],
    /// The rule by which it hands the environment on; `None` if that is not known.
    pub propagation: Option<Propagation>,
    pub(crate) variables: &'static Variables,
    /// The files by which it places ranks, one for each group of its versions.
    pub placements: &'static [Placement],
}

/// The environment variables by which a launcher describes a job to its processes.
#[derive(Debug)]
pub(crate) struct Variables {
    /// The rank of the process: the first one that is set.
    pub(crate) rank: &'static [&'static str],
    /// The number of processes.
    pub(crate) size: Option<&'static str>,
    /// Another variable that only processes of a job have.
    pub(crate) mark: Option<&'static str>,
    pub(crate) never_of_srun: Option<&'static str>,
    /// The names of the world, the best one first.
    pub(crate) worlds: &'static [WorldName],
    /// True if processes of other launchers below this one inherit the variables.
    pub(crate) is_inherited: bool,
}

/// A launcher's name of a world: equal in all of its processes, different in each step and each spawned world.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WorldName {
    /// The namespace of PMIx, in one of two variables; another one with a random value, as namespaces are used again.
    Namespace([&'static str; 2], &'static str),
    /// The beginning of the name, and variables with the number of the launcher and the group of processes that it started, from 0.
    Group(&'static str, &'static str, &'static str),
    /// The proxy that started the process, with which it has a connection by one of these variables.
    Proxy([&'static str; 2]),
    /// The number of an application or step, in all of these variables; another one that the script of a batch job lacks.
    Number(&'static [&'static str], Option<&'static str>),
}

/// A rule by which a launcher hands the environment on to its processes.
#[derive(Debug)]
pub enum Propagation {
    /// An option names each variable for other machines, unless a setting of the command line or its variable has a list of them.
    #[allow(missing_docs, reason = "the names say it")]
    Named { option: &'static str, setting: &'static str, variable: &'static str, because: &'static str },
    /// Everything is handed on, unless an option or a variable with a list restricts it.
    #[allow(missing_docs, reason = "the names say it")]
    Unrestricted { restrictions: &'static [Restriction], variable: Option<&'static str> },
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
#[derive(Debug)]
pub struct Placement {
    /// The value of the option `--launcher`.
    pub name: &'static str,
    /// The description of the value.
    pub help: &'static str,
    pub(crate) library: LibraryVersion,
    /// The format of the file.
    pub file: PlacementFile,
    /// The names of nodes that the launcher knows.
    pub nodes: NodeNames,
    /// The command line: `{file}`, `{nodes}`, `{ranks}`, `{most}` (ranks on one node) and `{program}` are replaced.
    pub line: &'static str,
}

/// The MPI libraries whose processes a launcher places, by the text of their version.
#[derive(Debug)]
pub(crate) enum LibraryVersion {
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
#[derive(Clone, Copy, Debug)]
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

/// A launcher that numbers its applications in a variable of its own.
macro_rules! numbering {
    ($name:literal, $variable:literal) => {
        Launcher {
            name: $name,
            variables: &Variables {
                never_of_srun: Some($variable),
                worlds: &[WorldName::Number(&[$variable], None)],
                ..NO_VARIABLES
            },
            ..NONE
        }
    };
}

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
            // Open MPI 4 reuses its job numbers; the last value is random, and equal in spawned worlds.
            worlds: &[WorldName::Namespace(
                ["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"],
                "OMPI_MCA_orte_precondition_transports",
            )],
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
                WorldName::Number(&["PMI_JOBID"], None),
                WorldName::Number(&["SLURM_JOB_ID", "SLURM_STEP_ID"], Some("SLURM_PROCID")),
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
                WorldName::Group("intel", "I_MPI_HYDRA_UUID", "HYDRA_BSTRAP_PGID"),
                WorldName::Proxy(["PMI_FD", "PMI_PORT"]),
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
        variables: &Variables { worlds: &[WorldName::Number(&["PALS_APID"], None)], ..NO_VARIABLES },
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
    numbering!("ALPS", "ALPS_APP_ID"),
    numbering!("Flux", "FLUX_JOB_ID"),
    numbering!("jsrun of LSF", "JSM_NAMESPACE"),
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
