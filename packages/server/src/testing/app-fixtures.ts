import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PolicyRule, ToolGroup } from "@capstan/core";
import { newId, systemClock } from "@capstan/core/host";
import type { Embedder } from "../search/embed-texts.ts";
import { createConversationSearch } from "../search/search-conversations.ts";
import { createVectorStores } from "../search/vector-stores.ts";
import { plainDocuments } from "./plain-documents.ts";
import { openPairing } from "../http/credentials/pairing.ts";
import { openProgramKeys } from "../http/credentials/program-keys.ts";
import { openSealer } from "../http/sealing.ts";
import { defaultServerLimits, type ServerLimits } from "../runs/request/run-limits.ts";
import type { RunServiceOptions } from "../runs/run-service.ts";
import { createRuns, executorsOf, groupOf, type Setup } from "./run-fixtures.ts";
import { openMemoryStore, type Store } from "@capstan/store";
import { type AppOptions, type ApprovalsSetting, createApp, currentApprovalsFrom } from "../app.ts";
import type { Environment, Services } from "../http/services.ts";

export interface Answer {
  readonly status: number;
  /** The parsed body: members that tests read, if present. */
  readonly body: {
    readonly id: string;
    readonly status: string;
    readonly output: readonly { readonly type: string; readonly id: string }[];
    readonly data: readonly { readonly id: string; readonly run: string }[];
    readonly error: {
      readonly code: string;
      readonly message: string;
      readonly param: string;
    } | null;
  };
}

/** The whole API in this process, as clients call it. */
export interface TestApp {
  readonly services: Services;
  readonly routes: ReturnType<typeof createApp>["routes"];
  readonly fetch: (request: Request, bindings?: Environment["Bindings"]) => Promise<Response>;
  readonly call: (method: string, path: string, body?: object) => Promise<Answer>;
}

/** Creates the whole API over stores in memory, without a socket. */
export function createTestApp(
  setup: Setup & {
    readonly limits?: Partial<ServerLimits>;
    readonly store?: Store;
    readonly memory?: Store;
    /** Groups that are listed, next to that of the tools. */
    readonly groups?: readonly ToolGroup[];
    readonly groupDefaults?: Services["groupDefaults"];
    readonly apiKeys?: AppOptions["apiKeys"];
    readonly pairing?: Services["pairing"];
    /** @default "people" with keys, else "anyone" */
    readonly approvalsFrom?: ApprovalsSetting;
    readonly programKeys?: Services["programKeys"];
    readonly rules?: readonly PolicyRule[];
    readonly agents?: Services["agents"];
    /** Ids of further models, besides the setup's own. @default every id names the setup's model */
    readonly modelIds?: readonly string[];
    readonly scripts?: Services["scripts"];
    readonly providers?: Services["providers"];
    readonly connections?: Services["connections"];
    readonly hostedTools?: Services["hostedTools"];
    readonly passedHeaders?: Services["passedHeaders"];
    readonly sharing?: boolean;
    readonly attachmentTools?: RunServiceOptions["attachmentTools"];
    /** Options of each executor, for example `toolSettings`. */
    readonly executor?: Setup["executor"];
    readonly log?: AppOptions["log"];
    readonly documents?: RunServiceOptions["documents"];
    readonly budget?: AppOptions["budget"];
    readonly mcp?: AppOptions["mcp"];
    /** The host names that requests can be addressed to. @default any */
    readonly hosts?: AppOptions["site"]["hosts"];
    /** The embedding model of vector stores. @default none */
    readonly embedder?: Embedder;
  },
): TestApp {
  const { model, tools = [] } = setup;
  const limits = { ...defaultServerLimits, ...setup.limits };
  const entry = { id: model.id, title: "", owner: "", reason: "" };
  const { store = openMemoryStore() } = setup;
  const { memory = openMemoryStore({ behind: store }) } = setup;
  const { executor, documents, attachmentTools } = setup;
  const runs = createRuns({
    model,
    tools,
    limits,
    store,
    memory,
    documents,
    attachmentTools,
    ...(executor && { executor }),
  });
  const vectorStores = createVectorStores({
    store,
    documents: plainDocuments,
    embedder: setup.embedder,
    clock: systemClock,
    log: setup.log ?? (() => {}),
  });
  const {
    approvalsFrom = setup.apiKeys === undefined ? "anyone" : "people",
    programKeys = openProgramKeys({ folder: join(tmpdir(), newId("capstan-test-")) }),
  } = setup;
  const services: Services = {
    runs,
    vectorStores,
    conversationSearch: createConversationSearch({
      store,
      documents: plainDocuments,
      log: setup.log ?? (() => {}),
    }),
    models: {
      default: entry,
      list: async () => [entry],
      find: async (id) =>
        setup.modelIds === undefined || [model.id, ...setup.modelIds].includes(id)
          ? model
          : undefined,
    },
    groups: () => [groupOf(tools), ...(setup.groups ?? [])],
    groupDefaults: setup.groupDefaults ?? {},
    toolDefaults: {},
    rules: setup.rules ?? [],
    agents: setup.agents ?? {},
    ...(setup.scripts && { scripts: setup.scripts }),
    ...(setup.providers && { providers: setup.providers }),
    ...(setup.connections && { connections: setup.connections }),
    ...(setup.hostedTools && { hostedTools: setup.hostedTools }),
    ...(setup.passedHeaders && { passedHeaders: setup.passedHeaders }),
    ...(setup.sharing === true && { sharing: true }),
    createExecutor: executorsOf(tools, undefined, executor),
    history: "log",
    limits,
    version: "0",
    authentication: false,
    // Nothing is written there before a browser is paired.
    pairing: setup.pairing ?? openPairing({ folder: join(tmpdir(), newId("capstan-test-")) }),
    sealer: openSealer({ folder: join(tmpdir(), newId("capstan-test-")) }),
    programKeys,
    approvalsFrom: () => currentApprovalsFrom(approvalsFrom, programKeys),
  };
  const app = createApp({
    services,
    apiKeys: setup.apiKeys ?? [],
    site: { hosts: setup.hosts, origins: [] },
    log: setup.log ?? (() => {}),
    ...(setup.budget && { budget: setup.budget }),
    mcp: setup.mcp,
  });
  const fetch: TestApp["fetch"] = async (request, bindings) => app.fetch(request, bindings);
  return {
    services,
    routes: app.routes,
    fetch,
    async call(method, path, body) {
      const response = await fetch(requestTo(method, path, body));
      return { status: response.status, body: (await response.json()) as Answer["body"] };
    },
  };
}

export function requestTo(
  method: string,
  path: string,
  body?: object,
  signal?: AbortSignal,
): Request {
  return new Request(`http://127.0.0.1${path}`, {
    method,
    ...(body !== undefined && {
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    }),
    ...(signal !== undefined && { signal }),
  });
}

/** The toy tools' group, as a request declares it. */
export const toyTools = [{ type: "mcp", server_label: "g", server_url: "capstan://groups/g" }];
