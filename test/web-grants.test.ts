import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { type Api, createApi, eventsOf, spokenText } from "./api.ts";
import { createServerFolder, startServerProcess } from "./server-process.ts";

const resources = new AsyncDisposableStack();
/** Two sites on this machine that the configuration allows for web tools. */
let sites: readonly string[];
let api: Api;

before(async () => {
  sites = await Promise.all([startSite("Alpha"), startSite("Beta")]);
  const allowPrivateHosts = sites.map((site) => new URL(site).host);
  const folder = resources.use(
    await createServerFolder({
      "capstan.config.json": JSON.stringify({ web: { allowPrivateHosts } }),
    }),
  );
  api = createApi(resources.use(await startServerProcess({ folder })).url);
});

after(() => resources.disposeAsync());

/** Each page is an article with the site's name and the path. */
async function startSite(name: string): Promise<string> {
  const server: Server = createServer((request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (request.url === "/away") {
      response.writeHead(302, { location: "http://127.0.0.1:9/" });
      return void response.end();
    }
    response.end(
      `<title>${name}</title><article><h1>${name}</h1><p>The page ${request.url ?? ""} of ${name}. ${"Rope and canvas. ".repeat(40)}</p></article>`,
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  resources.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const fetchLine = (url: string) => `/FetchWebPage ${JSON.stringify({ url })}`;

async function startTurn(conversation: string, input: string): Promise<string> {
  return api.startTurn({ conversation, input, groups: ["web"] });
}

/** Whether a turn requests approval. If so, it waits for the answer. */
async function asks(run: string): Promise<boolean> {
  for await (const { type } of api.events(run)) {
    if (type === "chain.waiting") return true;
    if (type === "chain.ended") return false;
  }
  return assert.fail("the stream ended");
}

test("a site needs approval, is allowed for the session, and needs approval again after revocation", async () => {
  const { id: conversation } = await api.createConversation();
  const [alpha = "", beta = ""] = sites;

  const first = await startTurn(conversation, fetchLine(`${alpha}/one`));
  assert.ok(await asks(first));
  const [approval] = await api.approvals(conversation);
  assert.equal(approval?.toolName, "FetchWebPage");
  assert.deepEqual(approval.args["url"], `${alpha}/one`);
  assert.ok(approval.grant?.title.includes(new URL(alpha).host));
  await api.answer(approval.id, { decision: "allow", scope: "session" });
  assert.match(spokenText(await api.finishedEvents(first)), /The page \/one of Alpha/);

  const second = await startTurn(conversation, fetchLine(`${alpha}/two`));
  assert.equal(await asks(second), false, "another page of the same site passes");
  assert.match(spokenText(await api.finishedEvents(second)), /The page \/two of Alpha/);

  const other = await startTurn(conversation, fetchLine(`${beta}/one`));
  assert.ok(await asks(other), "another site asks");
  const [question] = await api.approvals(conversation);
  await api.answer(question!.id, { decision: "refuse", reason: "not that one" });
  assert.match(spokenText(await api.finishedEvents(other)), /not that one/);

  const elsewhere = (await api.createConversation()).id;
  const third = await startTurn(elsewhere, fetchLine(`${alpha}/three`));
  assert.ok(await asks(third), "another conversation asks");
  await api.cancel(third);

  const grants = await api.grants(conversation);
  const allowed = grants.find(({ verdict }) => verdict === "allow");
  assert.equal(allowed?.scope, "session");
  await api.revoke(allowed.id);
  assert.ok(!(await api.grants(conversation)).some(({ id }) => id === allowed.id));
  const fourth = await startTurn(conversation, fetchLine(`${alpha}/four`));
  assert.ok(await asks(fourth), "revoked, it asks again");
  await api.cancel(fourth);
  await assert.rejects(api.revoke("grant_none"), { status: 404 });
});

test("a permanent grant applies in every conversation, until it is revoked", async () => {
  const [, beta = ""] = sites;
  const one = (await api.createConversation()).id;
  const first = await startTurn(one, fetchLine(`${beta}/always`));
  assert.ok(await asks(first));
  const [approval] = await api.approvals(one);
  await api.answer(approval!.id, { decision: "allow", scope: "always" });
  await api.finishedEvents(first);

  const two = (await api.createConversation()).id;
  const second = await startTurn(two, fetchLine(`${beta}/again`));
  assert.equal(await asks(second), false);
  const grant = (await api.grants(two)).find(({ scope }) => scope === "always");
  await api.revoke(grant!.id);
  const third = await startTurn(two, fetchLine(`${beta}/later`));
  assert.ok(await asks(third));
  await api.cancel(third);
});

test("a single approval covers exactly the same call and no other", async () => {
  const [alpha = ""] = sites;
  const { id: conversation } = await api.createConversation();
  const first = await startTurn(conversation, fetchLine(`${alpha}/once`));
  assert.ok(await asks(first));
  const [approval] = await api.approvals(conversation);
  assert.ok(approval?.remember);
  await api.answer(approval.id, { decision: "allow" });
  await api.finishedEvents(first);
  const same = await startTurn(conversation, fetchLine(`${alpha}/once`));
  assert.equal(await asks(same), false);
  const other = await startTurn(conversation, fetchLine(`${alpha}/other`));
  assert.ok(await asks(other));
  await api.cancel(other);
});

test("a grant given while another call waits applies only to later calls", async () => {
  const [alpha = ""] = sites;
  const { id: conversation } = await api.createConversation();
  const run = await startTurn(
    conversation,
    `${fetchLine(`${alpha}/a`)}\n${fetchLine(`${alpha}/b`)}\n/then\n${fetchLine(`${alpha}/c`)}`,
  );
  assert.ok(await asks(run));
  const approvals = await api.approvals(conversation);
  assert.equal(approvals.length, 2);
  for (const { id } of approvals) await api.answer(id, { decision: "allow", scope: "session" });
  const events = await api.finishedEvents(run);
  assert.equal(eventsOf(events, "approval.requested").length, 2, "the third call did not ask");
  assert.equal(eventsOf(events, "call.settled").filter((e) => e.status === "success").length, 3);
});

test("a private address that is not configured is rejected, directly and after a redirect", async () => {
  const [alpha = ""] = sites;
  for (const url of ["http://127.0.0.1:1/", `${alpha}/away`, "http://[::1]:9/", api.url]) {
    const { id: conversation } = await api.createConversation();
    const run = await startTurn(conversation, fetchLine(url));
    if (await asks(run)) {
      const [approval] = await api.approvals(conversation);
      await api.answer(approval!.id, { decision: "allow" });
    }
    const [settled] = eventsOf(await api.finishedEvents(run), "call.settled");
    assert.equal(settled?.status, "error", url);
    assert.match(settled.result.finalText, /private|loopback|this machine/, url);
  }
});

test("an invalid address is an error without a second approval request", async () => {
  const { id: conversation } = await api.createConversation();
  const run = await startTurn(conversation, fetchLine("not an address"));
  if (await asks(run)) {
    const [approval] = await api.approvals(conversation);
    await api.answer(approval!.id, { decision: "allow" });
  }
  const [settled] = eventsOf(await api.finishedEvents(run), "call.settled");
  assert.equal(settled?.status, "error");
});
