import type { ScriptServices } from "@capstan/scripts";
import { CommandFailure, type Invocation, printJson } from "../../arguments/command.ts";
import { openScripts } from "../../install/open-scripts.ts";
import { printableLine } from "../../terminal/printable.ts";
import { scriptTexts } from "../../texts/scripts.ts";
import { readSecret } from "../shared/read-secret.ts";
import { readConfiguration } from "../shared/read-configuration.ts";

const texts = scriptTexts.environment;

/** Lists, sets and removes the environment values of scripts. No output contains a value. */
export async function scriptEnvironment({ values, positionals }: Invocation): Promise<number> {
  const [verb, name, ...more] = positionals;
  const isKnown = verb === undefined || (name !== undefined && /^(set|remove)$/.test(verb));
  if (!isKnown || more.length > 0) throw new CommandFailure(texts.usage, 2);
  const configuration = await readConfiguration(values);
  const scripts = await openScripts({ configuration, reserved: [], watch: false });
  try {
    if (name === undefined) return list(scripts, values["json"] === true);
    if (verb === "remove") {
      if (!scripts.values.remove(name)) throw new CommandFailure(texts.unknown(name), 1);
      process.stdout.write(`${texts.removed(name)}\n`);
      return 0;
    }
    const problem = scripts.values.set(name, await readSecret(texts.ask(name)));
    if (problem !== undefined) throw new CommandFailure(`${problem.field}: ${problem.message}`, 2);
    process.stdout.write(`${texts.set(name)}\n`);
    return 0;
  } finally {
    await scripts.close();
  }
}

function list(scripts: Pick<ScriptServices, "listValues">, isJson: boolean): number {
  const listed = scripts.listValues();
  if (isJson) printJson(listed);
  else if (listed.length === 0) process.stdout.write(`${texts.none}\n`);
  for (const { name, source, scripts: users } of isJson ? [] : listed)
    process.stdout.write(
      `${printableLine(`${name}  ${texts.sources[source]}${texts.usedBy(users.join(", "))}`)}\n`,
    );
  return 0;
}
