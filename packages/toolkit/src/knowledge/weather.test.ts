import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { isToolError, type ToolErrorData } from "@capstan/core";
import { call, callForText, toolOf } from "@capstan/core/testing";
import { type FakeService, sendJson, startFakeService } from "../service/testing/fake-service.ts";
import { knowledgeTools } from "./knowledge-tools.ts";
import { compassPoint, weatherWords } from "./weather-codes.ts";

const springfield = (admin1: string, population: number) => ({
  id: population,
  name: "Springfield",
  latitude: 40,
  longitude: -90,
  country: "United States",
  country_code: "US",
  admin1,
  population,
});
const places: { readonly [name: string]: readonly object[] } = {
  bergen: [
    { name: "Bergen", latitude: 60.39, longitude: 5.32, country: "Norway", country_code: "NO" },
  ],
  paris: [
    { name: "Paris", latitude: 48.85, longitude: 2.35, country: "France", population: 2_138_551 },
    {
      name: "Paris",
      latitude: 33.66,
      longitude: -95.55,
      country: "United States",
      admin1: "Texas",
      population: 24_839,
    },
  ],
  springfield: [
    springfield("Illinois", 116_250),
    springfield("Missouri", 169_176),
    springfield("Massachusetts", 155_929),
  ],
  "são tomé & co": [{ name: "São Tomé & Co", latitude: 0.3, longitude: 6.7 }],
};

const answer: FakeService["answer"] = ({ url }, response) => {
  const query = url.searchParams;
  if (url.pathname === "/v1/search") {
    const results = places[(query.get("name") ?? "").toLowerCase()];
    return sendJson(response, { ...(results && { results }), generationtime_ms: 0.5 });
  }
  const imperial = query.get("temperature_unit") === "fahrenheit";
  sendJson(response, {
    latitude: 60.4,
    longitude: 5.3,
    timezone: "Europe/Oslo",
    current_units: {
      temperature_2m: imperial ? "°F" : "°C",
      precipitation: imperial ? "inch" : "mm",
      wind_speed_10m: imperial ? "mp/h" : "km/h",
    },
    current: {
      time: "2026-03-01T12:15",
      interval: 900,
      temperature_2m: 7.5,
      relative_humidity_2m: 81,
      apparent_temperature: 4,
      precipitation: 0.2,
      weather_code: 61,
      wind_speed_10m: 20.1,
      wind_direction_10m: 225,
    },
    daily: {
      time: ["2026-03-01"],
      weather_code: [80],
      temperature_2m_max: [9],
      temperature_2m_min: [3],
      precipitation_sum: [null],
      precipitation_probability_max: [90],
      wind_speed_10m_max: [30],
      sunrise: ["2026-03-01T07:10"],
      sunset: ["2026-03-01T17:55"],
    },
    ...(query.has("hourly") && {
      hourly: {
        time: ["2026-03-01T00:00"],
        temperature_2m: [5],
        precipitation: [0],
        precipitation_probability: [null],
        weather_code: [3],
        wind_speed_10m: [10],
      },
    }),
  });
};

let service: FakeService;
before(async () => {
  service = await startFakeService(answer);
});
beforeEach(() => {
  service.answer = answer;
});
after(() => service[Symbol.asyncDispose]());

const tool = () =>
  toolOf(knowledgeTools({ weatherUrl: service.url, geocodingUrl: service.url }), "Weather");
const defaults = { days: 1, hourly: false, units: "metric", language: "en" };

async function failure(place: string): Promise<ToolErrorData> {
  const result = await call(tool(), { ...defaults, place });
  assert.ok(isToolError(result), JSON.stringify(result));
  return result;
}

test("the weather of a place is in words, with units, local time and its source", async () => {
  const text = await callForText(tool(), { ...defaults, place: "Bergen" });
  assert.equal(
    text,
    `Bergen, Norway (60.39, 5.32)
Now, 2026-03-01 12:15 Europe/Oslo: light rain, 7.5 °C, feels like 4 °C, humidity 81%, precipitation 0.2 mm, wind 20.1 km/h from SW

2026-03-01: light rain showers, 3 °C to 9 °C, precipitation ? mm (90%), wind up to 30 km/h, sun 07:10 to 17:55

Source: Open-Meteo.com (CC BY 4.0)`,
  );
  const query = service.requests.at(-1)?.url.searchParams;
  assert.equal(query?.get("timezone"), "auto");
  assert.equal(query.get("forecast_days"), "1");
  assert.equal(query.has("hourly"), false);
});

test("hours and imperial units are requested and returned", async () => {
  const args = { ...defaults, place: "60.39, 5.32", hourly: true, units: "imperial" };
  const text = await callForText(tool(), args);
  assert.match(text, /7\.5 °F.*mp\/h/);
  assert.match(text, /2026-03-01 00:00: overcast, 5 °F, 0 inch, wind 10 mp\/h/);
  const query = service.requests.at(-1)?.url.searchParams;
  assert.equal(query?.get("wind_speed_unit"), "mph");
  assert.equal(query.get("precipitation_unit"), "inch");
  assert.equal(query.get("latitude"), "60.39");
});

test("a name is URL-encoded, and its region and country select the place", async () => {
  await callForText(tool(), { ...defaults, place: "São Tomé & Co", country: "st" });
  const query = service.requests.at(-2)?.url.searchParams;
  assert.equal(query?.get("name"), "São Tomé & Co");
  assert.equal(query.get("countryCode"), "ST");
  const text = await callForText(tool(), { ...defaults, place: "Springfield, illinois, US" });
  assert.match(text, /^Springfield, Illinois, United States/);
});

test("among places of the same name the largest is chosen, or all are listed", async () => {
  const text = await callForText(tool(), { ...defaults, place: "Paris" });
  assert.match(text, /^Paris, France .*\n\[The largest .* Others: Paris, Texas, United States\]/);
  const { code, message } = await failure("Springfield");
  assert.equal(code, "ambiguous_place");
  assert.match(message, /3 places called "Springfield": Springfield, Missouri, .* \(40, -90\); /);
  assert.match(message, /Name the region, for example "Springfield, Missouri"/);
});

test("a place that does not exist has no results, and a wrong region names the places", async () => {
  assert.equal((await failure("Xyzzy")).code, "no_such_place");
  assert.match((await failure("Bergen, Peru")).message, /There are: Bergen, Norway/);
  assert.match((await failure("100, 20")).message, /latitude is from -90 to 90/);
});

test("a failure has the service's reason, and a rate limit can be retried", async () => {
  const fail = (status: number, reason: string) => {
    service.answer = ({ url }, response) =>
      url.pathname === "/v1/search"
        ? answer({ url } as never, response)
        : sendJson(response, { error: true, reason }, { status });
  };
  fail(400, "Forecast days is invalid. Allowed range 0 to 16. Given 20.");
  const wrong = await failure("Bergen");
  assert.deepEqual([wrong.code, wrong.retryable], ["rejected", false]);
  assert.match(wrong.message, /Allowed range 0 to 16/);
  fail(429, "Minutely API request limit exceeded. Please try again in one minute.");
  const limited = await failure("Bergen");
  assert.deepEqual([limited.code, limited.retryable], ["rate_limited", true]);
  fail(503, "The service is overloaded");
  assert.equal((await failure("Bergen")).code, "service_failed");
  service.answer = (_request, response) => sendJson(response, { results: "none" });
  assert.equal((await failure("Bergen")).code, "unexpected_reply");
});

test("each weather code has a description", () => {
  const codes = [0, 1, 2, 3, 45, 48, 51, 53, 55, 56, 57, 61, 63, 65, 66, 67, 71, 73, 75, 77];
  codes.push(80, 81, 82, 85, 86, 95, 96, 99);
  for (const code of codes) assert.doesNotMatch(weatherWords(code), /\d|unknown/);
  assert.equal(weatherWords(42), "weather code 42");
  assert.deepEqual([0, 44, 359, -90].map(compassPoint), ["N", "NE", "N", "W"]);
});
