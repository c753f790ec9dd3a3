import { type PolicyRule, ruleProblems } from "@capstan/core";
import { z } from "zod";

// Each `error` is what was expected: the message is made of it, the key and what came instead.

const port = z
  .int({ error: "a port number from 0 to 65535" })
  .min(0, { error: "a port number from 0 to 65535" })
  .max(65_535, { error: "a port number from 0 to 65535" });

const text = (error: string) => z.string({ error }).trim().min(1, { error });

const whole = (error: string, max: number) =>
  z.int({ error }).min(1, { error }).max(max, { error });

const switches = (example: string) =>
  z.record(z.string(), z.boolean({ error: "true or false" }), {
    error: `switches such as {${example}}`,
  });

const privateHost = "a host such as wiki.internal or 127.0.0.1:8080";
const origin = "an origin such as https://chat.example.org";

const pricesExample =
  'prices of a million tokens such as {"openai/gpt-5.5": {"input": 1.25, "output": 10}}';
const price = z.number({ error: "an amount from 0 on" }).min(0, { error: "an amount from 0 on" });

const prices = z.object(
  { input: price, output: price, cachedInput: price.optional() },
  { error: pricesExample },
);

const daysError = "days, more than 0 and at most 36500";
const days = z
  .number({ error: daysError })
  .positive({ error: daysError })
  .max(36_500, { error: daysError });

const megabytesError = "megabytes, more than 0";
const retentionRule = {
  days: days.optional(),
  megabytes: z.number({ error: megabytesError }).positive({ error: megabytesError }).optional(),
};
const retentionExample = 'what is kept such as {"days": 365}';

/** What a rule may say is the gate's to tell. One of which a part was overlooked would say something else. */
const rule = z.custom<PolicyRule>().superRefine((value, context) => {
  for (const { path, message } of ruleProblems(value))
    context.addIssue({ code: "custom", path: [...path], message });
});

function isHost(value: string): boolean {
  return /^[^/?#@\s]+$/.test(value) && URL.canParse(`http://${value}/`);
}

/** What `capstan.config.json` may say. Everything may be left out. */
export const settingsSchema = z.object(
  {
    $schema: z.string({ error: "an address of a schema" }).optional(),
    port: port.optional(),
    host: text("a host name or address such as 127.0.0.1").optional(),
    data: text("a folder").optional(),
    model: text('a model such as "openai/gpt-5.5"').optional(),
    prices: z.record(z.string(), prices, { error: pricesExample }).optional(),
    groups: switches('"files": true').optional(),
    tools: switches('"web.FetchWebPage": false').optional(),
    roots: z
      .array(text("a folder"), { error: 'a list of folders such as ["."]' })
      .min(1, {
        error: "at least one folder; to switch the file tools off, set groups.files to false",
      })
      .optional(),
    code: z
      .object(
        {
          write: z.boolean({ error: "true or false" }).optional(),
          network: z.boolean({ error: "true or false" }).optional(),
        },
        { error: "an object" },
      )
      .optional(),
    scripts: z
      .object(
        {
          folders: z
            .array(text("a folder"), { error: 'a list of folders such as ["tools"]' })
            .optional(),
          authors: z
            .array(text("the name of a key"), {
              error: 'a list of names of keys such as ["ada"]; [] is nobody',
            })
            .optional(),
        },
        { error: "an object" },
      )
      .optional(),
    web: z
      .object(
        {
          allowPrivateHosts: z
            .array(text(privateHost).refine(isHost, { error: privateHost }), {
              error: 'a list of hosts such as ["wiki.internal"]',
            })
            .optional(),
        },
        { error: "an object" },
      )
      .optional(),
    rules: z.array(rule, { error: "a list of rules" }).optional(),
    history: z
      .union([z.enum(["log", "full"]), z.object({ keepTurns: z.int().min(0) })], {
        error: '"log", "full" or {"keepTurns": 3}',
      })
      .optional(),
    limits: z
      .object(
        {
          rounds: whole("a whole number from 1 to 1000", 1000).optional(),
          callsPerRound: whole("a whole number from 1 to 1000", 1000).optional(),
          repeatedFailures: whole("a whole number from 1 to 1000", 1000).optional(),
          turnCalls: whole("a whole number from 1 to 100000", 100_000).optional(),
          turnTokens: whole("tokens from 1 to 1000000000", 1_000_000_000).optional(),
          turnMs: whole("milliseconds from 1 to 86400000", 86_400_000).optional(),
          runMs: whole("milliseconds from 1 to 86400000", 86_400_000).optional(),
          runWaitDays: z
            .number({ error: "days, more than 0 and at most 365" })
            .positive({ error: "days, more than 0 and at most 365" })
            .max(365, { error: "days, more than 0 and at most 365" })
            .optional(),
          graceMs: z
            .int({ error: "milliseconds from 0 to 3600000" })
            .min(0, { error: "milliseconds from 0 to 3600000" })
            .max(3_600_000, { error: "milliseconds from 0 to 3600000" })
            .optional(),
          turnCost: z
            .number({ error: "an amount, more than 0" })
            .positive({ error: "an amount, more than 0" })
            .optional(),
          shownTokens: whole("tokens from 1 to 1000000000", 1_000_000_000).optional(),
          toolTimeoutMs: whole("milliseconds from 1 to 86400000", 86_400_000).optional(),
          approvalHours: z
            .number({ error: "hours, more than 0 and at most 8760" })
            .positive({ error: "hours, more than 0 and at most 8760" })
            .max(8760, { error: "hours, more than 0 and at most 8760" })
            .optional(),
          runsAtOnce: whole("runs from 1 to 100000", 100_000).optional(),
          runsOfOne: whole("runs from 1 to 100000", 100_000).optional(),
          bodyBytes: whole("bytes from 1 to 1073741824", 1_073_741_824).optional(),
        },
        { error: "an object" },
      )
      .optional(),
    retention: z
      .object(
        {
          ...retentionRule,
          principals: z
            .record(z.string(), z.object(retentionRule, { error: retentionExample }), {
              error: 'names of keys such as {"ann": {"days": 365}}',
            })
            .optional(),
        },
        { error: retentionExample },
      )
      .optional(),
    allowedHosts: z
      .array(text("a host such as chat.example.org"), { error: "a list of hosts" })
      .optional(),
    allowedOrigins: z
      .array(
        text(origin).refine((value) => URL.parse(value)?.origin === value, { error: origin }),
        { error: `a list of origins, each ${origin}` },
      )
      .optional(),
  },
  { error: "an object of settings" },
);

export type Settings = z.infer<typeof settingsSchema>;
