import { join } from "node:path";
import type { ToolGroup } from "@capstan/core";
import type { ModelCatalog } from "@capstan/core/host";
import {
  basicTools,
  chartTools,
  dataTools,
  editTools,
  fileTools,
  knowledgeTools,
  type KnowledgeToolsOptions,
  retrievalTools,
  type RetrievalToolsOptions,
  mediaTools,
  type MediaToolsOptions,
  siyuanTools,
  type SiyuanToolsOptions,
  SkillCatalog,
  skillTools,
  type SkillToolsOptions,
  todoTools,
  variableTools,
  type WebSearchOptions,
  webTools,
} from "@capstan/toolkit";
import {
  codeTools,
  type CodeToolsOptions,
  languageParsers,
  scriptTools,
  type ScriptToolsOptions,
} from "@capstan/scripts";
import { processSandbox } from "./process-sandbox.ts";
import { protectedPaths } from "./protected-paths.ts";
import type { Configuration } from "../configuration/configuration.ts";
import type { MediaServices } from "../configuration/media-services.ts";

/** The folders, hosts and services of the built-in tool groups. */
export interface BuiltInGroupsOptions {
  /** Folders that the file tools can read. */
  readonly roots: readonly string[];
  /** Folders inside them that they cannot read: the server's own data. @default none */
  readonly deny?: readonly string[];
  /** Absolute paths that code and the editing tools cannot change. @default none */
  readonly protected?: readonly string[];
  /**
   * The folder that stores the former contents of edited files. @default no group that edits files
   */
  readonly changes?: string;
  /**
   * Hosts, as `host` or `host:port`, that web tools can reach although they are private. @default
   * none
   */
  readonly allowPrivateHosts?: readonly string[];
  /** The services of the group `knowledge`. @default the public ones */
  readonly knowledge?: KnowledgeToolsOptions;
  /**
   * The services and the model of the group `media`. @default its tools are listed with a setup
   * hint
   */
  readonly media?: Pick<MediaToolsOptions, "images" | "transcription" | "vision">;
  /** The service of `WebSearch`. @default the tool is listed with a setup hint */
  readonly search?: WebSearchOptions;
  /** The SiYuan kernel. @default the group `siyuan` is listed with a setup hint */
  readonly siyuan?: Pick<SiyuanToolsOptions, "url" | "token" | "timeZone">;
  /** The skills, and the sandbox of their scripts. @default there is no such group */
  readonly skills?: Pick<SkillToolsOptions, "catalog" | "sandbox" | "sandboxFix">;
  /** The vector stores and files of users. @default none */
  readonly stored?: RetrievalToolsOptions["stored"];
  /** Reads the scripts of a model that writes tools. @default there is no such group */
  readonly scripts?: ScriptToolsOptions;
  /**
   * The sandbox and the permissions of code that a model writes. @default there is no such group
   */
  readonly code?: Pick<
    CodeToolsOptions,
    "sandbox" | "sandboxFix" | "write" | "network" | "packages" | "powershell" | "find"
  >;
}

/**
 * The groups that are off by default. The configuration, or a user for a conversation, can switch
 * them on.
 */
const offByDefault: ReadonlySet<string> = new Set(["code"]);

/** Returns whether a group is on by default. */
export function isOnByDefault(group: string): boolean {
  return !offByDefault.has(group);
}

/**
 * The groups that ship with Capstan, in the order in which sessions get them. The order names
 * tools: if two tools have the same bare name, models see the later one as `group_Tool`.
 */
export function builtInGroups(options: BuiltInGroupsOptions): readonly ToolGroup[] {
  const { roots, deny = [], allowPrivateHosts = [] } = options;
  return [
    variableTools(),
    todoTools(),
    basicTools(),
    webTools({ allowPrivateHosts, search: options.search }),
    fileTools({ roots: roots.map((path) => ({ path })), deny }),
    knowledgeTools({ allowPrivateHosts, ...options.knowledge }),
    retrievalTools({
      roots: roots.map((path) => ({ path })),
      deny,
      ...(options.stored && { stored: options.stored }),
    }),
    mediaTools({
      roots: roots.map((path) => ({ path })),
      deny,
      allowPrivateHosts,
      ...options.media,
    }),
    dataTools({ roots: roots.map((path) => ({ path })), deny }),
    chartTools(),
    ...(options.changes === undefined
      ? []
      : [
          editTools({
            roots: roots.map((path) => ({ path })),
            deny,
            protected: options.protected ?? [],
            changes: options.changes,
          }),
          siyuanTools({ ...options.siyuan, changes: join(options.changes, "siyuan") }),
        ]),
    ...(options.skills === undefined
      ? []
      : [skillTools({ ...options.skills, roots: roots.map((path) => ({ path })), deny })]),
    ...(options.code === undefined
      ? []
      : [codeTools({ ...options.code, roots, hidden: deny, protected: options.protected ?? [] })]),
    ...(options.scripts === undefined ? [] : [scriptTools(options.scripts)]),
  ];
}

/**
 * Creates the groups of an installation. The group `scripts`, with which a model writes tools,
 * exists only if the configuration names it, `{"groups": {"scripts": true}}`.
 *
 * @param services.findModel finds the model that describes images. @default tools are only listed, not called
 */
export async function configuredGroups(
  configuration: Pick<
    Configuration,
    | "roots"
    | "dataDir"
    | "acceptedDir"
    | "settingsFile"
    | "web"
    | "groups"
    | "code"
    | "scripts"
    | "knowledge"
    | "media"
    | "siyuan"
    | "skills"
  >,
  {
    stored,
    findModel = () => Promise.resolve(undefined),
  }: {
    readonly stored?: RetrievalToolsOptions["stored"];
    readonly findModel?: ModelCatalog["find"];
  } = {},
): Promise<readonly ToolGroup[]> {
  const { roots, dataDir, acceptedDir, web, groups, code, scripts } = configuration;
  const { python, powershell } = scripts;
  const { sandbox, problem } = await processSandbox();
  const confined = { sandbox, ...(problem !== undefined && { sandboxFix: problem.fix }) };
  return builtInGroups({
    roots,
    deny: [dataDir, acceptedDir],
    protected: protectedPaths(configuration),
    changes: join(dataDir, "changes"),
    allowPrivateHosts: web.allowPrivateHosts,
    ...(configuration.knowledge !== undefined && { knowledge: configuration.knowledge }),
    ...(stored && { stored }),
    media: withFind(configuration.media ?? {}, findModel),
    ...(web.search !== undefined && { search: web.search }),
    ...(configuration.siyuan !== undefined && { siyuan: configuration.siyuan }),
    skills: { ...confined, catalog: await SkillCatalog.open(configuration.skills) },
    code: {
      ...code,
      ...confined,
      packages: { folder: join(dataDir, "code", "environments"), environment: process.env },
      ...(powershell !== undefined && { powershell }),
    },
    ...(groups["scripts"] !== undefined && {
      scripts: { parsers: languageParsers({ python }) },
    }),
  });
}

function withFind(
  { vision, ...services }: MediaServices,
  find: ModelCatalog["find"],
): NonNullable<BuiltInGroupsOptions["media"]> {
  return { ...services, ...(vision !== undefined && { vision: { ...vision, find } }) };
}
