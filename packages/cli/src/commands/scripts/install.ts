import { join } from "node:path";
import { findPythonInstallation, findSandbox } from "@capstan/sandbox";
import {
  findPython,
  installEnvironment,
  type InstallOutcome,
  pythonEnvironments,
} from "@capstan/scripts";
import { CommandFailure, type Invocation, printNotice } from "../../arguments/command.ts";
import { problemLines } from "../../install/check-tools.ts";
import { printable } from "../../terminal/printable.ts";
import { argumentTexts } from "../../texts/arguments.ts";
import { readConfiguration } from "../shared/read-configuration.ts";
import { stopSignal } from "../shared/stop-signal.ts";
import { findApprovable, onlyOperand } from "./find-files.ts";

/** Installs what a plugin requires, and says how it goes. */
export async function installScript(invocation: Invocation): Promise<number> {
  const path = onlyOperand(invocation, argumentTexts.operand.pluginFolder, "install maps");
  const configuration = await readConfiguration(invocation.values);
  const found = await findApprovable(path, configuration.scripts);
  if (found.status === "refused") {
    for (const line of problemLines(found.problems, process.cwd())) printNotice(line);
    return 1;
  }
  const python = await findPython({ interpreter: configuration.scripts.python });
  if (python.status === "missing") throw new CommandFailure(python.message, 1);
  const { sandbox, problem } = await findSandbox();
  if (problem !== undefined)
    printNotice(
      `Code of packages runs without a sandbox during the installation: ${problem.message}`,
    );
  const stop = new AbortController();
  void stopSignal().then((signal) => stop.abort(new Error(`${signal} came`)));
  try {
    const outcome = await installEnvironment({
      script: found.script,
      python: await findPythonInstallation(python.executable),
      environments: pythonEnvironments(join(configuration.dataDir, "scripts", "environments")),
      sandbox,
      environment: process.env,
      hidden: [configuration.dataDir],
      onOutput: (text) => void process.stderr.write(printable(text)),
      signal: stop.signal,
    });
    printNotice(wordsFor(outcome));
    return outcome.status === "failed" ? 1 : 0;
  } catch (thrown) {
    if (!stop.signal.aborted) throw thrown;
    printNotice("Stopped: nothing was installed.");
    return 1;
  }
}

function wordsFor(outcome: InstallOutcome): string {
  switch (outcome.status) {
    case "none_needed":
      return "It requires no packages: a plugin folder names them in its requirements.txt.";
    case "installed":
      return `Installed in ${outcome.folder}`;
    case "installed_before":
      return `It was installed before, in ${outcome.folder}`;
    case "failed":
      return outcome.message;
    default:
      return outcome satisfies never;
  }
}
