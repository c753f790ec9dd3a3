import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSettings } from "./check-settings.ts";
import { readConnections } from "./connection-settings.ts";

const read = (connections: object, environment: Readonly<NodeJS.ProcessEnv> = {}) => {
  const checked = checkSettings({ connections });
  assert.ok(checked.status === "valid");
  return readConnections(checked.settings.connections, {
    environment,
    resolve: (path) => `/home/${path}`,
  });
};

const problemOf = (connections: object) => {
  const checked = checkSettings({ connections });
  return checked.status === "valid"
    ? ""
    : checked.findings.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n");
};

test("a program has no access to folders or hosts by default, and its paths are absolute", () => {
  const { connections } = read({ notes: { command: "bin/notes", read: ["a"] } });
  assert.deepEqual(connections, [
    {
      on: true,
      connection: {
        type: "program",
        name: "notes",
        command: "/home/bin/notes",
        args: [],
        env: {},
        read: ["/home/a"],
        write: [],
        network: false,
        sandbox: true,
      },
    },
  ]);
});

test("values come from the environment, and a missing one makes the connection unavailable", () => {
  const headers = { Authorization: "Bearer ${TOKEN}" };
  const given = { tickets: { url: "https://mcp.example.org/mcp", headers } };
  const [set] = read(given, { TOKEN: "abc" }).connections;
  assert.ok(set?.connection.type === "http");
  assert.deepEqual(set.connection.headers, { Authorization: "Bearer abc" });
  assert.equal(set.connection.missing, undefined);
  const [unset] = read(given).connections;
  assert.deepEqual(unset?.connection.missing, ["TOKEN"]);
});

test("a secret in the file is a problem, and is not repeated", () => {
  const { problems } = read({
    tickets: { url: "https://mcp.example.org/mcp", headers: { "X-Api-Key": "canary" } },
    notes: { command: "notes", env: { NOTES_TOKEN: "canary" } },
  });
  assert.equal(problems.length, 2);
  assert.match(problems[0] ?? "", /connections\.tickets\.headers\.X-Api-Key: .*TICKETS_TOKEN/);
  assert.doesNotMatch(problems.join("\n"), /canary/);
});

test("the message on an invalid connection names the expected form", () => {
  assert.match(problemOf({ "Two words": { command: "a" } }), /a name of 1 to 32/);
  assert.match(problemOf({ a: {} }), /a connection such as/);
  assert.match(problemOf({ a: { command: "a", url: "https://b" } }), /a connection such as/);
  assert.match(problemOf({ a: { command: "a", headers: {} } }), /no setting headers; there are on/);
  assert.match(problemOf({ a: { url: "ftp://a" } }), /a\.url: expected the address of an MCP/);
  assert.match(problemOf({ a: { url: "https://ann:pw@b" } }), /a\.url/);
  assert.match(problemOf({ a: { command: "a", network: ["http://b/"] } }), /a\.network/);
  assert.match(problemOf({ a: { command: "a", idleSeconds: 0 } }), /seconds from 1/);
});

test("an OpenAPI document is a file or an address, with credentials from the environment", () => {
  const given = {
    pets: {
      openapi: "pets.yaml",
      server: "https://{region}.example.org/v1",
      variables: { region: "${REGION}" },
      credentials: { key: "${KEY}", basic: { username: "ann", password: "${PASSWORD}" } },
      pages: 3,
    },
    remote: { openapi: "https://api.example.org/openapi.json" },
  };
  const [pets, remote] = read(given, { REGION: "eu", KEY: "abc", PASSWORD: "def" }).connections;
  assert.deepEqual(pets?.connection, {
    type: "openapi",
    name: "pets",
    document: "/home/pets.yaml",
    server: "https://{region}.example.org/v1",
    variables: { region: "eu" },
    headers: {},
    credentials: { key: "abc", basic: { username: "ann", password: "def" } },
    pages: 3,
  });
  assert.ok(remote?.connection.type === "openapi");
  assert.equal(remote.connection.document, "https://api.example.org/openapi.json");
  assert.deepEqual(read(given).connections[0]?.connection.missing, ["REGION", "KEY", "PASSWORD"]);
});

test("a credential in the file, and a setting of another kind of connection, are problems", () => {
  const credentials = { key: "canary", basic: { username: "ann", password: "canary" } };
  const { problems } = read({ pets: { openapi: "a.yaml", credentials } });
  assert.equal(problems.length, 2);
  assert.match(problems.join("\n"), /credentials\.key.*\n.*credentials\.basic\.password/);
  assert.doesNotMatch(problems.join("\n"), /canary/);
  assert.match(
    problemOf({ a: { openapi: "a.yaml", shared: true } }),
    /no setting shared; there are/,
  );
  assert.match(problemOf({ a: { openapi: "a.yaml", url: "https://b" } }), /a connection such as/);
  assert.match(problemOf({ a: { openapi: "ftp://a/b" } }), /a\.openapi: expected the path/);
  assert.match(problemOf({ a: { openapi: "a.yaml", server: "b" } }), /a\.server/);
  assert.match(problemOf({ a: { openapi: "a.yaml", credentials: { key: 1 } } }), /credentials/);
  assert.match(problemOf({ a: { openapi: "a.yaml", pages: 0 } }), /pages from 1 to 100/);
});

test("the administrator decides whether the hosts of a server may be private", () => {
  const url = "https://mcp.corp.example:8443/mcp";
  const oauth = { issuer: "https://login.corp.example" };
  const privateHosts = (given: object) => {
    const [read1] = read({ tickets: { url, oauth, ...given } }).connections;
    return read1?.connection.type === "http" ? read1.connection.privateHosts : "none";
  };
  assert.equal(privateHosts({}), undefined);
  assert.deepEqual(privateHosts({ private: false }), []);
  assert.deepEqual(privateHosts({ private: true }), [
    "mcp.corp.example:8443",
    "login.corp.example",
  ]);
});

test("the secret of an OAuth client comes from a variable", () => {
  const given = {
    tickets: {
      url: "https://mcp.example.org/mcp",
      oauth: { clientId: "capstan", clientSecret: "${SECRET}", issuer: "https://as.example" },
    },
  };
  const [set] = read(given, { SECRET: "abc" }).connections;
  assert.deepEqual(set?.connection.type === "http" && set.connection.oauth, {
    clientId: "capstan",
    clientSecret: "abc",
    issuer: "https://as.example",
  });
  const { problems } = read({
    tickets: { url: "https://mcp.example.org/mcp", oauth: { clientSecret: "abcdefgh" } },
  });
  assert.match(problems[0] ?? "", /connections\.tickets\.oauth\.clientSecret/);
});
