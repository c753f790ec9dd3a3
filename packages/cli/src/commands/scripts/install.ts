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
import { scriptTexts } from "../../texts/scripts.ts";

const texts = scriptTexts.install;

/** Installs the packages that a plugin requires, and prints the progress. */
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
  if (problem !== undefined) printNotice(texts.noSandbox(problem.message));
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
    printNotice(resultText(outcome));
    return outcome.status === "failed" ? 1 : 0;
  } catch (thrown) {
    if (!stop.signal.aborted) throw thrown;
    printNotice(texts.stopped);
    return 1;
  }
}

function resultText(outcome: InstallOutcome): string {
  switch (outcome.status) {
    case "none_needed":
      return texts.noneNeeded;
    case "installed":
      return texts.installed(outcome.folder);
    case "installed_before":
      return texts.installedBefore(outcome.folder);
    case "failed":
      return outcome.message;
    default:
      return outcome satisfies never;
  }
}
