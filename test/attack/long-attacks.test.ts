import { test } from "node:test";
import { disconnects } from "./attacks/disconnects.ts";
import { disk } from "./attacks/disk.ts";
import { payloads } from "./attacks/payloads.ts";
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

test("damage on the disk is reported, and intact data remains readable", short(disk));

test("external text runs and loads nothing anywhere on the page", short(payloads));
