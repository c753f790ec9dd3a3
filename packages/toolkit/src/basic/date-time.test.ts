import assert from "node:assert/strict";
import { test } from "node:test";
import { isToolError, type ToolErrorData } from "@capstan/core";
import fc from "fast-check";
import { call, callForText } from "@capstan/core/testing";
import { addDuration, durationBetween } from "./calendar-arithmetic.ts";
import { dateTime } from "./date-time.ts";
import { parseTime } from "./parse-time.ts";
import { timeAt, timeOf } from "./zone.ts";

const tool = dateTime({
  now: () => Date.parse("2026-11-21T22:59:41Z"),
  monotonic: () => 0,
  after: () => () => {},
});
const text = (args: { readonly [name: string]: unknown }) => callForText(tool, args);

async function failure(args: { readonly [name: string]: unknown }): Promise<ToolErrorData> {
  const result = await call(tool, args);
  assert.ok(isToolError(result), JSON.stringify(result));
  return result;
}

test("now returns the clock's time in the requested zone", async () => {
  assert.equal(await text({}), "2026-11-21T22:59:41Z (Saturday, UTC)");
  assert.equal(
    await text({ zone: "Asia/Kolkata" }),
    "2026-11-22T04:29:41+05:30 (Sunday, Asia/Kolkata)",
  );
});

test("a time without an offset is local to the zone", async () => {
  const args = { operation: "convert", time: "2026-07-01T12:00", zone: "Europe/Berlin" };
  assert.match(await text({ ...args, toZone: "UTC" }), /^2026-07-01T10:00:00Z/);
  assert.match(
    await text({ ...args, time: "2026-07-01T12:00+00:00" }),
    /^2026-07-01T14:00:00\+02:00/,
  );
});

test("a skipped hour moves forward, a repeated hour is the first one, and the result mentions both", async () => {
  const args = { operation: "convert", zone: "Europe/Berlin" };
  const skipped = await text({ ...args, time: "2026-03-29T02:30" });
  assert.match(skipped, /^2026-03-29T03:30:00\+02:00.*\n.*skip that time/);
  const repeated = await text({ ...args, time: "2026-10-25T02:30" });
  assert.match(repeated, /^2026-10-25T02:30:00\+02:00.*\n.*twice/);
});

test("an unknown zone is an error that names similar zones", async () => {
  const error = await failure({ zone: "Berlin" });
  assert.equal(error.code, "unknown_zone");
  assert.match(error.message, /"Europe\/Berlin"/);
  assert.match((await failure({ zone: "America/New York" })).message, /"America\/New_York"/);
});

test("times that do not exist are rejected with the reason", async () => {
  const convert = (time: string) => failure({ operation: "convert", time });
  assert.match((await convert("2026-02-30")).message, /2026-02 has 28 days/);
  assert.match((await convert("2026-13-01")).message, /no month 13/);
  assert.match((await convert("2026-01-01T24:00")).message, /hours go from 00 to 23/);
  assert.match((await convert("next tuesday")).message, /Write it as/);
  assert.match((await convert("2026-01-01T10:00+99:00")).message, /offset/);
});

test("months and days are counted on the calendar, hours as exact time", async () => {
  const add = (time: string, duration: object, zone = "UTC") =>
    text({ operation: "add", time, duration, zone });
  assert.match(await add("2024-01-31", { months: 1 }), /^2024-02-29T/);
  assert.match(await add("2024-02-29", { years: 1 }), /^2025-02-28T/);
  assert.match(await add("2026-01-15", { months: -2 }), /^2025-11-15T/);
  const eve = "2026-03-28T12:00";
  assert.match(await add(eve, { days: 1 }, "Europe/Berlin"), /^2026-03-29T12:00:00\+02:00/);
  assert.match(await add(eve, { hours: 24 }, "Europe/Berlin"), /^2026-03-29T13:00:00\+02:00/);
});

test("durations that leave the calendar are rejected, whatever their size", async () => {
  for (const duration of [{ years: 1e9 }, { years: -3000 }, { days: 1e12 }, { seconds: 1e15 }]) {
    assert.equal((await failure({ operation: "add", duration })).code, "out_of_range");
  }
  assert.equal(
    (await failure({ operation: "add", duration: { days: 0.5 } })).code,
    "invalid_duration",
  );
});

test("a difference has calendar units and the exact time", async () => {
  const between = (time: string, until: string) => text({ operation: "difference", time, until });
  assert.match(
    await between("2024-02-29", "2026-11-21"),
    /^2 years, 8 months, 23 days; .* = 996 days$/,
  );
  assert.match(
    await between("2026-01-01T12:00", "2026-01-01"),
    /^12 hours \(until is before time\)/,
  );
  assert.match(await between("2026-01-01", "2026-01-01"), /^0 seconds;/);
  assert.equal((await failure({ operation: "difference" })).code, "missing_argument");
});

test("formats are styles or patterns, and an unknown letter is named", async () => {
  const show = (format: string, locale?: string) =>
    text({
      operation: "convert",
      time: "2026-03-05T14:07:09.005",
      format,
      ...(locale && { locale }),
    });
  assert.equal(
    await show("EEEE d MMMM yyyy 'at' HH:mm:ss.SSS"),
    "Thursday 5 March 2026 at 14:07:09.005",
  );
  assert.equal(await show("YYYY-MM-DD hh:mm A"), "2026-03-05 02:07 PM");
  assert.equal(await show("yyyy/MM/dd, yyyy"), "2026/03/05, 2026");
  assert.equal(await show("EEEE, MMMM", "de"), "Donnerstag, März");
  assert.equal(await show("unix"), "1772719629");
  assert.equal(await show("'it''s' h"), "it's 2");
  const format = (format: string) => failure({ format });
  assert.match((await format("yyyy-QQ")).message, /no "QQ"/);
  assert.match((await format("constructor")).message, /no "c"/);
  assert.match((await failure({ format: "full", locale: "no such" })).message, /language tag/);
});

const zones = fc.constantFrom(
  "UTC",
  "Europe/Berlin",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
);
const instants = fc.integer({ min: Date.parse("1930-01-01"), max: Date.parse("2100-01-01") });

test("the local time of an instant is that instant, or an earlier one with the same clock", () => {
  fc.assert(
    fc.property(instants, zones, (instant, zone) => {
      const local = timeAt(instant, zone).toPlainDateTime();
      const { time } = timeOf(local, zone);
      assert.ok(time.epochMilliseconds <= instant);
      assert.equal(time.toPlainDateTime().toString(), local.toString());
    }),
  );
});

test("a start plus the difference to an end is that end", () => {
  fc.assert(
    fc.property(instants, instants, zones, (a, b, zone) => {
      const [from, to] = [timeAt(Math.min(a, b), zone), timeAt(Math.max(a, b), zone)];
      const { duration } = durationBetween(from, to);
      assert.equal(addDuration(from, duration)?.time.epochMilliseconds, to.epochMilliseconds);
    }),
  );
});

test("parsing a time never throws", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const parsed = parseTime(text, "UTC", 0);
      assert.ok(isToolError(parsed) || parsed.time.timeZoneId === "UTC");
    }),
  );
});
