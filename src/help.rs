//! Examples, exit status and files of each command, as `--help` and the man pages show them.

use clap::Command;

/// Version of the program.
pub const VERSION: &str = env!("KAESHI_VERSION");

/// Heading of the examples in `--help`.
pub const EXAMPLES: &str = "Examples:";
/// Heading of the exit status in `--help`.
pub const EXIT_STATUS: &str = "Exit status:";

/// What all commands mean by their exit status.
pub const STATUSES: [(&str, &str); 4] = [
    ("0", "done, also where the reader of standard output went away early"),
    ("1", "done, but something that was read, checked or analysed is wrong"),
    ("2", "an error: the command line, a file, an engine, or a full disk"),
    ("130", "stopped by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP"),
];

/// What a signal does to a command.
pub const SIGNALS: &str = "\
After the first signal, a command has 10 seconds to finish what it does; it saves its state and prints \
the command that resumes. A second signal ends it at once.";

/// A text with what it means.
pub type Explained = (&'static str, &'static str);

/// What help and man page of one command add to its options.
#[derive(Clone, Copy, Debug)]
pub struct CommandHelp {
    /// Names of the command and the subcommand; empty for `kaeshi` itself.
    pub path: &'static str,
    /// Command lines, and what they do.
    pub examples: &'static [Explained],
    /// Files that it reads or writes without being given their names, and files beside those that it is given.
    pub files: &'static [Explained],
}

const ROSTER: [Explained; 2] = [
    ("engines.toml", "engines by name, in the working directory"),
    ("~/.config/kaeshi/engines.toml", "the user's engines; %APPDATA%\\kaeshi\\engines.toml on Windows"),
];

/// One entry for each command.
pub const COMMANDS: &[CommandHelp] = &[
    CommandHelp {
        path: "",
        examples: &[
            ("kaeshi", "speak USI, UGI, UCI, GTP or NBoard, as a GUI expects; type `help` for the commands"),
            ("kaeshi --game reversi --option Threads=4", "the same for Reversi, with four search threads"),
            ("kaeshi play", "open a board in the browser"),
        ],
        files: &[
            ("engine_options.txt", "defaults of options, beside the program"),
            ROSTER[0],
            ROSTER[1],
            ("io_log.txt", "the log that the option WriteDebugLog writes"),
        ],
    },
    CommandHelp {
        path: "play",
        examples: &[
            ("kaeshi play --game sygo --size 7 --level 3", "play Sygo on 7x7 in the browser"),
            ("kaeshi play --listen 0.0.0.0", "answer other machines of the network, for instance a phone"),
            (
                "kaeshi play --terminal --record game.kif",
                "play shogi in the terminal and keep the game in a file",
            ),
        ],
        files: &[
            (
                "~/.local/share/kaeshi/games",
                "the games, unless --games names another folder; the user's data folder on other systems",
            ),
            ("FILE.before", "what the form of --record FILE cannot keep of the file that was there"),
        ],
    },
    CommandHelp {
        path: "perft",
        examples: &[("kaeshi perft 4 --game shogi", "count the lines of 4 plies from the start position")],
        files: &[],
    },
    CommandHelp {
        path: "bench",
        examples: &[("kaeshi bench", "print the node counts that identify the play of this build")],
        files: &[],
    },
    CommandHelp {
        path: "bench ideas",
        examples: &[(
            "kaeshi bench ideas --game reversi",
            "count the nodes that each idea of the article saves in Reversi",
        )],
        files: &[],
    },
    CommandHelp {
        path: "bench cache",
        examples: &[(
            "kaeshi bench cache --game reversi",
            "measure what the cache of the article gives in Reversi",
        )],
        files: &[],
    },
    CommandHelp {
        path: "match",
        examples: &[
            (
                "kaeshi match kaeshi ./other --game shogi --tc 10+0.1 --games 100 --concurrency 4 --out first",
                "play 50 pairs of games, 10 s a game and 0.1 s more for each move, four games at once",
            ),
            (
                "kaeshi match ./new ./old --game shogi --nodes 20000 --games 4000 --sprt elo0=0 elo1=5",
                "stop as soon as it is decided whether the new version gains 5 Elo or nothing",
            ),
            ("kaeshi match --resume first", "resume an interrupted match"),
        ],
        files: &[
            ("matches/DATE-ENGINES", "the folder of the match, unless --out names another one"),
            ("OUT/journal.jsonl", "every game and move; all tables are computed from it"),
            ("OUT/match.json", "what was asked, for --resume"),
            ("OUT/records, OUT/logs", "game records, and dialogues with the engines"),
            ROSTER[0],
            ROSTER[1],
        ],
    },
    CommandHelp {
        path: "match stats",
        examples: &[
            ("kaeshi match stats first", "show the tables of a match, also while it runs"),
            ("kaeshi match stats first --report report.html", "write a report for the browser as well"),
        ],
        files: &[("journal.jsonl", "the journal that is read in the folder of a match")],
    },
    CommandHelp {
        path: "match simulate",
        examples: &[(
            "kaeshi match simulate --sprt elo0=0 elo1=5",
            "how many games the test needs, and how often it errs",
        )],
        files: &[],
    },
    CommandHelp {
        path: "live",
        examples: &[("kaeshi live first", "watch the match in this folder in the browser")],
        files: &[("journal.jsonl", "the journal that is read in the folder of a match")],
    },
    CommandHelp {
        path: "analyse",
        examples: &[
            (
                "kaeshi analyse --movetime 2s game.kif --annotate comments --report game.html",
                "think 2 s about each position; write a commented record and a page",
            ),
            (
                "kaeshi analyse --nodes 50000 games/ -o games.jsonl --resume --store games.db",
                "analyse a folder; run the same command to resume",
            ),
            ("kaeshi analyse --mate 5s tsume.sfen", "search mates only"),
            ("kaeshi analyse --serve --nodes 20000", "answer JSON requests from stdin"),
        ],
        files: &[],
    },
    CommandHelp {
        path: "analyse merge",
        examples: &[(
            "kaeshi analyse merge s1.jsonl s2.jsonl -o all.jsonl",
            "put the outputs of --shard together",
        )],
        files: &[],
    },
    CommandHelp {
        path: "book",
        examples: &[
            (
                "kaeshi book --game shogi --out book.db --positions 500",
                "search a book from the start position",
            ),
            ("kaeshi book --game shogi --out book.db --games records/", "count the moves of recorded games"),
            ("kaeshi book --game shogi --out book.db --from book.bin", "convert Apery's book to YaneuraOu's"),
        ],
        files: &[],
    },
    CommandHelp {
        path: "check",
        examples: &[
            ("kaeshi check ./engine", "find out its protocol, and check it with shogi"),
            (
                "kaeshi check ./engine --game reversi --protocol gtp --output json",
                "print the findings as JSON",
            ),
        ],
        files: &ROSTER,
    },
    CommandHelp {
        path: "csa",
        examples: &[(
            "kaeshi csa wdoor.c.u-tokyo.ac.jp --name kaeshi-test --password-file password --games 3",
            "play three games on floodgate",
        )],
        files: &[
            ("records", "the records of the games, unless --records names another folder"),
            ROSTER[0],
            ROSTER[1],
        ],
    },
    CommandHelp {
        path: "engines",
        examples: &[
            ("kaeshi engines", "list the engines, and which of them are installed"),
            ("kaeshi engines --show edax", "print one entry as TOML, to paste into engines.toml"),
        ],
        files: &ROSTER,
    },
    CommandHelp {
        path: "openings",
        examples: &[(
            "kaeshi openings --game reversi --plies 8 --count 500 --engine kaeshi --window 200",
            "print 500 openings that Kaeshi finds balanced to 2 discs",
        )],
        files: &ROSTER,
    },
    CommandHelp {
        path: "solve",
        examples: &[
            (
                "kaeshi solve --game reversi --hash 1024 endgames.obf",
                "solve endgames, and compare known scores",
            ),
            ("kaeshi solve --game shogi tsume.sfen", "solve mate problems"),
            (
                "kaeshi solve --game shogi --make-problems problems.txt games.usi",
                "look for problems in games",
            ),
        ],
        files: &[],
    },
    CommandHelp {
        path: "selfplay",
        examples: &[
            (
                "kaeshi selfplay --game shogi --games 10000 --threads 8 --out games",
                "play games for `kaeshi train`; run the same command to resume",
            ),
            ("kaeshi selfplay --game sygo --size 9 --games 1000 --out games9", "the same for Sygo on 9x9"),
        ],
        files: &[],
    },
    CommandHelp {
        path: "selfplay stats",
        examples: &[
            ("kaeshi selfplay stats games", "count games, results and positions"),
            (
                "kaeshi selfplay stats --game sygo games9",
                "who wins, when growth begins, which groups live: what games of Sygo show",
            ),
        ],
        files: &[],
    },
    CommandHelp {
        path: "data",
        examples: &[
            (
                "kaeshi data convert positions.psv --out positions.hcpe",
                "convert YaneuraOu's positions to Apery's",
            ),
            ("kaeshi data shuffle a.psv b.psv --out all.psv --seed 7", "shuffle the positions of two files"),
            (
                "kaeshi data rescore games --sample 20000 --nodes 60000 --out searched.psv",
                "search 20,000 positions of the games again",
            ),
            (
                "kaeshi data errors searched.psv --evaluation embedded --evaluation new.bin",
                "compare two evaluations on them",
            ),
        ],
        files: &[],
    },
    CommandHelp {
        path: "train",
        examples: &[
            (
                "kaeshi train --game reversi games --out weights.bin",
                "fit the evaluation to the games of selfplay",
            ),
            (
                "kaeshi train --game shogi games --out network.bin --epochs 10 --threads 8",
                "train a network of shogi",
            ),
        ],
        files: &[("OUT.state", "the state to resume from, where training can be interrupted")],
    },
    CommandHelp {
        path: "tune",
        examples: &[
            (
                "kaeshi tune --game shogi --pairs 5000 --threads 8 --out search.toml",
                "tune Kaeshi's own search",
            ),
            (
                "kaeshi tune --engine ./mine --param Margin=120,0,400,20 --config match.toml --out mine.toml",
                "tune a declared option of any engine, with the match settings of a file",
            ),
        ],
        files: &[("OUT.state", "the state to resume from"), ROSTER[0], ROSTER[1]],
    },
    CommandHelp {
        path: "cluster",
        examples: &[
            ("kaeshi cluster worker --server nats://host:4222", "let this machine do parts of the jobs"),
            ("kaeshi cluster submit night analyse --nodes 50000 games/", "hand in an analysis"),
            ("kaeshi cluster collect night -o night.jsonl", "put its results together"),
        ],
        files: &[
            ("~/.config/nats/context", "contexts of the nats tool, for --context"),
            ("workers.toml", "what a worker may run besides its own program and the roster"),
            ROSTER[0],
            ROSTER[1],
        ],
    },
    CommandHelp {
        path: "cluster submit",
        examples: &[
            ("kaeshi cluster submit night analyse --nodes 50000 games/", "analyse a folder"),
            (
                "kaeshi cluster submit test --part 5 match kaeshi kaeshi-level-5 --game shogi --nodes 20000",
                "play a match in parts of five pairs",
            ),
        ],
        files: &ROSTER,
    },
    CommandHelp {
        path: "cluster worker",
        examples: &[(
            "kaeshi cluster worker --jobs 8 --idle-exit 600",
            "do eight parts at once; end after 10 idle minutes",
        )],
        files: &[
            ("workers.toml", "what may be run besides this program and the roster"),
            ROSTER[0],
            ROSTER[1],
        ],
    },
    CommandHelp {
        path: "cluster status",
        examples: &[("kaeshi cluster status night", "show one job with its failed parts")],
        files: &[],
    },
    CommandHelp {
        path: "cluster collect",
        examples: &[(
            "kaeshi cluster collect night -o night.jsonl",
            "wait for all parts, and put them together",
        )],
        files: &[],
    },
    CommandHelp {
        path: "cluster page",
        examples: &[("kaeshi cluster page --no-open", "print the address of a page that shows the pool")],
        files: &[],
    },
    CommandHelp {
        path: "cluster metrics",
        examples: &[("kaeshi cluster metrics --port 9100", "serve /metrics for Prometheus")],
        files: &[],
    },
    CommandHelp {
        path: "cluster pardon",
        examples: &[("kaeshi cluster pardon worker-7", "let this worker out of quarantine")],
        files: &[],
    },
    CommandHelp {
        path: "cluster trust",
        examples: &[(
            "kaeshi cluster trust worker-7",
            "accept its results without having the first ten parts repeated",
        )],
        files: &[],
    },
    CommandHelp {
        path: "cluster remove",
        examples: &[("kaeshi cluster remove night", "take a job back and forget its results")],
        files: &[],
    },
];

/// The entry of a command; `None` if it has none.
pub fn of(path: &str) -> Option<&'static CommandHelp> {
    COMMANDS.iter().find(|help| help.path == path)
}

/// The path of a subcommand.
pub fn below(path: &str, name: &str) -> String {
    [path, name].join(" ").trim_start().to_owned()
}

/// The command with examples and exit status behind its options, and all its subcommands so.
pub fn explained(command: Command) -> Command {
    with_path(command, "")
}

fn with_path(mut command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    for name in names {
        let path = below(path, &name);
        command = command.mut_subcommand(name, |inner| with_path(inner, &path));
    }
    match of(path) {
        Some(help) => {
            let text = after_help(&command, help);
            command.after_long_help(text)
        }
        None => command,
    }
}

fn after_help(command: &Command, help: &CommandHelp) -> String {
    let style = command.get_styles().get_header();
    let examples: String =
        help.examples.iter().map(|(line, what)| format!("\n  {line}\n      {what}")).collect();
    let statuses: String = STATUSES.iter().map(|(status, what)| format!("\n  {status:<4} {what}")).collect();
    format!("{style}{EXAMPLES}{style:#}{examples}\n\n{style}{EXIT_STATUS}{style:#}{statuses}\n\n{SIGNALS}")
}
