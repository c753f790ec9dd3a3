import type { ResolveHost } from "@capstan/sandbox";
import type { CredentialSource } from "../credentials/credential-source.ts";
import type { FindModel } from "../tools/model-tool.ts";
import type { ProgramHost } from "../transport/start-program.ts";

/** The dependencies of the sessions of a connection. */
export interface SessionHost {
  readonly version: string;
  readonly programs: ProgramHost;
  /** The folder with the files of the servers: one subfolder for each connection and owner. */
  readonly homes: string;
  /** The stored credentials. @default none */
  readonly credentials?: CredentialSource;
  /** @default the operating system's resolver */
  readonly resolve?: ResolveHost;
  /** Receives the scopes that a server demands in addition. */
  readonly onScope?: (connection: string, owner: string, scope: string) => Promise<void>;
  /** Finds the models that servers can ask. @default no server can ask a model */
  readonly findModel?: FindModel;
  /** Receives the lines of the servers' standard error, without secrets. */
  readonly log: (line: string) => void;
}
