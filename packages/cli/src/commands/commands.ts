import type { Command, CommandGroup } from "../arguments/command.ts";
import { chatCommand } from "./chat.ts";
import { dbCommand } from "./db.ts";
import { doctorCommand } from "./doctor.ts";
import { outcomesCommand } from "./outcomes.ts";
import { rulesCommand } from "./rules.ts";
import { scriptsCommand } from "./scripts/scripts.ts";
import { serveCommand } from "./serve.ts";
import { toolsCommand } from "./tools.ts";

/** In the order of the help. */
export const commands: readonly (Command | CommandGroup)[] = [
  serveCommand,
  chatCommand,
  toolsCommand,
  rulesCommand,
  outcomesCommand,
  scriptsCommand,
  doctorCommand,
  dbCommand,
];
