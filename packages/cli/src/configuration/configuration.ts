import type { Right } from "@capstan/contract";
import type { HistoryMode, PolicyRule } from "@capstan/core";
import type { SettingsByTool, TokenPrices } from "@capstan/core/host";
import type {
  Agents,
  ApprovalsSetting,
  AttachmentTools,
  HostedTools,
  McpOptions,
  WebhookEndpoint,
} from "@capstan/server";
import type { Retention, S3Options } from "@capstan/store";
import type { KnowledgeToolsOptions, WebSearchOptions } from "@capstan/toolkit";
import type { RequestServerSettings } from "@capstan/connections";
import type { ConfiguredConnection } from "./connection-settings.ts";
import type { MediaServices } from "./media-services.ts";
import type { Settings } from "./settings-schema.ts";

/** A key to the server: a name and a secret, which is never printed. */
export interface ApiKey {
  readonly name: string;
  readonly key: string;
  readonly rights: readonly Right[];
  /** The default agent, for requests without a model. */
  readonly agent?: string;
}

/** Limits that an administrator can change. `docs/guides/configuration.md` describes them. */
export type ConfiguredLimits = NonNullable<Settings["limits"]>;

/** The settings of an installation, validated, with paths made absolute. Plain data. */
export interface Configuration {
  /** @default 8787; 0 takes any free one */
  readonly port: number;
  /** @default "127.0.0.1" */
  readonly host: string;
  /** The data directory, with the conversations. @default ".capstan" in the working directory */
  readonly dataDir: string;
  /**
   * The folder of the accepted configuration: the data directory without the settings file's
   * value. The file must not choose the version that it is compared with.
   */
  readonly acceptedDir: string;
  /**
   * The address of a PostgreSQL database that stores the data instead. Never printed, because it
   * can contain a password.
   */
  readonly databaseUrl?: string;
  /**
   * The address of a Redis that distributes runs to the servers of that database. Never printed
   * either.
   */
  readonly redisUrl?: string;
  /** The secret that the servers of that database share. Never printed either. */
  readonly secretKey?: string;
  /** The previous secret, after a change. It is only used to decrypt. */
  readonly previousSecretKey?: string;
  /** The bucket for the bytes of files and images. */
  readonly fileStore?: S3Options;
  /** The default model. If absent, the catalog chooses. */
  readonly model?: string;
  /** Prices of models by `provider/model` or `provider/*`. */
  readonly prices: { readonly [model: string]: TokenPrices };
  readonly apiKeys: readonly ApiKey[];
  /** Switches that every new session starts from, by group and by `group.Tool`. */
  readonly groups: { readonly [group: string]: boolean };
  readonly tools: { readonly [toolId: string]: boolean };
  /** Settings that override those of tools, by `group.Tool`. */
  readonly toolSettings: SettingsByTool;
  /** The tools that are bound to hosted types. */
  readonly hostedTools: HostedTools;
  /** The model whose vectors the search of documents uses. @default searches use words only */
  readonly embeddingModel?: string;
  /** Hidden tools for files that a model does not take. */
  readonly attachmentTools: AttachmentTools;
  /** Names of request headers that tools get, in lower case. */
  readonly requestHeaders: readonly string[];
  /** Folders that the file tools can read. @default the working directory */
  readonly roots: readonly string[];
  /** The absolute path of the settings file, which may not exist. */
  readonly settingsFile: string;
  readonly code: {
    /** Whether code that a model writes can change the roots. */
    readonly write: boolean;
    /** Whether this code can reach the network. */
    readonly network: boolean;
  };
  readonly scripts: {
    /** Folders of tools, absolute. @default "capstan-tools" in the working directory */
    readonly folders: readonly string[];
    /** Values that scripts can declare as `secrets`, before the server's own variables. */
    readonly environment?: { readonly [name: string]: string };
    /** The Python that reads and runs scripts: `CAPSTAN_PYTHON`. @default the PATH's */
    readonly python?: string;
    /** The PowerShell that runs scripts: `CAPSTAN_PWSH`. @default the PATH's */
    readonly powershell?: string;
  };
  /**
   * The callers that may answer approval requests. @default `anyone-until-connected` on loopback
   * without keys, else `people`
   */
  readonly approvalsFrom: ApprovalsSetting;
  /**
   * Options of the MCP server: which approvals clients may give, how long a call waits, in ms, and
   * whose calls are not stored.
   */
  readonly mcp: Pick<McpOptions, "clientApproves" | "listedTools" | "unstored" | "waitMs">;
  readonly web: {
    /** Private and loopback hosts that web tools may reach. */
    readonly allowPrivateHosts: readonly string[];
    /** The service of `WebSearch`; absent if there is none. Its key is never printed. */
    readonly search?: WebSearchOptions;
  };
  /**
   * The MCP servers whose tools are used, with the values of environment variables. Never printed.
   */
  readonly connections: readonly ConfiguredConnection[];
  /** Which MCP servers requests can name, and which callers. @default none */
  readonly requestServers: RequestServerSettings;
  /** Whether users can share conversations by links. @default false */
  readonly sharing: boolean;
  /** The services that get messages about changes, with their secrets. Never printed. */
  readonly webhooks: readonly WebhookEndpoint[];
  /** The address of the page in messages to other services. @default the server's own address */
  readonly publicUrl?: string;
  /** Folders of skills, absolute. */
  readonly skills: readonly string[];
  /** The services and the model of the group `media`. */
  readonly media?: MediaServices;
  /** The services of the group `knowledge`, in place of the public ones. */
  readonly knowledge?: Pick<
    KnowledgeToolsOptions,
    "contact" | "wikipediaUrl" | "weatherUrl" | "geocodingUrl"
  >;
  /** The SiYuan kernel of the group `siyuan`; absent if there is none. */
  readonly siyuan?: {
    /** @default http://127.0.0.1:6806 */
    readonly url: string;
    /** The API token: `CAPSTAN_SIYUAN_TOKEN`. Never printed. */
    readonly token?: string;
    /** The user's time zone, for daily notes. @default the server's */
    readonly timeZone?: string;
  };
  /** The administrator's rules, which no grant and no request overrides. */
  readonly rules: readonly PolicyRule[];
  /** Agents that every caller can select, by name. */
  readonly agents: Agents;
  /** Unknown settings of the file, as JSON. */
  readonly unknown: readonly string[];
  /** Positions of groups and tools in the settings file, as `file:line` by key. */
  readonly places: { readonly [key: string]: string };
  /** The default form in which a model reads earlier turns. */
  readonly history: HistoryMode;
  readonly limits: ConfiguredLimits;
  /** The age and amount at which stored data is deleted. Empty: nothing is deleted. */
  readonly retention: Retention;
  /** Additional hosts and origins that may reach the server. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/**
 * A problem names the invalid and the expected value. One problem makes the configuration invalid.
 */
export type ConfigurationOutcome =
  | {
      readonly status: "valid";
      readonly configuration: Configuration;
      readonly warnings: readonly string[];
      /** The text of the settings file; absent if there is none. */
      readonly text?: string;
    }
  | {
      readonly status: "invalid";
      readonly problems: readonly string[];
      readonly warnings: readonly string[];
    };
