import assert from "node:assert/strict";
import { test } from "node:test";
import { reachable } from "./network-access.ts";

const names: { readonly [name: string]: string } = {
  "api.example": "93.184.216.34",
  "wiki.example": "10.0.0.5",
  "rebound.example": "127.0.0.1",
  "cloud.example": "169.254.169.254",
  localhost: "127.0.0.1",
};
const resolve = (name: string) =>
  Promise.resolve(name in names ? [{ address: names[name] ?? "", family: 4 as const }] : []);
const ask = async (access: boolean | readonly string[], url: string) =>
  (await reachable(access, resolve)(new URL(url))).status;

// Contract: sandbox-14
test("only public addresses are reached", async () => {
  assert.equal(await ask(true, "http://api.example"), "open");
  assert.equal(await ask(true, "https://93.184.216.34:8443"), "open");
  assert.equal(await ask(true, "https://nowhere.example"), "unknown");
  for (const host of [
    "wiki.example",
    "rebound.example",
    "cloud.example",
    "localhost",
    "0.0.0.0",
    "[::ffff:127.0.0.1]",
  ])
    assert.equal(await ask(true, `http://${host}`), "refused", host);
  assert.equal(await ask(false, "http://api.example"), "refused");
});

// Contract: sandbox-16
test("only named hosts are reached, including private ones", async () => {
  const access = ["wiki.example", "localhost:3000", "[::1]:3000"];
  assert.equal(await ask(access, "https://wiki.example"), "open");
  assert.equal(await ask(access, "http://localhost:3000"), "open");
  assert.equal(await ask(access, "http://[::1]:3000"), "open");
  for (const url of ["http://localhost:3001", "http://api.example", "http://127.0.0.1:3000"])
    assert.equal(await ask(access, url), "refused", url);
});

test("named hosts may be combined with all public addresses", async () => {
  const access = ["*", "wiki.example"];
  for (const host of ["api.example", "wiki.example"])
    assert.equal(await ask(access, `http://${host}`), "open");
  for (const host of ["10.0.0.5", "rebound.example", "localhost"])
    assert.equal(await ask(access, `http://${host}`), "refused");
});

// Contract: sandbox-17
test("the owner of an allowed name cannot lead it to this machine", async () => {
  for (const name of ["rebound.example", "cloud.example"])
    assert.equal(await ask([name], `http://${name}`), "refused");
});
