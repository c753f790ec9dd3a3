import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readScriptName, templates } from "@capstan/scripts";
import { CommandFailure, type Invocation } from "../../arguments/command.ts";
import { argumentTexts } from "../../texts/arguments.ts";
import { readConfiguration } from "../shared/read-configuration.ts";
import { onlyOperand } from "./find-files.ts";
import { scriptTexts } from "../../texts/scripts.ts";

const texts = scriptTexts.create;

/** Writes a small working file into the first of the configuration's folders. */
export async function createScript(invocation: Invocation): Promise<number> {
  const name = onlyOperand(invocation, argumentTexts.operand.name, "new weather");
  const { scripts } = await readConfiguration(invocation.values);
  const [folder] = scripts.folders;
  if (folder === undefined) throw new CommandFailure(texts.noFolder, 2);
  const named = readScriptName(name);
  if (named.status === "refused") throw new CommandFailure(named.message, 2);
  const file = `${named.stem}.${named.kind}`;
  const path = join(folder, file);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(path, templates[named.kind](named.stem), { flag: "wx" });
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    const message =
      code === "EEXIST" ? texts.exists(path) : texts.notWritable(path, code ?? "error");
    throw new CommandFailure(message, 1);
  }
  process.stdout.write(`${path}\n${texts.next(file)}\n`);
  return 0;
}
