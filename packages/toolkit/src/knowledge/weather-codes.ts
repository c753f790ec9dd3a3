/** The weather codes of the World Meteorological Organization that Open-Meteo uses. */
const words: { readonly [code: number]: string } = {
  0: "clear sky",
  1: "mainly clear",
  2: "partly cloudy",
  3: "overcast",
  45: "fog",
  48: "fog with rime",
  51: "light drizzle",
  53: "drizzle",
  55: "heavy drizzle",
  56: "light freezing drizzle",
  57: "freezing drizzle",
  61: "light rain",
  63: "rain",
  65: "heavy rain",
  66: "light freezing rain",
  67: "freezing rain",
  71: "light snow",
  73: "snow",
  75: "heavy snow",
  77: "snow grains",
  80: "light rain showers",
  81: "rain showers",
  82: "violent rain showers",
  85: "light snow showers",
  86: "snow showers",
  95: "thunderstorm",
  96: "thunderstorm with light hail",
  99: "thunderstorm with hail",
};

/** Returns a weather code in words; an unknown code is named by its number. */
export function weatherWords(code: number | null | undefined): string {
  if (code === null || code === undefined) return "unknown";
  return words[code] ?? `weather code ${code}`;
}

const winds = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"] as const;

/**
 * Returns the direction that a wind comes from.
 *
 * @example compassPoint(225) // "SW"
 */
export function compassPoint(degrees: number): string {
  return winds[Math.round((((degrees % 360) + 360) % 360) / 45) % 8] ?? "N";
}
