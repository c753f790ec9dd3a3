import { test } from "node:test";
import { disconnects } from "./attacks/disconnects.ts";
import { disk } from "./attacks/disk.ts";
import { large } from "./attacks/large.ts";
import { payloads } from "./attacks/payloads.ts";
import { repeats } from "./attacks/repeats.ts";
import { ssrf } from "./attacks/ssrf.ts";
import { short } from "./short-attack.ts";

test(
  "no address reaches a private network, in any notation, after any redirect or name resolution",
  short(ssrf),
);

test(
  "clients that disconnect at any byte start no run twice and read each event once",
  short(disconnects),
);

test("a repeated request has its effect once, on every route", short(repeats));

test("no request blocks the event loop or fills the memory, however large it is", short(large));

test("damage on the disk is reported, and intact data remains readable", short(disk));

test("external text runs and loads nothing anywhere on the page", short(payloads));
