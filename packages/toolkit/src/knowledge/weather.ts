import { defineTool, type Tool, type ToolContext } from "@capstan/core";
import { returnNetworkErrors } from "@capstan/sandbox";
import { z } from "zod";
import { serviceErrors } from "../service/reply-failure.ts";
import { fetchJson } from "../service/service-client.ts";
import {
  findPlace,
  openMeteoReason,
  type Place,
  placeName,
  unexpected,
  type WeatherAccess,
} from "./find-place.ts";
import { compassPoint, weatherWords } from "./weather-codes.ts";

const parameters = z.object({
  place: z
    .string()
    .min(2)
    .max(200)
    .describe('A place, if needed with its region: "Springfield, Illinois". Or "52.52, 13.41".')
    .meta({ examples: ["Bergen, Norway"] }),
  country: z
    .string()
    .refine((code) => /^[A-Za-z]{2}$/.test(code), { error: "expected two letters such as NO" })
    .optional()
    .describe("The country's code of two letters, to select among places of the same name."),
  days: z.int().min(1).max(16).default(3).describe("Days of the forecast, with today."),
  hourly: z.boolean().default(false).describe("Whether to add the forecast of each hour."),
  units: z.enum(["metric", "imperial"]).default("metric"),
  language: z
    .string()
    .refine((code) => /^[a-z]{2}$/.test(code), { error: "expected a code such as en" })
    .default("en")
    .describe("The language of place names."),
});

type Args = z.infer<typeof parameters>;

/** A number that can be missing in the reply. */
type Reading = number | null;

interface Day {
  readonly date: string;
  readonly weather: string;
  readonly min: Reading;
  readonly max: Reading;
  readonly precipitation: Reading;
  /** In percent. */
  readonly chance: Reading;
  readonly wind: Reading;
  readonly sunrise: string;
  readonly sunset: string;
}

interface Hour {
  readonly time: string;
  readonly weather: string;
  readonly temperature: Reading;
  readonly precipitation: Reading;
  readonly chance: Reading;
  readonly wind: Reading;
}

interface Forecast {
  readonly place: Place;
  readonly others: readonly Place[];
  readonly timeZone: string;
  readonly units: {
    readonly temperature: string;
    readonly precipitation: string;
    readonly wind: string;
  };
  readonly current: {
    /** The local time of the place. */
    readonly time: string;
    readonly weather: string;
    readonly temperature: Reading;
    readonly feelsLike: Reading;
    /** In percent. */
    readonly humidity: Reading;
    readonly precipitation: Reading;
    readonly wind: Reading;
    readonly windFrom: string;
  };
  readonly days: readonly Day[];
  readonly hours?: readonly Hour[];
  readonly source: string;
}

/** `Weather`: the weather now, and a forecast, for a place. */
export function weather(access: WeatherAccess): Tool {
  return defineTool({
    name: "Weather",
    description: "Returns the current weather of a place and a forecast of up to 16 days.",
    parameters,
    effects: "read",
    permission: { executionPolicy: "ask-once" },
    timeoutMs: 90_000,
    maxConcurrent: 4,
    retry: { attempts: 3, baseMs: 1_000, maxMs: 10_000 },
    declaredReturnType: {
      type: "{place, timeZone, units, current: {time, weather, temperature, feelsLike, humidity, precipitation, wind, windFrom}, days: {date, weather, min, max, precipitation, chance, wind, sunrise, sunset}[], hours?}",
    },
    examples: [
      { title: "The weather of today and tomorrow.", args: { place: "Bergen, Norway", days: 2 } },
      {
        title: "Every hour of today at a position, in imperial units.",
        args: { place: "40.71, -74.01", days: 1, hourly: true, units: "imperial" },
      },
    ],
    errors: {
      ...serviceErrors,
      no_such_place: "no place has this name",
      ambiguous_place: "several places have this name; the message lists them",
    },
    compressArgs: ({ place, days }) => `${place}, ${days} days`,
    formatForLLM: formatForecast,
    execute: (args, context) => returnNetworkErrors(() => run(args, context, access)),
  });
}

const reading = z
  .number()
  .nullish()
  .transform((value) => value ?? null);
const readings = z.array(reading).default([]);
const texts = z.array(z.string()).default([]);
const unit = z.string().default("");

const forecastReply = z.object({
  timezone: z.string(),
  current_units: z.object({
    temperature_2m: unit,
    precipitation: unit,
    wind_speed_10m: unit,
  }),
  current: z.object({
    time: z.string(),
    temperature_2m: reading,
    relative_humidity_2m: reading,
    apparent_temperature: reading,
    precipitation: reading,
    weather_code: reading,
    wind_speed_10m: reading,
    wind_direction_10m: reading,
  }),
  daily: z.object({
    time: texts,
    weather_code: readings,
    temperature_2m_max: readings,
    temperature_2m_min: readings,
    precipitation_sum: readings,
    precipitation_probability_max: readings,
    wind_speed_10m_max: readings,
    sunrise: texts,
    sunset: texts,
  }),
  hourly: z
    .object({
      time: texts,
      temperature_2m: readings,
      precipitation: readings,
      precipitation_probability: readings,
      weather_code: readings,
      wind_speed_10m: readings,
    })
    .optional(),
});

type Reply = z.infer<typeof forecastReply>;

/** Returns the names of the fields to request, for a part of the reply. */
function fieldsOf(shape: object): string {
  return Object.keys(shape)
    .filter((name) => name !== "time")
    .join(",");
}

async function run(
  { place: written, country, days, hourly, units, language }: Args,
  context: ToolContext,
  access: WeatherAccess,
): Promise<Forecast> {
  context.output.progress({ message: `Looking up ${written}` });
  const { place, others } = await findPlace(
    written,
    { language, country: country?.toUpperCase() },
    context,
    access,
  );
  context.output.progress({ message: `Reading the forecast for ${placeName(place)}` });
  const url = new URL("/v1/forecast", access.weatherUrl);
  url.search = new URLSearchParams({
    latitude: String(place.latitude),
    longitude: String(place.longitude),
    current: fieldsOf(forecastReply.shape.current.shape),
    daily: fieldsOf(forecastReply.shape.daily.shape),
    ...(hourly && { hourly: fieldsOf(forecastReply.shape.hourly.unwrap().shape) }),
    timezone: "auto",
    forecast_days: String(days),
    ...(units === "imperial" && {
      temperature_unit: "fahrenheit",
      wind_speed_unit: "mph",
      precipitation_unit: "inch",
    }),
  }).toString();
  const body = await fetchJson(
    access.send,
    { url, service: "Open-Meteo", headers: { "user-agent": access.userAgent }, context },
    openMeteoReason,
  );
  const read = forecastReply.safeParse(body);
  if (!read.success) throw unexpected();
  return forecastOf(read.data, place, others);
}

function forecastOf(
  { timezone, current_units: units, current, daily, hourly }: Reply,
  place: Place,
  others: readonly Place[],
): Forecast {
  return {
    place,
    others,
    timeZone: timezone,
    units: {
      temperature: units.temperature_2m,
      precipitation: units.precipitation,
      wind: units.wind_speed_10m,
    },
    current: {
      time: current.time,
      weather: weatherWords(current.weather_code),
      temperature: current.temperature_2m,
      feelsLike: current.apparent_temperature,
      humidity: current.relative_humidity_2m,
      precipitation: current.precipitation,
      wind: current.wind_speed_10m,
      windFrom: current.wind_direction_10m === null ? "" : compassPoint(current.wind_direction_10m),
    },
    days: daily.time.map((date, at) => ({
      date,
      weather: weatherWords(daily.weather_code[at]),
      min: daily.temperature_2m_min[at] ?? null,
      max: daily.temperature_2m_max[at] ?? null,
      precipitation: daily.precipitation_sum[at] ?? null,
      chance: daily.precipitation_probability_max[at] ?? null,
      wind: daily.wind_speed_10m_max[at] ?? null,
      sunrise: daily.sunrise[at]?.slice(11) ?? "",
      sunset: daily.sunset[at]?.slice(11) ?? "",
    })),
    ...(hourly !== undefined && {
      hours: hourly.time.map((time, at) => ({
        time,
        weather: weatherWords(hourly.weather_code[at]),
        temperature: hourly.temperature_2m[at] ?? null,
        precipitation: hourly.precipitation[at] ?? null,
        chance: hourly.precipitation_probability[at] ?? null,
        wind: hourly.wind_speed_10m[at] ?? null,
      })),
    }),
    source: "Open-Meteo.com (CC BY 4.0)",
  };
}

function formatForecast(forecast: Forecast): string {
  const { place, others, timeZone, units, current, days, hours, source } = forecast;
  const degrees = (value: Reading) => `${value ?? "?"} ${units.temperature}`;
  const rain = (value: Reading) => `${value ?? "?"} ${units.precipitation}`;
  const wind = (value: Reading) => `${value ?? "?"} ${units.wind}`;
  const chance = (value: Reading) => (value === null ? "" : ` (${value}%)`);
  const named = others.slice(0, 5).map(placeName).join("; ");
  return [
    `${placeName(place)} (${place.latitude}, ${place.longitude})`,
    ...(named === "" ? [] : [`[The largest place of this name. Others: ${named}]`]),
    `Now, ${current.time.replace("T", " ")} ${timeZone}: ${current.weather}, ${degrees(current.temperature)}, feels like ${degrees(current.feelsLike)}, humidity ${current.humidity ?? "?"}%, precipitation ${rain(current.precipitation)}, wind ${wind(current.wind)} from ${current.windFrom || "?"}`,
    "",
    ...days.map(
      (day) =>
        `${day.date}: ${day.weather}, ${degrees(day.min)} to ${degrees(day.max)}, precipitation ${rain(day.precipitation)}${chance(day.chance)}, wind up to ${wind(day.wind)}, sun ${day.sunrise} to ${day.sunset}`,
    ),
    ...(hours === undefined ? [] : [""]),
    ...(hours ?? []).map(
      (hour) =>
        `${hour.time.replace("T", " ")}: ${hour.weather}, ${degrees(hour.temperature)}, ${rain(hour.precipitation)}${chance(hour.chance)}, wind ${wind(hour.wind)}`,
    ),
    "",
    `Source: ${source}`,
  ].join("\n");
}
