import { type PolicyRule, ruleProblems } from "@capstan/core";
import { agentName, agentSchema, secretHeaders } from "@capstan/server";
import { searchServices } from "@capstan/toolkit";
import { z } from "zod";
import { connectionsSchema } from "./connection-settings.ts";
import { webhooksSchema } from "./webhook-settings.ts";

// Each `error` describes the expected value. The message consists of the key, this text and the
// given value.

const text = (error: string) => z.string({ error }).trim().min(1, { error });

const whole = (error: string, { min = 1, max }: { readonly min?: number; readonly max: number }) =>
  z.int({ error }).min(min, { error }).max(max, { error });

const above0 = (error: string, max = Number.MAX_VALUE) =>
  z.number({ error }).positive({ error }).max(max, { error });

const list = (each: z.ZodType<string>, error: string) => z.array(each, { error }).optional();

const serverHosts = 'true, or a list of hosts such as ["mcp.example.org", "127.0.0.1:3001"]';
const flag = z.boolean({ error: "true or false" }).optional();

const switches = (example: string) =>
  z.record(z.string(), flag.unwrap(), {
    error: `switches such as {${example}}`,
  });

const toolId = z
  .string({ error: "a tool such as search.Web" })
  .regex(/^[\w-]{1,64}\.[\w-]{1,64}$/, { error: "a tool such as search.Web" });
const toolList = 'a list of tools such as ["reader.Read"]';
const toolSetting = z.strictObject(
  { final: flag.unwrap().exactOptional(), hidden: flag.unwrap().exactOptional() },
  { error: 'an object such as {"final": true} or {"hidden": true}' },
);
const hostedType = z.enum(["web_search", "file_search", "image_generation", "code_interpreter"], {
  error: "one of the types web_search, file_search, image_generation, code_interpreter",
});
const headerText = `the name of a header other than ${secretHeaders.join(", ")}`;
const headerName = text(headerText)
  .toLowerCase()
  .regex(/^[a-z0-9-]+$/, { error: headerText })
  .refine((name) => !secretHeaders.includes(name), { error: headerText });

const privateHost = "a host such as wiki.internal or 127.0.0.1:8080";
const origin = "an origin such as https://chat.example.org";

const contact = "an e-mail address or a URL such as admin@example.org";
const encyclopedia = "an address such as https://{language}.wikipedia.org";
const searchUrl = "the address of a search service such as http://127.0.0.1:8888";
const siyuanUrl = "the address of a SiYuan kernel such as http://127.0.0.1:6806";
const pageUrl = "the address of the page such as https://capstan.example.org";
const timeZone = "a time zone such as Europe/Berlin";

function isOrigin(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === value.replace(/\/$/, "");
}

/** An address to which paths are added: without credentials, a query and a slash at its end. */
function isServiceUrl(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "") return false;
  return url.search === "" && url.hash === "" && !value.endsWith("/");
}

const mediaUrl = "an address of an API such as https://api.openai.com/v1";
const mediaExample = 'an object such as {"url": "http://127.0.0.1:8080/v1", "model": "…"}';
const seeingModel = "a model that can see images such as openai/gpt-5.5";

/** The settings of a service with the interface of OpenAI. */
function mediaService(example: string) {
  const named = `the name of a model such as ${example}`;
  return {
    url: text(mediaUrl).refine(isServiceUrl, { error: mediaUrl }).exactOptional(),
    model: text(named).exactOptional(),
  };
}

function isTimeZone(value: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

const pricesExample =
  'prices of a million tokens such as {"openai/gpt-5.5": {"input": 1.25, "output": 10}}';
const price = z.number({ error: "an amount from 0 on" }).min(0, { error: "an amount from 0 on" });

const prices = z.object(
  { input: price, output: price, cachedInput: price.exactOptional() },
  { error: pricesExample },
);

const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const keyPrefix = "the beginning of keys such as capstan/";
const storeExample = '{"kind": "s3", "bucket": "capstan-files"}';

const retentionRule = {
  days: above0("days, more than 0 and at most 36500", 36_500).exactOptional(),
  megabytes: above0("megabytes, more than 0").exactOptional(),
};
const retentionExample = 'a retention such as {"days": 365}';

/** The gate validates rules, because a rule with an ignored part would mean something else. */
const rule = z.custom<PolicyRule>().superRefine((value, context) => {
  for (const { path, message } of ruleProblems(value))
    context.addIssue({ code: "custom", path: [...path], message });
});

function isHost(value: string): boolean {
  return /^[^/?#@\s]+$/.test(value) && URL.canParse(`http://${value}/`);
}

const count = { error: "a whole number from 1 to 1000", max: 1_000 };
const tokens = whole("tokens from 1 to 1000000000", { max: 1_000_000_000 }).exactOptional();
const milliseconds = whole("milliseconds from 1 to 86400000", { max: 86_400_000 }).exactOptional();
const fileBytes = whole("bytes from 1 to 1099511627776", { max: 1_099_511_627_776 });
const bytes = whole("bytes from 1 to 1099511627776", { max: 2 ** 40 }).exactOptional();
const runs = whole("runs from 1 to 100000", { max: 100_000 }).exactOptional();

const limits = z.object(
  {
    rounds: whole(count.error, count).exactOptional(),
    callsPerRound: whole(count.error, count).exactOptional(),
    repeatedFailures: whole(count.error, count).exactOptional(),
    turnCalls: whole("a whole number from 1 to 100000", { max: 100_000 }).exactOptional(),
    turnTokens: tokens,
    turnMs: milliseconds,
    runMs: milliseconds,
    runWaitDays: above0("days, more than 0 and at most 365", 365).exactOptional(),
    graceMs: whole("milliseconds from 0 to 3600000", { min: 0, max: 3_600_000 }).exactOptional(),
    turnCost: above0("an amount, more than 0").exactOptional(),
    shownTokens: tokens,
    toolTokens: tokens,
    toolTimeoutMs: milliseconds,
    approvalHours: above0("hours, more than 0 and at most 8760", 8_760).exactOptional(),
    runsAtOnce: runs,
    runsOfOne: runs,
    bodyBytes: whole("bytes from 1 to 1073741824", { max: 1_073_741_824 }).exactOptional(),
    bytesAtOnce: bytes,
    bytesOfOne: bytes,
    fileBytes: fileBytes.exactOptional(),
    filesOfOne: whole("a whole number from 1 to 1000000", { max: 1_000_000 }).exactOptional(),
    fileBytesOfOne: fileBytes.exactOptional(),
    filesOfAll: whole("a whole number from 1 to 100000000", { max: 100_000_000 }).exactOptional(),
    fileBytesOfAll: fileBytes.exactOptional(),
    streamsOfOne: whole("a whole number from 1 to 100000", { max: 100_000 }).exactOptional(),
  },
  { error: "an object" },
);

/** The schema of `capstan.config.json`. All settings are optional. */
export const settingsSchema = z.object(
  {
    $schema: z.string({ error: "an address of a schema" }).optional(),
    port: whole("a port number from 0 to 65535", { min: 0, max: 65_535 }).optional(),
    host: text("a host name or address such as 127.0.0.1").optional(),
    data: text("a folder").optional(),
    model: text('a model such as "openai/gpt-5.5"').optional(),
    embeddingModel: text('a model such as "openai/text-embedding-3-small"').optional(),
    prices: z.record(z.string(), prices, { error: pricesExample }).optional(),
    groups: switches('"files": true').optional(),
    tools: switches('"web.FetchWebPage": false').optional(),
    toolSettings: z
      .record(toolId, toolSetting, {
        error: 'settings of tools such as {"charts.Draw": {"final": true}}',
      })
      .optional(),
    hostedTools: z
      .partialRecord(hostedType, toolId, {
        error: 'tools by type such as {"web_search": "search.Web"}',
      })
      .optional(),
    attachmentTools: z
      .object(
        {
          document: list(toolId, toolList),
          audio: list(toolId, toolList),
          image: list(toolId, toolList),
        },
        { error: 'lists of tools by kind of file such as {"document": ["reader.Read"]}' },
      )
      .optional(),
    requestHeaders: list(headerName, 'a list of headers such as ["x-tenant"]'),
    roots: z
      .array(text("a folder"), { error: 'a list of folders such as ["."]' })
      .min(1, {
        error: "at least one folder; to disable the file tools, set groups.files to false",
      })
      .optional(),
    code: z.object({ write: flag, network: flag }, { error: "an object" }).optional(),
    scripts: z
      .object(
        {
          folders: list(text("a folder"), 'a list of folders such as ["tools"]'),
          environment: z
            .record(
              z.string().regex(/^[A-Za-z_]\w*$/, {
                error: "a name of letters, digits and _ such as REGION",
              }),
              z.string({ error: "a text" }).max(10_000, { error: "at most 10000 characters" }),
              { error: 'values by name such as {"REGION": "eu"}' },
            )
            .optional(),
        },
        { error: "an object" },
      )
      .optional(),
    web: z
      .object(
        {
          allowPrivateHosts: list(
            text(privateHost).refine(isHost, { error: privateHost }),
            'a list of hosts such as ["wiki.internal"]',
          ),
          search: z
            .object(
              {
                service: z
                  .enum(searchServices, { error: `one of ${searchServices.join(", ")}` })
                  .exactOptional(),
                url: text(searchUrl).refine(isServiceUrl, { error: searchUrl }).exactOptional(),
                engine: text("the id of a Google search engine").exactOptional(),
              },
              { error: 'a search service such as {"service": "brave"}' },
            )
            .exactOptional(),
        },
        { error: "an object" },
      )
      .optional(),
    skills: list(text("a folder"), 'a list of folders such as ["~/skills"]'),
    images: z.object(mediaService("gpt-image-2"), { error: mediaExample }).optional(),
    transcription: z.object(mediaService("whisper-1"), { error: mediaExample }).optional(),
    vision: z
      .object(
        {
          model: text(seeingModel)
            .refine((value) => /^[^/\s]+\/\S+$/.test(value) && !value.startsWith("capstan/"), {
              error: seeingModel,
            })
            .exactOptional(),
        },
        { error: 'an object such as {"model": "openai/gpt-5.5"}' },
      )
      .optional(),
    knowledge: z
      .object(
        {
          contact: text(contact)
            // It becomes part of a header.
            .regex(/^(?:https?:\/\/[\w.~:/?#@%&=+-]{3,190}|[\w.+-]{1,64}@[\w.-]{3,120})$/, {
              error: contact,
            })
            .exactOptional(),
          wikipediaUrl: text(encyclopedia)
            .refine((value) => isServiceUrl(value.replace("{language}", "en")), {
              error: encyclopedia,
            })
            .exactOptional(),
          weatherUrl: text(origin).refine(isOrigin, { error: origin }).exactOptional(),
          geocodingUrl: text(origin).refine(isOrigin, { error: origin }).exactOptional(),
        },
        { error: 'an object such as {"contact": "admin@example.org"}' },
      )
      .optional(),
    siyuan: z
      .object(
        {
          url: text(siyuanUrl).refine(isOrigin, { error: siyuanUrl }).exactOptional(),
          timeZone: text(timeZone).refine(isTimeZone, { error: timeZone }).exactOptional(),
        },
        { error: 'an object such as {"url": "http://127.0.0.1:6806"}' },
      )
      .optional(),
    approvals: z
      .object(
        {
          from: z.enum(["anyone", "people"], { error: '"anyone" or "people"' }).optional(),
        },
        { error: 'an object such as {"from": "people"}' },
      )
      .optional(),
    mcp: z
      .object(
        {
          clientApproves: z
            .enum(["nothing", "reads", "everything"], {
              error: '"nothing", "reads" or "everything"',
            })
            .exactOptional(),
          listedTools: whole("a whole number of tools from 4 to 10000", {
            min: 4,
            max: 10_000,
          }).exactOptional(),
          waitSeconds: whole("a whole number of seconds from 1 to 3600", {
            max: 3_600,
          }).exactOptional(),
          unstored: z
            .array(z.string().min(1), { error: 'a list such as ["program:cursor"] or ["*"]' })
            .exactOptional(),
        },
        { error: 'an object such as {"clientApproves": "reads"}' },
      )
      .optional(),
    connections: connectionsSchema.optional(),
    requestServers: z
      .object(
        {
          hosts: z
            .union([z.literal(true), z.array(z.string().refine(isHost, { error: serverHosts }))], {
              error: serverHosts,
            })
            .exactOptional(),
          askers: z.boolean({ error: "true or false" }).exactOptional(),
        },
        { error: 'an object such as {"hosts": ["mcp.example.org"]}' },
      )
      .optional(),
    sharing: z.boolean({ error: "true or false" }).optional(),
    webhooks: webhooksSchema.optional(),
    publicUrl: text(pageUrl).refine(isServiceUrl, { error: pageUrl }).optional(),
    files: z
      .object(
        {
          store: z
            .object(
              {
                kind: z.literal("s3", { error: '"s3"' }),
                bucket: text("the name of a bucket").regex(bucketName, {
                  error: "the name of a bucket, of 3 to 63 of the characters a-z, 0-9, . and -",
                }),
                endpoint: text(origin)
                  .refine((value) => URL.parse(value)?.origin === value, { error: origin })
                  .exactOptional(),
                region: text("a region such as eu-central-1").exactOptional(),
                prefix: text(keyPrefix)
                  .regex(/^[\w./-]{0,200}$/, { error: keyPrefix })
                  .exactOptional(),
              },
              { error: storeExample },
            )
            .optional(),
        },
        { error: `an object such as {"store": ${storeExample}}` },
      )
      .optional(),
    agents: z
      .record(z.string().regex(agentName), agentSchema, {
        error: (issue) =>
          issue.code === "invalid_key"
            ? "a name of 1 to 48 of the characters a-z, 0-9 and - as the key"
            : 'agents by name such as {"researcher": {"groups": ["web"]}}',
      })
      .optional(),
    rules: z.array(rule, { error: "a list of rules" }).optional(),
    history: z
      .union([z.enum(["log", "full"]), z.object({ keepTurns: z.int().min(0) })], {
        error: '"log", "full" or {"keepTurns": 3}',
      })
      .optional(),
    limits: limits.optional(),
    retention: z
      .object(
        {
          ...retentionRule,
          principals: z
            .record(z.string(), z.object(retentionRule, { error: retentionExample }), {
              error: 'names of keys such as {"ann": {"days": 365}}',
            })
            .exactOptional(),
        },
        { error: retentionExample },
      )
      .optional(),
    allowedHosts: list(text("a host such as chat.example.org"), "a list of hosts"),
    allowedOrigins: list(
      text(origin).refine((value) => URL.parse(value)?.origin === value, { error: origin }),
      `a list of origins, each ${origin}`,
    ),
  },
  { error: "an object of settings" },
);

export type Settings = z.infer<typeof settingsSchema>;
