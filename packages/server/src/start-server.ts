import type { Server } from "node:http";
import { serveWebSockets } from "./responses/websocket.ts";
import { createAdaptorServer } from "@hono/node-server";
import type { ConnectionService } from "@capstan/contract";
import { CapstanError, VariableSystem } from "@capstan/core";
import { errorMessage, systemClock } from "@capstan/core/host";
import type { RunQueue } from "./runs/dispatch/run-queue.ts";
import {
  allowedHosts,
  type ApiKey,
  type AppOptions,
  type ApprovalsSetting,
  createApp,
  currentApprovalsFrom,
  defaultApprovalsFrom,
  isLoopback,
} from "./app.ts";
import {
  openMemoryStore,
  openStore,
  type OpenStoreOptions,
  type Retention,
  type RunRef,
  type S3Options,
  type Store,
} from "@capstan/store";
import { watchRetention } from "./runs/watch-retention.ts";
import { type DeadlineWatch, watchDeadlines } from "./runs/deadlines.ts";
import type { AttachmentTools } from "./runs/files/attachment-tools.ts";
import { RunService } from "./runs/run-service.ts";
import { openPairing, pairingLink } from "./http/credentials/pairing.ts";
import { openProgramKeys } from "./http/credentials/program-keys.ts";
import { MemoryBudget } from "./http/memory-budget.ts";
import { openSealer, type RotatableSealer } from "./http/sealing.ts";
import type { DocumentConverter } from "./runs/files/document-text.ts";
import { type DocumentReader, noDocuments } from "./search/document-reader.ts";
import { createEmbedder } from "./search/embed-texts.ts";
import { createToolSearch } from "./tool-search/tool-search.ts";
import { createStoredDocuments, type StoredDocuments } from "./search/stored-documents.ts";
import { createConversationSearch } from "./search/search-conversations.ts";
import { createVectorStores } from "./search/vector-stores.ts";
import { monitorNodes } from "./runs/nodes/monitor-nodes.ts";
import { defaultServerLimits, type ServerLimits } from "./runs/request/run-limits.ts";
import type { Services } from "./http/services.ts";
import { sendWebhooks } from "./webhooks/send-webhooks.ts";
import { subscriptionOf, type WebhookEndpoint } from "./webhooks/webhook-endpoint.ts";

type SharedOptions = Pick<
  Services,
  | "models"
  | "createExecutor"
  | "groups"
  | "groupDefaults"
  | "toolDefaults"
  | "version"
  | "scripts"
  | "providers"
  | "requestServers"
> &
  /** @default no rules, no agents, the history as a log */
  Partial<Pick<Services, "hostedTools" | "passedHeaders">> &
  Partial<Pick<Services, "rules" | "history" | "agents" | "configurationWaits" | "sharing">>;

/**
 * How long an idle connection stays open. Longer than the 60 s after which common load balancers close theirs,
 * so that the server is not the first to close a connection on which a client just sends a request.
 */
const idleConnectionMs = 75_000;

/** The address, keys, models, tools, storage and limits of a server. */
export interface ServerOptions extends SharedOptions {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  readonly dataDir: string;
  /**
   * A PostgreSQL database, `postgres://user:password@host:port/name`, which other nodes can share.
   * @default SQLite in `dataDir`
   */
  readonly databaseUrl?: string;
  /**
   * A Redis, `redis://host:6379/0`, whose queue distributes runs to the nodes of `databaseUrl`.
   * @default each node claims runs from the database
   */
  readonly redisUrl?: string;
  /** The secret that the servers of one database share. @default each has a key of its own */
  readonly secretKey?: string;
  /** The secret before the current one, which is only used to decrypt. */
  readonly previousSecretKey?: string;
  /**
   * If there are none, all callers are the same principal, so the server must listen on loopback.
   */
  readonly apiKeys: readonly ApiKey[];
  /** @default `anyone-until-connected` on loopback without keys, else `people` */
  readonly approvalsFrom?: ApprovalsSetting;
  /** The built page's folder. @default no page */
  readonly webRoot?: string;
  /** Additional host names, apart from loopback and `host`, that requests may be addressed to. */
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  /** The bucket for the bytes of files and images. @default the data directory or the database */
  readonly fileStore?: S3Options | undefined;
  readonly limits?: Partial<ServerLimits>;
  /** Converts documents for models that do not take them. @default documents are not converted */
  readonly documents?: DocumentConverter;
  /** Reads the files of vector stores. @default files of vector stores cannot be indexed */
  readonly documentReader?: DocumentReader;
  /** The model whose vectors searches use, as `provider/model`. @default searches use words only */
  readonly embeddingModel?: string | undefined;
  /** Opens the connections to outside servers, before the first run starts. @default none */
  readonly openConnections?: (given: {
    readonly store: Store;
    readonly sealer: RotatableSealer;
  }) => Promise<ConnectionService>;
  /** Gets the documents that tools can search, before the first run starts. */
  readonly onStoredDocuments?: (documents: StoredDocuments) => void;
  /** The settings of the MCP server that differ from the defaults. */
  readonly mcp?: AppOptions["mcp"];
  /** The services that get messages about changes. @default none */
  readonly webhooks?: readonly WebhookEndpoint[];
  /**
   * The address of the page in messages to other services, without a slash at its end.
   * @default the address that the server listens on
   */
  readonly publicUrl?: string;
  /** The age and number at which stored data is deleted. @default nothing is deleted */
  readonly retention?: Retention;
  /** Hidden tools for files that a model does not take. @default none */
  readonly attachmentTools?: AttachmentTools | undefined;
  /** @default standard error */
  readonly log?: (line: string) => void;
}

/** The runs that a stopped server left behind. */
export interface StopSummary {
  /** Runs that the next server continues. */
  readonly handedBack: number;
  /** Whether runs wait for users or clients, here or at another node. */
  readonly waits: boolean;
}

/** A server that listens: its address, its pairing links, and its shutdown. */
export interface RunningServer {
  readonly url: string;
  /**
   * Returns a link that pairs the browser that opens it. It works once, within 10 minutes. Show it
   * only to the server's user.
   */
  readonly createPairingLink: () => string;
  /**
   * Resolves if the store's writer died, so that nothing more can be stored. Close the server with
   * `graceMs` 0 and start it again: stored runs continue.
   */
  readonly failed: Promise<CapstanError>;
  /**
   * Accepts no new requests, waits for runs to end for `graceMs` (default 5,000), hands back the
   * other runs, and closes the store.
   */
  close(options?: { readonly graceMs?: number }): Promise<StopSummary>;
}

/**
 * Opens the data directory, resumes the unfinished runs, and listens.
 *
 * @throws CapstanError `data_directory_locked`, `address_in_use`, `host_needs_keys`,
 * `duplicate_tool_group`, `invalid_tool_group`, or an error of the store
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port, apiKeys, models, createExecutor } = options;
  const log = options.log ?? ((line: string) => void process.stderr.write(`${line}\n`));
  const open = !isLoopback(host);
  if (open && apiKeys.length === 0) {
    throw new CapstanError({
      code: "host_needs_keys",
      message: `The host ${host} can be reached from other machines, so it needs keys: set CAPSTAN_API_KEYS="name:key", or listen on 127.0.0.1.`,
    });
  }
  // Groups that cannot be registered fail the start instead of each run.
  createExecutor({ variables: new VariableSystem() });
  const limits = { ...defaultServerLimits, ...options.limits };
  const { webhooks = [] } = options;
  const ofStore = { log, files: options.fileStore, webhooks: webhooks.map(subscriptionOf) };
  const store =
    options.databaseUrl === undefined
      ? await openStore({ dataDir: options.dataDir, ...ofStore })
      : await openPostgres(options.databaseUrl, ofStore);
  // Closes the resources of a start that fails before `close` below can close them.
  await using opened = new AsyncDisposableStack();
  opened.defer(() => store.close());
  const memory = openMemoryStore({ behind: store, webhooks: ofStore.webhooks });
  opened.defer(() => memory.close());
  const { embeddingModel, documentReader = noDocuments } = options;
  const embedder =
    embeddingModel === undefined || models.embed === undefined
      ? undefined
      : createEmbedder(embeddingModel, models.embed);
  const { secretKey: secret, previousSecretKey: previousSecret } = options;
  const sealer = openSealer({ folder: options.dataDir, secret, previousSecret });
  const connections = await options.openConnections?.({ store, sealer });
  const runs = new RunService({
    store,
    memory,
    models,
    createExecutor,
    limits,
    documents: options.documents,
    attachmentTools: options.attachmentTools,
    requestServers: options.requestServers,
    toolSearch: createToolSearch({
      ...(embedder && { embed: (texts, signal) => embedder.embed(texts, signal) }),
    }),
    log,
  });
  opened.defer(async () => void (await runs.close(0)));
  const vectorStores = createVectorStores({
    store,
    documents: documentReader,
    ...(embedder && { embedder }),
    clock: systemClock,
    log,
  });
  opened.defer(() => vectorStores.close());
  const conversationSearch = createConversationSearch({ store, documents: documentReader, log });
  opened.defer(() => conversationSearch.close());
  options.onStoredDocuments?.(createStoredDocuments(vectorStores, store));
  const { groups, groupDefaults, toolDefaults, version, scripts, providers, configurationWaits } =
    options;
  const {
    rules = [],
    history = "log",
    agents = {},
    approvalsFrom: setting = defaultApprovalsFrom(options),
  } = options;
  const programKeys = openProgramKeys({ folder: options.dataDir });
  const approvalsFrom = () => currentApprovalsFrom(setting, programKeys);
  const authentication = apiKeys.length > 0;
  const pairing = openPairing({ folder: options.dataDir });
  opened.defer(() => pairing.close());
  const shared = { models, createExecutor, groups, groupDefaults, toolDefaults, version };
  const services = {
    ...shared,
    runs,
    vectorStores,
    conversationSearch,
    rules,
    history,
    agents,
    limits,
    authentication,
    approvalsFrom,
    pairing,
    programKeys,
    sealer,
    ...(connections && { connections }),
    ...(options.requestServers && { requestServers: options.requestServers }),
    ...(options.hostedTools && { hostedTools: options.hostedTools }),
    ...(options.passedHeaders && { passedHeaders: options.passedHeaders }),
    ...(scripts && { scripts }),
    ...(providers && { providers }),
    ...(options.retention && { retention: options.retention }),
    ...(configurationWaits && { configurationWaits }),
    ...(options.sharing === true && { sharing: true }),
  };
  const site = {
    hosts:
      open && options.allowedHosts === undefined
        ? undefined
        : allowedHosts(host, options.allowedHosts ?? []),
    origins: options.allowedOrigins ?? [],
  };
  const budget = new MemoryBudget(limits);
  const { webRoot, mcp } = options;
  const app = createApp({ services, apiKeys, site, log, budget, webRoot, mcp });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  server.keepAliveTimeout = idleConnectionMs;
  const disconnect = serveWebSockets({
    server,
    fetch: app.fetch,
    budget,
    passedHeaders: services.passedHeaders,
    bodyBytes: limits.bodyBytes,
  });
  opened.defer(disconnect);
  const stopWatching: (() => void)[] = [];
  let stopBeating = (): void => {};
  let stopWebhooks = async (): Promise<void> => {};
  let queue: RunQueue | undefined;

  async function close({ graceMs = 5_000 } = {}): Promise<StopSummary> {
    for (const stop of stopWatching) stop();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const queueClosed = queue?.close();
    const indexingEnded = Promise.all([vectorStores.close(), conversationSearch.close()]);
    const handedBack = await runs.close(graceMs);
    const waits = (await store.everySuspendedSince().catch(() => undefined)) !== undefined;
    // Until here this node has runs, so other nodes must see its heartbeats.
    stopBeating();
    // Streams of runs that were handed back never end by themselves.
    server.closeAllConnections();
    disconnect();
    await closed;
    await queueClosed;
    pairing.close();
    await indexingEnded;
    await stopWebhooks();
    await Promise.all([store.close(), memory.close()]);
    return { handedBack, waits };
  }

  opened.move();
  try {
    // Read before clients can start runs, which would look like runs that a crash interrupted.
    const left = await runs.listUnfinished();
    await listen(server, host, port);
    const address = server.address();
    const bound = typeof address === "object" && address !== null ? address.port : port;
    const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
    pairing.announce(bound);
    await store.announce(url);
    // Heartbeats start before recovery, which can take long, so that other nodes do not consider
    // this node dead.
    let checkDeadlines: DeadlineWatch["check"] = async () => {};
    stopBeating = monitorNodes({
      runs,
      log,
      onNodeGone: () => void checkDeadlines(),
      onOtherNode: () => {
        if (options.secretKey === undefined) log(noSharedKey);
      },
    });
    await runs.recover(left);
    const deadlines = { suspendedMs: limits.suspendedMs, clock: systemClock, log };
    const wakeAt = (at: number) => queue?.wakeAt(at) === true;
    const watch = watchDeadlines({ ...deadlines, runs, wakeAt });
    checkDeadlines = watch.check;
    stopWatching.push(watch.stop);
    if (options.redisUrl !== undefined) {
      // Imported here, so that a server without Redis never loads it.
      const { openBullQueue } = await import("./runs/dispatch/bull-queue.ts");
      const { dispatcher } = runs;
      const consumer = {
        hasFreeSlot: () => dispatcher.hasFreeSlot,
        freeSlot: (signal: AbortSignal) => dispatcher.freeSlot(signal),
        claim: (run: RunRef) => dispatcher.onDelivery(run),
        wake: watch.check,
      };
      queue = openBullQueue({ url: options.redisUrl, consumer, log });
      dispatcher.useQueue(queue);
    }
    vectorStores.wake();
    const { retention = {}, publicUrl = url } = options;
    const stores = [store, memory];
    stopWebhooks = sendWebhooks({
      stores,
      endpoints: webhooks,
      link: publicUrl,
      clock: systemClock,
      log,
    });
    stopWatching.push(watchRetention({ runs, retention, clock: systemClock, log }));
    return {
      url,
      createPairingLink: () => pairingLink(url, pairing.createCode().code),
      failed: store.died ?? new Promise(() => {}),
      close,
    };
  } catch (thrown) {
    // A server that did not start must not serve requests or keep the data locked.
    await close({ graceMs: 0 }).catch((also: unknown) =>
      log(`Cannot close the resources that the failed start had opened: ${errorMessage(also)}`),
    );
    throw thrown;
  }
}

/** A server without PostgreSQL never loads its client. */
async function openPostgres(
  connectionString: string,
  more: Pick<OpenStoreOptions, "log" | "files" | "webhooks">,
): Promise<Store> {
  const { openPostgresStore } = await import("@capstan/store/postgres");
  return openPostgresStore({ connectionString, ...more });
}

function listen(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (thrown: NodeJS.ErrnoException) => {
    reject(
      thrown.code === "EADDRINUSE"
        ? new CapstanError({
            code: "address_in_use",
            message: `Port ${port} on ${host} is in use. Choose another with --port, or stop the program that uses it.`,
            cause: thrown,
          })
        : new CapstanError({
            code: "cannot_listen",
            message: `Cannot listen on ${host}:${port}: ${thrown.message}`,
            cause: thrown,
          }),
    );
  });
  server.listen(port, host, resolve);
  return promise;
}

const noSharedKey =
  "warning: another server uses this database, and CAPSTAN_SECRET_KEY is not set. Each server rejects the receipts, summaries and file links of the others, unless they share a data folder. Start all of them with the same CAPSTAN_SECRET_KEY, for example the output of: openssl rand -base64 32";
