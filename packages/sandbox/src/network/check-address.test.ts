import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addressProblem, isAddress } from "./check-address.ts";

test("public addresses are public", () => {
  for (const address of [
    "8.8.8.8",
    "1.1.1.1",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "[2a00::1]",
  ]) {
    assert.equal(addressProblem(address), undefined, address);
  }
});

test("all other addresses are rejected", () => {
  const refused = [
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.127.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.1.1.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "[::1]",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2001::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "fc00::1",
    "fd12::1",
    "ff02::1",
    "2001:db8::1",
    "100::1",
    "4000::1",
    "example.org",
    "",
  ];
  for (const address of refused) assert.notEqual(addressProblem(address), undefined, address);
});

test("every notation of a loopback address is recognized", () => {
  const hosts = [
    "2130706433",
    "0177.0.0.1",
    "0x7f.1",
    "127.1",
    "0x7f000001",
    "①②⑦.0.0.1",
    "127.0.0.1.",
    "017700000001",
  ];
  for (const host of hosts) {
    const { hostname } = new URL(`http://${host}/`);
    assert.ok(isAddress(hostname), host);
    assert.equal(addressProblem(hostname), "loopback", host);
  }
});

test("no address in the private networks is public", () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const ranges = fc.constantFrom("10.x.y.z", "127.x.y.z", "169.254.y.z", "192.168.y.z", "0.x.y.z");
  fc.assert(
    fc.property(ranges, byte, byte, byte, (range, x, y, z) => {
      const address = range.replace("x", String(x)).replace("y", String(y)).replace("z", String(z));
      assert.notEqual(addressProblem(address), undefined);
      assert.notEqual(addressProblem(`::ffff:${address}`), undefined);
    }),
  );
});

test("the public addresses of this machine lead to its own services", () => {
  const own = ["8.8.8.8", "2606:4700:0:0::1111", "fe80::1%eth0"];
  for (const address of ["8.8.8.8", "2606:4700::1111", "[2606:4700::1111]"])
    assert.equal(addressProblem(address, own), "this machine", address);
  for (const address of ["8.8.4.4", "2606:4700::1112"])
    assert.equal(addressProblem(address, own), undefined, address);
});
