import type { Context } from "hono";
import type { Pairing } from "./credentials/pairing.ts";
import type { ProgramKeys } from "./credentials/program-keys.ts";
import type { Sealer } from "./sealing.ts";
import type { Retention } from "@capstan/store";
import type { HistoryMode, PolicyRule, ToolGroup } from "@capstan/core";
import type { ModelCatalog } from "@capstan/core/host";
import type { ConversationSearch } from "../search/search-conversations.ts";
import type { VectorStores } from "../search/vector-stores.ts";
import type { RunService } from "../runs/run-service.ts";
import type { Agents } from "../runs/request/agent.ts";
import type { ServerLimits } from "../runs/request/run-limits.ts";
import type { CreateExecutor } from "../runs/active/launch.ts";
import type {
  ConnectionService,
  ApprovalsFrom,
  ProviderSettings,
  RequestServers,
  Right,
  ScriptAuthoring,
} from "@capstan/contract";

/** Browsers send cookies to all ports of a host, so each server uses its own cookie name. */
export function sessionCookie({ req }: Pick<Context, "req">): string {
  const port = /:(\d+)$/.exec(req.header("host") ?? "")?.[1];
  return port === undefined ? "capstan_session" : `capstan_session_${port}`;
}

/**
 * The tools that the configuration binds to hosted types, by type: `{ web_search: "search.Web" }`. A
 * request that declares the type offers the tool.
 */
export interface HostedTools {
  readonly [type: string]: string;
}

/** The local user: any caller of a server without keys, and every paired browser and terminal. */
export const localPrincipal = "local";

/** The services that every route receives. */
export interface Services {
  /** Stored runs, and runs with `store: false`, which are in memory and cannot be retrieved. */
  readonly runs: RunService;
  readonly models: ModelCatalog;
  readonly vectorStores: VectorStores;
  readonly conversationSearch: ConversationSearch;
  /** Returns the current groups, because tool files can be added and removed. */
  readonly groups: () => readonly ToolGroup[];
  readonly groupDefaults: { readonly [group: string]: boolean };
  readonly toolDefaults: { readonly [toolId: string]: boolean };
  /**
   * The administrator's rules, which `createExecutor` gives to each executor. Routes report which
   * user rules they override.
   */
  readonly rules: readonly PolicyRule[];
  readonly createExecutor: CreateExecutor;
  readonly limits: ServerLimits;
  /** The default form in which a model reads earlier turns. */
  readonly history: HistoryMode;
  /** The tool files. @default no tool files */
  readonly scripts?: ScriptAuthoring;
  /** When stored data is deleted. @default nothing is deleted */
  readonly retention?: Retention;
  /** Stores providers of models. @default only the environment configures them */
  readonly providers?: ProviderSettings;
  /** The connections to outside servers. @default none */
  readonly connections?: ConnectionService;
  /** Connects to the MCP servers that requests name. @default requests cannot name servers */
  readonly requestServers?: RequestServers;
  /** The tools that are bound to hosted types, such as `web_search`. @default none */
  readonly hostedTools?: HostedTools;
  /** Names of the request headers that tools get, in lower case. @default none */
  readonly passedHeaders?: readonly string[];
  /** The agents of the configuration, by name. */
  readonly agents: Agents;
  readonly version: string;
  readonly authentication: boolean;
  /** Returns the callers who may approve. Can change when a program is connected. */
  readonly approvalsFrom: () => ApprovalsFrom;
  /** Whether a changed settings file waits until a user accepts it. @default never */
  readonly configurationWaits?: () => Promise<boolean>;
  /** Whether users can share conversations by links. @default false */
  readonly sharing?: boolean;
  readonly pairing: Pairing;
  readonly programKeys: ProgramKeys;
  readonly sealer: Sealer;
}

/** The state of one WebSocket connection. Each request of the connection has access to it. */
export interface Connection {
  /** The caller of the connection's last authenticated request. */
  principal?: string;
  /** Ids of responses with `store: false` that the connection can continue. */
  readonly passing: Set<string>;
}

/** Hono's variables: the caller and its rights; and the connection of requests that have one. */
export interface Environment {
  readonly Bindings: { readonly connection?: Connection };
  readonly Variables: {
    readonly principal: string;
    /**
     * The owners whose data a list contains: the principal and, if this is the user who runs the
     * server, the connected programs.
     */
    readonly owners: readonly [string, ...string[]];
    /** Whether the caller is the user who runs the server, and sees what programs do. */
    readonly seesPrograms: boolean;
    readonly rights: readonly Right[];
    /** The agent of requests without a model, if the caller's key has one. */
    readonly defaultAgent: string | undefined;
  };
}
