import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Configuration } from "./configuration.ts";
import { loadConfiguration, type LoadConfigurationOptions } from "./load-configuration.ts";

let directory = "";
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "capstan-configuration-"));
});
after(() => rm(directory, { recursive: true, force: true }));

let folders = 0;

async function load(
  file?: string | object,
  options: Partial<LoadConfigurationOptions> = {},
): Promise<{ outcome: Awaited<ReturnType<typeof loadConfiguration>>; folder: string }> {
  const folder = join(directory, `${folders++}`);
  await mkdir(folder);
  if (file !== undefined) {
    const text = typeof file === "string" ? file : JSON.stringify(file);
    await writeFile(join(folder, "capstan.config.json"), text);
  }
  const outcome = await loadConfiguration({
    directory: folder,
    environment: {},
    flags: {},
    ...options,
  });
  return { outcome, folder };
}

async function valid(...args: Parameters<typeof load>): Promise<Configuration> {
  const { outcome } = await load(...args);
  assert.equal(outcome.status, "valid", JSON.stringify(outcome));
  return outcome.status === "valid" ? outcome.configuration : assert.fail();
}

async function problems(...args: Parameters<typeof load>): Promise<readonly string[]> {
  const { outcome } = await load(...args);
  assert.equal(outcome.status, "invalid", JSON.stringify(outcome));
  return outcome.status === "invalid" ? outcome.problems : assert.fail();
}

test("without settings, the defaults are safe", async () => {
  const { outcome, folder } = await load();
  assert.deepEqual(outcome, {
    status: "valid",
    warnings: [],
    configuration: {
      port: 8787,
      host: "127.0.0.1",
      settingsFile: join(folder, "capstan.config.json"),
      dataDir: join(folder, ".capstan"),
      acceptedDir: join(folder, ".capstan"),
      unknown: [],
      prices: {},
      retention: {},
      apiKeys: [],
      groups: {},
      tools: {},
      toolSettings: {},
      hostedTools: {},
      attachmentTools: {},
      requestHeaders: [],
      roots: [folder],
      code: { write: false, network: false },
      scripts: { folders: [join(folder, "capstan-tools")] },
      mcp: { clientApproves: "nothing", listedTools: 40, waitMs: 45_000, unstored: [] },
      connections: [],
      requestServers: { hosts: [], askers: false },
      sharing: false,
      webhooks: [],
      skills: [],
      approvalsFrom: "anyone-until-connected",
      web: { allowPrivateHosts: [] },
      rules: [],
      agents: {},
      places: {},
      history: "log",
      limits: {},
      allowedHosts: [],
      allowedOrigins: [],
    },
  });
});

test("flags override the environment, and the environment overrides the file", async () => {
  const file = { port: 1, model: "a/file", host: "127.0.0.2" };
  const environment = { CAPSTAN_PORT: "2", CAPSTAN_DEFAULT_MODEL: "a/environment" };
  const configuration = await valid(file, { environment, flags: { port: "3" } });
  assert.equal(configuration.port, 3);
  assert.equal(configuration.model, "a/environment");
  assert.equal(configuration.host, "127.0.0.2");
});

test("an empty environment variable counts as unset", async () => {
  const configuration = await valid({ port: 1 }, { environment: { CAPSTAN_PORT: "" } });
  assert.equal(configuration.port, 1);
});

test("paths in a file are relative to its folder, other paths to the working directory", async () => {
  const elsewhere = join(directory, "elsewhere");
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, "my.json"), '{"data": "kept", "roots": ["notes", "~/work"]}');
  const flags = { config: join(elsewhere, "my.json") };
  const configuration = await valid(undefined, { flags });
  assert.equal(configuration.dataDir, join(elsewhere, "kept"));
  assert.deepEqual(configuration.roots, [join(elsewhere, "notes"), join(homedir(), "work")]);

  const { outcome, folder } = await load(undefined, {
    flags,
    environment: { CAPSTAN_DATA_DIR: "here" },
  });
  assert.equal(outcome.status === "valid" && outcome.configuration.dataDir, join(folder, "here"));
});

test("an invalid value is reported with file, line, key, and the expected and the given value", async () => {
  assert.deepEqual(
    await problems(`{
  // comments are welcome
  "port": 8787,
  "groups": {
    "files": "yes",
  },
  "rules": [{ "execution": "deny" }, { "tool": "files.*", "execution": "never" }],
  "limits": { "rounds": 0 }
}`),
    [
      'capstan.config.json:5: groups.files: expected true or false, got "yes"',
      "capstan.config.json:7: rules[0].tool: expected a tool such as files.ViewFile, a group such as files.*, or *, got nothing",
      'capstan.config.json:7: rules[1].execution: expected "auto", "ask-once", "ask-always" or "deny", got "never"',
      "capstan.config.json:8: limits.rounds: expected a whole number from 1 to 1000, got 0",
    ],
  );
});

test("a rule with an unknown field is rejected, because it would mean something else without it", async () => {
  assert.deepEqual(
    await problems(`{
  "rules": [
    { "tool": "files.*", "execution": "auto", "whne": { "path": "docs/**" } },
    { "tool": "files.*", "execution": "deny", "when": { "path": { "globb": "*" } } },
  ]
}`),
    [
      "capstan.config.json:3: rules[0].whne: is not a known field. Did you mean when?",
      "capstan.config.json:4: rules[1].when.path.globb: is not a known field. Did you mean glob?",
    ],
  );
});

test("an invalid flag or variable is named as it was written", async () => {
  assert.deepEqual(await problems(undefined, { flags: { port: "80a" } }), [
    '--port: expected a port number from 0 to 65535, got "80a"',
  ]);
  assert.deepEqual(await problems(undefined, { environment: { CAPSTAN_PORT: "70000" } }), [
    "CAPSTAN_PORT: expected a port number from 0 to 65535, got 70000",
  ]);
});

test("an unknown or repeated key is a warning with the nearest name and the line", async () => {
  const { outcome } = await load(
    '{\n"groops": {},\n"limits": {"round": 3},\n"port": 1,\n"port": 2 }',
  );
  assert.equal(outcome.status, "valid");
  assert.deepEqual(outcome.warnings, [
    "capstan.config.json:2: groops: is not a setting and has no effect. Did you mean groups?",
    "capstan.config.json:3: limits.round: is not a setting and has no effect. Did you mean rounds?",
    "capstan.config.json:4: port: is set twice; the last value applies",
  ]);
});

test("a missing folder is a warning with its index in the list", async () => {
  const { outcome, folder } = await load({ roots: [".", "nots"] });
  assert.deepEqual(outcome.warnings, [
    `roots[1]: there is no folder ${join(folder, "nots")} now; file tools find nothing in it`,
  ]);
});

test("a broken file is reported with its line, a missing file only if it was named", async () => {
  assert.deepEqual(await problems('{\n"port": 1\n"host": "x"}'), [
    "capstan.config.json:3: this is not JSON: comma expected",
  ]);
  assert.deepEqual(await problems(""), ["capstan.config.json:1: this is not JSON: value expected"]);
  assert.deepEqual(await problems("[]"), [
    "capstan.config.json:1: expected an object of settings, got []",
  ]);
  assert.deepEqual(await problems(undefined, { flags: { config: "no.json" } }), [
    "no.json: there is no such file",
  ]);
});

test("other machines have access only if keys are set", async () => {
  const flags = { host: "0.0.0.0" };
  const [problem] = await problems(undefined, { flags });
  assert.match(problem!, /^host: other machines can reach 0\.0\.0\.0.*CAPSTAN_API_KEYS/);
  const environment = { CAPSTAN_API_KEYS: "me:secret" };
  assert.deepEqual((await valid(undefined, { flags, environment })).apiKeys, [
    { name: "me", key: "secret", rights: ["ask"] },
  ]);
  for (const host of ["127.3.2.1", "::1", "localhost"]) {
    assert.equal((await valid({ host })).host, host);
  }
  assert.equal((await valid({ host: "[::1]" })).host, "::1");
});

test("no message contains a key", async () => {
  const environment = { CAPSTAN_API_KEYS: "sk-secret,a b:sk-secret,x:sk-secret,y:sk-secret,z:s k" };
  const said = await problems({ apiKeys: "sk-secret" }, { environment });
  assert.equal(said.length, 5);
  assert.match(said[0]!, /^capstan\.config\.json:1: apiKeys: .*only from .* CAPSTAN_API_KEYS/);
  assert.doesNotMatch(said.join("\n"), /sk-secret/);
});

test("origins and hosts are checked", async () => {
  const said = await problems({
    allowedOrigins: ["https://a.example/path"],
    roots: [],
    web: { allowPrivateHosts: ["http://x"] },
  });
  assert.match(said.join("\n"), /allowedOrigins\[0\]: expected an origin such as/);
  assert.match(said.join("\n"), /roots: expected at least one folder/);
  assert.match(said.join("\n"), /web\.allowPrivateHosts\[0\]: expected a host such as/);
});

test("prices and limits of a turn are read, and invalid ones are named", async () => {
  const prices = { "openai/gpt-5.5": { input: 1.25, output: 10 } };
  const limits = {
    turnTokens: 200_000,
    turnCost: 0.5,
    turnMs: 60_000,
    repeatedFailures: 2,
    shownTokens: 50_000,
  };
  const configuration = await valid({ prices, limits });
  assert.deepEqual([configuration.prices, configuration.limits], [prices, limits]);
  const wrong = { prices: { "openai/gpt-5.5": { input: -1 } }, limits: { turnCost: 0 } };
  const found = await problems(wrong);
  assert.match(
    found.join("\n"),
    /prices\.openai\/gpt-5\.5\.input: expected an amount from 0 on, got -1/,
  );
  assert.match(
    found.join("\n"),
    /prices\.openai\/gpt-5\.5\.output: expected an amount from 0 on, got nothing/,
  );
  assert.match(found.join("\n"), /limits\.turnCost: expected an amount, more than 0, got 0/);
});

test("retention is read for all and for single users, and invalid numbers are named", async () => {
  const retention = { days: 365, principals: { ann: { megabytes: 500 }, ben: {} } };
  assert.deepEqual((await valid({ retention })).retention, retention);
  const found = await problems({ retention: { days: 0, principals: { ann: { megabytes: -1 } } } });
  assert.match(found.join("\n"), /retention\.days: expected days, more than 0 and at most 36500/);
  assert.match(found.join("\n"), /retention\.principals\.ann\.megabytes: expected megabytes/);
});

test("retention.deltaDays is rejected as a removed setting", async () => {
  const { outcome } = await load({ retention: { days: 365, deltaDays: 7 } });
  assert.match(outcome.warnings.join(), /retention\.deltaDays: is not a setting .* Remove it: /);
});

test("the addresses of the knowledge tools' services are settings", async () => {
  const knowledge = {
    contact: "admin@example.org",
    wikipediaUrl: "http://127.0.0.1:8080/wiki/{language}",
    weatherUrl: "http://10.0.0.2:8080",
  };
  assert.deepEqual((await valid({ knowledge })).knowledge, knowledge);
  assert.equal((await valid({})).knowledge, undefined);
  for (const [name, value] of Object.entries({
    contact: "me\r\nx: y",
    wikipediaUrl: "https://a:b@wiki.example",
    weatherUrl: "https://api.example/v1",
    geocodingUrl: "ftp://x",
  }))
    assert.match(
      (await problems({ knowledge: { [name]: value } })).join(),
      new RegExp(`knowledge\\.${name}: expected an `),
    );
});

test("the services of images and recordings are settings, and their keys are not", async () => {
  const url = "http://127.0.0.1:8080/v1";
  const settings = { images: { url, model: "flux" }, vision: { model: "custom/llava" } };
  assert.deepEqual((await valid(settings)).media, settings);
  const { outcome } = await load({ images: { url, model: "flux", key: "my-secret" } });
  assert.match(outcome.warnings.join(), /images\.key: is not a setting .*CAPSTAN_IMAGES_KEY/);
  assert.doesNotMatch(outcome.warnings.join(), /my-secret/);
  assert.match((await problems({ images: { url } })).join(), /images\.model: expected /);
  assert.match((await problems({ images: { url: `${url}/` } })).join(), /images\.url: expected /);
  const vision = { model: "capstan/offline" };
  assert.match((await problems({ vision })).join(), /vision\.model: expected a model that can see/);
});

test("an address or a token is enough to configure SiYuan, and the token is not a setting", async () => {
  const url = "http://10.0.0.2:6806";
  const environment = { CAPSTAN_SIYUAN_TOKEN: " token " };
  assert.deepEqual((await valid({ siyuan: { url } })).siyuan, { url });
  assert.deepEqual((await valid(undefined, { environment })).siyuan, {
    url: "http://127.0.0.1:6806",
    token: "token",
  });
  const both = await valid({ siyuan: { url, timeZone: "Asia/Tokyo" } }, { environment });
  assert.deepEqual(both.siyuan, { url, token: "token", timeZone: "Asia/Tokyo" });
  const { outcome } = await load({ siyuan: { url, token: "my-secret" } });
  assert.match(outcome.warnings.join(), /siyuan\.token: is not a setting .*CAPSTAN_SIYUAN_TOKEN/);
  assert.doesNotMatch(outcome.warnings.join(), /my-secret/);
  for (const siyuan of [{ url: "ftp://x" }, { url: "http://a:b@x" }, { url: "http://x/api" }])
    assert.match((await problems({ siyuan })).join(), /siyuan\.url: expected the address/);
  assert.match((await problems({ siyuan: { timeZone: "Mars" } })).join(), /expected a time zone/);
});

test("a key, a name or an address is enough to configure a search service, and the key is not a setting", async () => {
  const searchOf = async (search?: object, environment: { [name: string]: string } = {}) =>
    (await valid(search && { web: { search } }, { environment })).web.search;
  assert.equal(await searchOf(), undefined);
  assert.deepEqual(await searchOf(undefined, { BRAVE_API_KEY: " key " }), {
    service: "brave",
    key: "key",
  });
  const keys = { BRAVE_API_KEY: "b", EXA_API_KEY: "e", GOOGLE_SEARCH_API_KEY: "g" };
  assert.deepEqual(await searchOf({ service: "exa" }, keys), { service: "exa", key: "e" });
  assert.deepEqual(await searchOf(undefined, { GOOGLE_SEARCH_API_KEY: "g" }), undefined);
  assert.deepEqual(await searchOf({ engine: "cx" }, { GOOGLE_SEARCH_API_KEY: "g" }), {
    service: "google",
    key: "g",
    engine: "cx",
  });
  const url = "http://127.0.0.1:8888/searxng";
  assert.deepEqual(await searchOf({ url }, keys), { service: "searxng", url });
  const { outcome } = await load({ web: { search: { key: "my-secret" } } });
  assert.match(outcome.warnings.join(), /web\.search\.key: is not a setting .*TAVILY_API_KEY/);
  assert.doesNotMatch(outcome.warnings.join(), /my-secret/);
  for (const search of [{ service: "bing" }, { url: "ftp://x" }, { url: "http://a:b@x" }])
    assert.match((await problems({ web: { search } })).join(), /web\.search\.\w+: expected/);
});

test("folders of skills are relative to the settings file", async () => {
  const { outcome, folder } = await load({ skills: ["skills", "~/other"] });
  assert.deepEqual(outcome.status === "valid" && outcome.configuration.skills, [
    join(folder, "skills"),
    join(homedir(), "other"),
  ]);
  assert.match((await problems({ skills: "skills" })).join(), /skills: expected a list of folders/);
});

test("the environment names a PostgreSQL database, and an error about its address does not contain the address", async () => {
  const url = "postgres://ann:secret@db.example:5432/capstan";
  const environment = { CAPSTAN_DATABASE_URL: url };
  assert.equal((await valid(undefined, { environment })).databaseUrl, url);
  for (const wrong of [
    "mysql://ann:secret@db/capstan",
    "ann:secret@db",
    "postgres://ann:secret@[",
  ]) {
    const [problem, ...more] = await problems(undefined, {
      environment: { CAPSTAN_DATABASE_URL: wrong },
    });
    assert.match(problem ?? "", /^CAPSTAN_DATABASE_URL: expected postgres:/);
    assert.doesNotMatch(problem ?? "", /secret/);
    assert.deepEqual(more, []);
  }
});

test("a Redis is configured with the database, and errors do not show its address", async () => {
  const database = { CAPSTAN_DATABASE_URL: "postgres://db/capstan" };
  const url = "redis://:secret@queue.example:6379/2";
  const environment = { ...database, CAPSTAN_REDIS_URL: url };
  assert.equal((await valid(undefined, { environment })).redisUrl, url);
  for (const [given, said] of [
    [{ ...database, CAPSTAN_REDIS_URL: "secret@queue" }, /^CAPSTAN_REDIS_URL: expected redis:/],
    [{ CAPSTAN_REDIS_URL: url }, /^CAPSTAN_REDIS_URL: .*Set CAPSTAN_DATABASE_URL, too/],
  ] as const) {
    const [problem, ...more] = await problems(undefined, { environment: given });
    assert.match(problem ?? "", said);
    assert.doesNotMatch(problem ?? "", /secret/);
    assert.deepEqual(more, []);
  }
});

test("a secret key has at least 32 characters, and errors do not show it", async () => {
  const secret = "0123456789abcdef0123456789abcdef";
  const given = await valid(undefined, { environment: { CAPSTAN_SECRET_KEY: secret } });
  assert.equal(given.secretKey, secret);
  const short = { environment: { CAPSTAN_SECRET_KEY: "hunter2" } };
  const [problem, ...more] = await problems(undefined, short);
  assert.match(problem ?? "", /^CAPSTAN_SECRET_KEY: expected at least 32 .*openssl/);
  assert.doesNotMatch(problem ?? "", /hunter2/);
  assert.deepEqual(more, []);
});

test("the positions of groups and tools in the file are returned, so that unknown names can be reported", async () => {
  const { places } = await valid(`{
  "groups": { "web": false },
  "rules": [
    { "execution": "deny",
      "tool": "old.Tool" },
    { "tool": "files.*", "execution": "auto" }
  ]
}`);
  assert.deepEqual(places, {
    "groups.web": "capstan.config.json:2",
    "rules[0].tool": "capstan.config.json:5",
    "rules[1].tool": "capstan.config.json:6",
  });
});

test("a key has the right to ask, unless it lists its rights", async () => {
  const read = async (text: string) =>
    (await valid({}, { environment: { CAPSTAN_API_KEYS: text } })).apiKeys;
  const bot = { name: "bot", key: "one", rights: ["ask"] };
  const ann = { name: "ann", key: "two:2", rights: ["ask", "approve", "admin"] };
  assert.deepEqual(await read("bot:one"), [bot]);
  assert.deepEqual(await read(JSON.stringify(["bot:one", ann])), [bot, ann]);
});

test("no key can have the name of the user who runs the server", async () => {
  const { outcome } = await load({}, { environment: { CAPSTAN_API_KEYS: "local:hunter2" } });
  assert.ok(outcome.status === "invalid");
  assert.match(outcome.problems.join(), /CAPSTAN_API_KEYS: entry 1 \(local\): .* reserved/);
});

test("an unreadable list of keys is rejected, and no message contains a key", async () => {
  for (const text of [
    '["bot:hunter2"',
    '[{"name":"ann","key":"hunter2","rights":["approv"]}]',
    '[{"name":"ann","key":"hunter2","rights":[]}]',
    '[{"name":"ann","key":"hunter2","right":["ask"]}]',
    "[17]",
  ]) {
    const { outcome } = await load({}, { environment: { CAPSTAN_API_KEYS: text } });
    assert.ok(outcome.status === "invalid", text);
    assert.match(outcome.problems.join(), /CAPSTAN_API_KEYS: (entry 1: )?.*expected/);
    assert.doesNotMatch(outcome.problems.join(), /hunter2/);
  }
});

test("by default, anyone can approve on loopback without keys until a program is connected; with keys, only people", async () => {
  const environment = { CAPSTAN_API_KEYS: "bot:one" };
  const from = async (settings: object, more = {}) => (await valid(settings, more)).approvalsFrom;
  assert.equal(await from({}), "anyone-until-connected");
  assert.equal(await from({}, { environment }), "people");
  assert.equal(await from({ host: "0.0.0.0" }, { environment }), "people");
  assert.equal(await from({ approvals: { from: "people" } }), "people");
  assert.equal(await from({ approvals: { from: "anyone" } }, { environment }), "anyone");
});

test("agents are read with their groups, and errors name their key", async () => {
  const agents = {
    researcher: { title: "Researcher", groups: ["web", { group: "files" }], limits: { calls: 3 } },
  };
  const configuration = await valid({ agents });
  assert.deepEqual(configuration.agents, {
    researcher: { ...agents.researcher, groups: [{ group: "web" }, { group: "files" }] },
  });
  const text = `{
  "agents": {
    "Upper": {},
    "one": { "instruction": "Be kind." },
    "two": { "groups": [{ "group": "web", "require_approval": "no" }] },
    "three": { "limits": { "rounds": 0 } }
  }
}`;
  const found = await problems(text);
  for (const expected of [
    /^capstan\.config\.json:3: agents\.Upper: expected a name of 1 to 48/,
    /^capstan\.config\.json:4: agents\.one: expected no field "instruction" \(the fields are title, /,
    /:5: agents\.two\.groups\[0\]\.require_approval: expected "always", "never".*got "no"$/,
    /:6: agents\.three\.limits\.rounds: expected a whole number from 1 to 1000, got 0$/,
  ])
    assert.ok(
      found.some((problem) => expected.test(problem)),
      `${expected} in ${found.join("\n")}`,
    );
});

test("a key can have a default agent, which must be configured", async () => {
  const key = { name: "ann", key: "SECRET", agent: "researcher" };
  const environment = { CAPSTAN_API_KEYS: JSON.stringify([key]) };
  const configuration = await valid({ agents: { researcher: {} } }, { environment });
  assert.deepEqual(configuration.apiKeys, [{ ...key, rights: ["ask"] }]);
  assert.deepEqual(await problems({ agents: { reseracher: {} } }, { environment }), [
    'CAPSTAN_API_KEYS (ann): agent: there is no agent "researcher" in the settings file. Did you mean reseracher?',
  ]);
  const wrong = { CAPSTAN_API_KEYS: JSON.stringify([{ ...key, agent: "a/b" }]) };
  assert.match((await problems({}, { environment: wrong }))[0] ?? "", /entry 1: expected/);
});

// Contract: plugins-86
test("headers with credentials, and tools and types that cannot exist, are rejected by name", async () => {
  const settings = {
    requestHeaders: ["X-Tenant", "Authorization"],
    hostedTools: { web_serch: "a.B" },
    toolSettings: { "a.B": { finl: true } },
    attachmentTools: { document: ["noDot"] },
  };
  const outcome = await loadConfiguration({
    directory: "/w",
    environment: {},
    flags: {},
    settingsText: JSON.stringify(settings),
  });
  assert.equal(outcome.status, "invalid");
  const problems = outcome.problems.join("\n");
  assert.match(problems, /requestHeaders\[1\].*other than authorization, cookie/);
  for (const key of ["hostedTools", "toolSettings", "attachmentTools.document"])
    assert.ok(problems.includes(key), `${key}: ${problems}`);
});

test("a bucket for files is checked and passed on", async () => {
  const bucket = { bucket: "capstan-files", endpoint: "https://s3.example.org" };
  const { fileStore } = await valid({ files: { store: { kind: "s3", ...bucket } } });
  assert.deepEqual(fileStore, bucket);
  const store = {
    kind: "ftp",
    bucket: "A_B",
    endpoint: "https://s3.example.org/path",
    prefix: "?",
  };
  const found = (await problems({ files: { store } })).join("\n");
  assert.match(found, /files\.store\.kind: expected "s3"/);
  assert.match(found, /files\.store\.bucket: expected the name of a bucket/);
  assert.match(found, /files\.store\.endpoint: expected an origin/);
  assert.match(found, /files\.store\.prefix: expected the beginning of keys/);
});
