import type { Catalogue } from "../catalogue/catalogue.ts";
import { approvals } from "./approvals.ts";
import { calls } from "./calls.ts";
import { chat } from "./chat.ts";
import { connections } from "./connections.ts";
import { conversations } from "./conversations.ts";
import { errors } from "./errors.ts";
import { exports } from "./exports.ts";
import { imports } from "./imports.ts";
import { inbox } from "./inbox.ts";
import { rules } from "./rules.ts";
import { scripts } from "./scripts.ts";
import { settings } from "./settings.ts";
import { sharing } from "./sharing.ts";
import { shell } from "./shell.ts";
import { shortcuts } from "./shortcuts.ts";
import { time } from "./time.ts";
import { variables } from "./variables.ts";

/** The texts of the page in Japanese. */
export const japanese: Catalogue = {
  approvals,
  calls,
  chat,
  connections,
  conversations,
  errors,
  exports,
  imports,
  inbox,
  rules,
  scripts,
  settings,
  sharing,
  shell,
  shortcuts,
  time,
  variables,
};
