# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_mpit_global_optspecs
    string join \n h/help V/version
end

function __fish_mpit_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_mpit_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_mpit_using_subcommand
    set -l cmd (__fish_mpit_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c mpit -n "__fish_mpit_needs_command" -s h -l help -d 'Print help'
complete -c mpit -n "__fish_mpit_needs_command" -s V -l version -d 'Print version'
complete -c mpit -n "__fish_mpit_needs_command" -f -a "run" -d 'Run a command with the preload library'
complete -c mpit -n "__fish_mpit_needs_command" -f -a "vars" -d 'List the variables, events, sources, categories and enumerations that tools can use'
complete -c mpit -n "__fish_mpit_needs_command" -f -a "check" -d 'Check plug-ins and list their faults'
complete -c mpit -n "__fish_mpit_needs_command" -f -a "conform" -d 'Compare the tools interface of an MPI library with the rules of the MPI standard'
complete -c mpit -n "__fish_mpit_needs_command" -f -a "doctor" -d 'Run a command and report the problems that prevent recording'
complete -c mpit -n "__fish_mpit_needs_command" -f -a "report" -d 'Summarize the files of monitoring: messages and bytes between processes'
complete -c mpit -n "__fish_mpit_needs_command" -f -a "pack" -d 'Write the records of runs as tables, which need less space'
complete -c mpit -n "__fish_mpit_needs_command" -f -a "map" -d 'Find a placement of processes with fewer bytes between nodes'
complete -c mpit -n "__fish_mpit_needs_command" -f -a "why" -d 'Say why a job makes no progress'
complete -c mpit -n "__fish_mpit_needs_command" -f -a "signal-witness" -d 'Detects signals to the process group of this program'
complete -c mpit -n "__fish_mpit_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mpit -n "__fish_mpit_using_subcommand run" -l set -d 'Set a control variable of mpit, the program, a library or a plug-in; `mpit vars` lists them' -r
complete -c mpit -n "__fish_mpit_using_subcommand run" -s o -l output -d 'Record messages, accesses and collective operations, and write one file per process at the end, `STEM.<rank>.prof`' -r
complete -c mpit -n "__fish_mpit_using_subcommand run" -l summary -d 'Write a summary of the whole job to a small file, `STEM.summary`, and print it at the end' -r
complete -c mpit -n "__fish_mpit_using_subcommand run" -l time -d 'Measure all calls, only those that may wait and samples of the others, or none [default: blocking]' -r -f -a "all\t''
blocking\t''
off\t''"
complete -c mpit -n "__fish_mpit_using_subcommand run" -l series -d 'With --output, also record how the run develops: calls, time in MPI and messages of each process, sampled so often' -r
complete -c mpit -n "__fish_mpit_using_subcommand run" -l stuck -d 'Print a diagnosis if no process began or ended an MPI call for so long, as `mpit why` does' -r
complete -c mpit -n "__fish_mpit_using_subcommand run" -l hide -d 'Hide variables, events, sources and categories from tools, by name; `*` at the end of a name matches any ending' -r
complete -c mpit -n "__fish_mpit_using_subcommand run" -l preload -d 'The preload library, if it is not installed beside this program' -r -F
complete -c mpit -n "__fish_mpit_using_subcommand run" -l one-file -d 'Write one file for the whole job instead, `STEM.prof`'
complete -c mpit -n "__fish_mpit_using_subcommand run" -l tables -d 'Write tables instead, `STEM.tables`, which need less space, and which programs for Parquet read as well'
complete -c mpit -n "__fish_mpit_using_subcommand run" -l crash-safe -d 'Keep the records in files while the command runs, so that killed processes do not lose them'
complete -c mpit -n "__fish_mpit_using_subcommand run" -l sites -d 'Distinguish the calls by the place in the program that makes them; `mpit report` shows functions and lines'
complete -c mpit -n "__fish_mpit_using_subcommand run" -l kill -d 'End the command then; with --output, its records are kept as with --crash-safe'
complete -c mpit -n "__fish_mpit_using_subcommand run" -s q -l quiet -d 'Do not print a summary of the job at the end, or that nothing was recorded'
complete -c mpit -n "__fish_mpit_using_subcommand run" -s v -l verbose -d 'Print the settings and the command to standard error before it runs'
complete -c mpit -n "__fish_mpit_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mpit -n "__fish_mpit_using_subcommand run" -s V -l version -d 'Print version'
complete -c mpit -n "__fish_mpit_using_subcommand vars" -l grep -d 'List only entries with this text in their name or description, ignoring case' -r
complete -c mpit -n "__fish_mpit_using_subcommand vars" -l preload -d 'The preload library, if it is not installed beside this program' -r -F
complete -c mpit -n "__fish_mpit_using_subcommand vars" -l json -d 'Print JSON, for programs'
complete -c mpit -n "__fish_mpit_using_subcommand vars" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mpit -n "__fish_mpit_using_subcommand vars" -s V -l version -d 'Print version'
complete -c mpit -n "__fish_mpit_using_subcommand check" -l timeout -d 'Time limit for the check of each plug-in' -r
complete -c mpit -n "__fish_mpit_using_subcommand check" -l notes -d 'The file to which the process that loads the plug-in writes its findings' -r -F
complete -c mpit -n "__fish_mpit_using_subcommand check" -l preload -d 'The preload library, if it is not installed beside this program' -r -F
complete -c mpit -n "__fish_mpit_using_subcommand check" -l json -d 'Print JSON, for programs'
complete -c mpit -n "__fish_mpit_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mpit -n "__fish_mpit_using_subcommand check" -s V -l version -d 'Print version'
complete -c mpit -n "__fish_mpit_using_subcommand conform" -l cc -d 'The compiler of the MPI library [default: mpicc beside the launcher, or else in PATH]' -r -F
complete -c mpit -n "__fish_mpit_using_subcommand conform" -l rule -d 'Check only these rules, or run only these programs: R183, R13-pvars' -r
complete -c mpit -n "__fish_mpit_using_subcommand conform" -s f -l format -d 'The format of the report' -r -f -a "text\t'Tables for people'
json\t'JSON, for programs'
tsv\t'A line for each program, with fields separated by tabs'"
complete -c mpit -n "__fish_mpit_using_subcommand conform" -l timeout -d 'Time limit for each program' -r
complete -c mpit -n "__fish_mpit_using_subcommand conform" -l preload -d 'The preload library, if it is not installed beside this program' -r -F
complete -c mpit -n "__fish_mpit_using_subcommand conform" -l show -d 'Print the programs of a rule, or one by its name' -r
complete -c mpit -n "__fish_mpit_using_subcommand conform" -l from -d 'Read reports that --format json wrote, and print a table of them in Markdown' -r -F
complete -c mpit -n "__fish_mpit_using_subcommand conform" -l through-mpit -d 'Check the interface of mpit over the library instead'
complete -c mpit -n "__fish_mpit_using_subcommand conform" -l list -d 'List the rules that can be checked, with their programs'
complete -c mpit -n "__fish_mpit_using_subcommand conform" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mpit -n "__fish_mpit_using_subcommand conform" -s V -l version -d 'Print version'
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -l set -d 'Set a control variable of mpit, the program, a library or a plug-in; `mpit vars` lists them' -r
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -s o -l output -d 'Record messages, accesses and collective operations, and write one file per process at the end, `STEM.<rank>.prof`' -r
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -l summary -d 'Write a summary of the whole job to a small file, `STEM.summary`, and print it at the end' -r
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -l time -d 'Measure all calls, only those that may wait and samples of the others, or none [default: blocking]' -r -f -a "all\t''
blocking\t''
off\t''"
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -l series -d 'With --output, also record how the run develops: calls, time in MPI and messages of each process, sampled so often' -r
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -l stuck -d 'Print a diagnosis if no process began or ended an MPI call for so long, as `mpit why` does' -r
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -l hide -d 'Hide variables, events, sources and categories from tools, by name; `*` at the end of a name matches any ending' -r
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -l preload -d 'The preload library, if it is not installed beside this program' -r -F
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -l one-file -d 'Write one file for the whole job instead, `STEM.prof`'
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -l tables -d 'Write tables instead, `STEM.tables`, which need less space, and which programs for Parquet read as well'
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -l crash-safe -d 'Keep the records in files while the command runs, so that killed processes do not lose them'
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -l sites -d 'Distinguish the calls by the place in the program that makes them; `mpit report` shows functions and lines'
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -l kill -d 'End the command then; with --output, its records are kept as with --crash-safe'
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -s q -l quiet -d 'Do not print a summary of the job at the end, or that nothing was recorded'
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -s v -l verbose -d 'Print the settings and the command to standard error before it runs'
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mpit -n "__fish_mpit_using_subcommand doctor" -s V -l version -d 'Print version'
complete -c mpit -n "__fish_mpit_using_subcommand report" -l phase -d 'Report only these phases or runs: phase_1 for phase_1.0.prof and so on' -r
complete -c mpit -n "__fish_mpit_using_subcommand report" -l top -d 'Number of pairs to list for each kind' -r
complete -c mpit -n "__fish_mpit_using_subcommand report" -s f -l format -d 'Also write files in these formats' -r -f -a "csv\t'Comma-separated tables'
parquet\t'A directory with the same tables as Parquet, which tools for many jobs read'
mtx\t'Matrix Market: sparse matrices of bytes, messages, and bytes for each message'
mat\t'Dense matrices, with the file names of Open MPI\'s profile2mat'
svg\t'A heat map as a vector image'
png\t'A heat map as a bitmap'
html\t'A page with tables and heat map, without references to other files'
json\t'Everything, for programs; docs/report.schema.json describes it'"
complete -c mpit -n "__fish_mpit_using_subcommand report" -s o -l output -d 'Directory for these files; created if it does not exist' -r -F
complete -c mpit -n "__fish_mpit_using_subcommand report" -l phases -d 'Also report the sum of numbered phases, NAME_1.0.prof, NAME_2.0.prof and so on, as MPI_Pcontrol(2) writes them'
complete -c mpit -n "__fish_mpit_using_subcommand report" -l symmetric -d 'Write the mean of both directions to .mat files, as Open MPI\'s profile2mat does'
complete -c mpit -n "__fish_mpit_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mpit -n "__fish_mpit_using_subcommand report" -s V -l version -d 'Print version'
complete -c mpit -n "__fish_mpit_using_subcommand pack" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mpit -n "__fish_mpit_using_subcommand pack" -s V -l version -d 'Print version'
complete -c mpit -n "__fish_mpit_using_subcommand map" -l phase -d 'The phase, if there are several: phase_1 for phase_1.0.prof and so on' -r
complete -c mpit -n "__fish_mpit_using_subcommand map" -l nodes -d 'The nodes of the next run and the cores of each; with --topology, the number of nodes [default: those of the run, with as many ranks on each]' -r
complete -c mpit -n "__fish_mpit_using_subcommand map" -l topology -d 'The XML file that `lstopo` writes on a node, for its number of cores; for different nodes, a file of each' -r -F
complete -c mpit -n "__fish_mpit_using_subcommand map" -l hosts -d 'The names of the nodes [default: those of the files, or else node0, node1 and so on]' -r
complete -c mpit -n "__fish_mpit_using_subcommand map" -l launcher -d 'The launcher of the next run [default: that of the MPI library that the files name]' -r -f -a "openmpi4\t'mpiexec of Open MPI 4'
openmpi5\t'mpiexec of Open MPI 5'
slurm\t'srun'
hydra\t'mpiexec of MPICH and Intel MPI'
cray\t'The launchers of Cray MPICH'"
complete -c mpit -n "__fish_mpit_using_subcommand map" -l partitioner -d 'The program that divides the ranks' -r -f -a "own\t'The code of mpit'
scotch\t'The program scotch_gmap of Debian\'s package scotch, and refinement by mpit'"
complete -c mpit -n "__fish_mpit_using_subcommand map" -l traffic -d 'The bytes that count' -r -f -a "program\t'Messages, one-sided and collective operations of the program'
external\t'Messages of the program'
internal\t'Messages of the library, by which Open MPI carries out collective operations'
osc\t'One-sided operations'
coll\t'Collective operations, as if each pair of processes exchanged the data directly'"
complete -c mpit -n "__fish_mpit_using_subcommand map" -s o -l output -d 'Write to a file instead of standard output' -r -F
complete -c mpit -n "__fish_mpit_using_subcommand map" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mpit -n "__fish_mpit_using_subcommand map" -s V -l version -d 'Print version'
complete -c mpit -n "__fish_mpit_using_subcommand why" -l user -d 'The user whose jobs they are, by name or number: for root. A process id needs no user' -r
complete -c mpit -n "__fish_mpit_using_subcommand why" -l interval -d 'The time between the two snapshots' -r
complete -c mpit -n "__fish_mpit_using_subcommand why" -s f -l format -d 'The format of the output' -r -f -a "text\t''
json\t''"
complete -c mpit -n "__fish_mpit_using_subcommand why" -l save -d 'Write what was seen to a file instead, or to a file named after this node in a directory, for --from; `-` is standard output' -r -F
complete -c mpit -n "__fish_mpit_using_subcommand why" -l from -d 'Read files of --save, or those in a directory, instead of taking snapshots on this node' -r -F
complete -c mpit -n "__fish_mpit_using_subcommand why" -l nodes -d 'The nodes of the job: those without a part are named' -r
complete -c mpit -n "__fish_mpit_using_subcommand why" -l stack -d 'Also print the stacks of the processes that others wait for, by eu-stack or gdb'
complete -c mpit -n "__fish_mpit_using_subcommand why" -l of-launcher -d 'Take the snapshots as a part of `mpit why -- LAUNCHER`: without a job, write a file as well, and end well, because a launcher may end the processes on other nodes if one fails'
complete -c mpit -n "__fish_mpit_using_subcommand why" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mpit -n "__fish_mpit_using_subcommand why" -s V -l version -d 'Print version'
complete -c mpit -n "__fish_mpit_using_subcommand signal-witness" -s h -l help -d 'Print help'
complete -c mpit -n "__fish_mpit_using_subcommand signal-witness" -s V -l version -d 'Print version'
complete -c mpit -n "__fish_mpit_using_subcommand help; and not __fish_seen_subcommand_from run vars check conform doctor report pack map why signal-witness help" -f -a "run" -d 'Run a command with the preload library'
complete -c mpit -n "__fish_mpit_using_subcommand help; and not __fish_seen_subcommand_from run vars check conform doctor report pack map why signal-witness help" -f -a "vars" -d 'List the variables, events, sources, categories and enumerations that tools can use'
complete -c mpit -n "__fish_mpit_using_subcommand help; and not __fish_seen_subcommand_from run vars check conform doctor report pack map why signal-witness help" -f -a "check" -d 'Check plug-ins and list their faults'
complete -c mpit -n "__fish_mpit_using_subcommand help; and not __fish_seen_subcommand_from run vars check conform doctor report pack map why signal-witness help" -f -a "conform" -d 'Compare the tools interface of an MPI library with the rules of the MPI standard'
complete -c mpit -n "__fish_mpit_using_subcommand help; and not __fish_seen_subcommand_from run vars check conform doctor report pack map why signal-witness help" -f -a "doctor" -d 'Run a command and report the problems that prevent recording'
complete -c mpit -n "__fish_mpit_using_subcommand help; and not __fish_seen_subcommand_from run vars check conform doctor report pack map why signal-witness help" -f -a "report" -d 'Summarize the files of monitoring: messages and bytes between processes'
complete -c mpit -n "__fish_mpit_using_subcommand help; and not __fish_seen_subcommand_from run vars check conform doctor report pack map why signal-witness help" -f -a "pack" -d 'Write the records of runs as tables, which need less space'
complete -c mpit -n "__fish_mpit_using_subcommand help; and not __fish_seen_subcommand_from run vars check conform doctor report pack map why signal-witness help" -f -a "map" -d 'Find a placement of processes with fewer bytes between nodes'
complete -c mpit -n "__fish_mpit_using_subcommand help; and not __fish_seen_subcommand_from run vars check conform doctor report pack map why signal-witness help" -f -a "why" -d 'Say why a job makes no progress'
complete -c mpit -n "__fish_mpit_using_subcommand help; and not __fish_seen_subcommand_from run vars check conform doctor report pack map why signal-witness help" -f -a "signal-witness" -d 'Detects signals to the process group of this program'
complete -c mpit -n "__fish_mpit_using_subcommand help; and not __fish_seen_subcommand_from run vars check conform doctor report pack map why signal-witness help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
