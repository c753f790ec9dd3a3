import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";

/**
 * Reads the ids of processes, `+ID` when one starts and `-ID` when it has ended, until the server
 * ends, and then kills those that are left.
 */
const watchScript = `
ids=" "
while read -r sign id; do
  case $sign in
    +) ids="$ids$id " ;;
    -) case $ids in *" $id "*) ids="\${ids%% $id *} \${ids#* $id }" ;; esac ;;
  esac
done
for id in $ids; do kill -KILL "$id" 2>/dev/null; done`;

let watcher: ChildProcess | undefined;

/**
 * Ends a process when this process ends, also if it is killed. A process that computes without end
 * would otherwise not notice that its parent is gone.
 */
export function endWithServer(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || process.platform === "win32") return;
  watcher ??= startWatcher();
  const { stdin } = watcher;
  stdin?.write(`+ ${pid}\n`);
  child.once("exit", () => stdin?.write(`- ${pid}\n`));
}

function startWatcher(): ChildProcess {
  // In a group of its own, so that a signal for the group of the server does not end it first.
  const started = spawn("/bin/sh", ["-c", watchScript], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: {},
    cwd: "/",
  });
  const forget = () => {
    if (watcher === started) watcher = undefined;
  };
  started.on("error", forget);
  started.once("exit", forget);
  started.stdin.on("error", forget);
  started.unref();
  (started.stdin as Socket).unref();
  return started;
}
