import type { ScriptApprovalBook } from "../approve/script-approvals.ts";
import type { ScriptValueView } from "@capstan/contract";
import type { ToolLibrary } from "../library/tool-library.ts";
import type { ScriptVersions } from "../read/script-versions.ts";
import type { ScriptValues } from "../values/script-values.ts";
import type { languageParsers } from "../read/language-parsers.ts";

/** The scripts of an installation: its library, approvals, parsers and stored versions. */
export interface ScriptServices {
  readonly library: ToolLibrary;
  readonly approvals: ScriptApprovalBook;
  readonly parsers: ReturnType<typeof languageParsers>;
  /** Copies of the versions that are in use or approved. */
  readonly versions: ScriptVersions;
  /** The environment values that administrators set. */
  readonly values: ScriptValues;
  /** Returns the stored and the declared values, without their contents. */
  readonly listValues: () => readonly ScriptValueView[];
  close(): Promise<void>;
}
