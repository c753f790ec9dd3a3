import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { plain } from "./workload.ts";

// Records of a realistic size for a service desk: a few hundred tokens each.

const passengers = [
  { first_name: "Ingrid", last_name: "Solheim", dob: "1984-07-19" },
  { first_name: "Tomas", last_name: "Solheim", dob: "1982-02-03" },
];

export const user = {
  user_id: "ingrid_solheim_4417",
  name: { first_name: "Ingrid", last_name: "Solheim" },
  address: {
    address1: "418 Harbour Street",
    address2: "Suite 12",
    city: "Seattle",
    country: "USA",
    state: "WA",
    zip: "98101",
  },
  email: "ingrid.solheim@example.com",
  dob: "1984-07-19",
  payment_methods: {
    credit_card_7815826: {
      source: "credit_card",
      id: "credit_card_7815826",
      brand: "visa",
      last_four: "9212",
    },
    gift_card_3112961: { source: "gift_card", id: "gift_card_3112961", amount: 113 },
    certificate_7504069: { source: "certificate", id: "certificate_7504069", amount: 250 },
  },
  saved_passengers: [{ first_name: "Tomas", last_name: "Solheim", dob: "1982-02-03" }],
  membership: "silver",
  reservations: ["K7QX2M", "P3WVTA", "ZC81LD"],
};

function reservation(id: string, origin: string, destination: string, numbers: readonly string[]) {
  return {
    reservation_id: id,
    user_id: user.user_id,
    origin,
    destination,
    flight_type: numbers.length > 1 ? "round_trip" : "one_way",
    cabin: "economy",
    flights: numbers.map((flight_number, n) => ({
      flight_number,
      origin: n === 0 ? origin : destination,
      destination: n === 0 ? destination : origin,
      date: `2026-05-${21 + 4 * n}`,
      price: 127 + 31 * n,
    })),
    passengers,
    payment_history: [{ payment_id: "credit_card_7815826", amount: 285 }],
    created_at: "2026-05-09T17:12:44",
    total_baggages: 1,
    nonfree_baggages: 0,
    insurance: "no",
  };
}

export const reservations = {
  K7QX2M: reservation("K7QX2M", "SEA", "JFK", ["HAT083", "HAT194"]),
  P3WVTA: reservation("P3WVTA", "SEA", "DEN", ["HAT021"]),
  ZC81LD: reservation("ZC81LD", "PHX", "SEA", ["HAT245", "HAT112"]),
};

const flights = ["HAT041", "HAT136", "HAT222"].map((flight_number, n) => ({
  flight_number,
  origin: "SEA",
  destination: "JFK",
  scheduled_departure_time_est: `${10 + 4 * n}:00:00`,
  scheduled_arrival_time_est: `${15 + 4 * n}:30:00`,
  status: "available",
  available_seats: { basic_economy: 17 - n, economy: 12 + n, business: 3 },
  prices: { basic_economy: 71 + n, economy: 131 + 14 * n, business: 402 },
}));

const id = z.string().describe("The reservation, e.g. 8JX2WO.");
const payment = z.string().describe("The id of a payment method in the user's profile.");
const airport = z.string().describe("The airport's code, e.g. JFK.");
const day = z.string().describe("YYYY-MM-DD.");
const cabin = z.enum(["basic_economy", "economy", "business"]);
const leg = z.object({ flight_number: z.string(), date: day });
const passenger = z.object({ first_name: z.string(), last_name: z.string(), dob: day });

type Known = keyof typeof reservations;
const found = (name: string) => reservations[name as Known];
const tool = (
  name: string,
  description: string,
  parameters: z.ZodType,
  execute: (args: never) => unknown,
): Tool =>
  defineTool({
    ...plain,
    name,
    description,
    parameters,
    execute: execute as (args: unknown) => unknown,
  });

/** The tools of an airline's service desk, each with the description that a model needs. */
export const airlineTools: readonly Tool[] = [
  tool(
    "GetUser",
    "The user's profile: address, payment methods, saved passengers, membership and reservations.",
    z.object({ user_id: z.string().describe("e.g. sara_doe_496.") }),
    () => user,
  ),
  tool(
    "GetReservation",
    "A reservation: flights, passengers, payments, bags and insurance.",
    z.object({ reservation_id: id }),
    ({ reservation_id }: { reservation_id: string }) => found(reservation_id),
  ),
  tool(
    "SearchDirectFlights",
    "Direct flights between two airports on a date, with seats and prices.",
    z.object({ origin: airport, destination: airport, date: day }),
    () => flights,
  ),
  tool(
    "SearchOneStopFlights",
    "Flights with one stop between two airports on a date.",
    z.object({ origin: airport, destination: airport, date: day }),
    () => [],
  ),
  tool(
    "BookReservation",
    "Books flights for one or more passengers. The total must match what is paid.",
    z.object({
      user_id: z.string(),
      origin: airport,
      destination: airport,
      cabin,
      flights: z.array(leg),
      passengers: z.array(passenger),
      payment_methods: z.array(z.object({ payment_id: payment, amount: z.number() })),
      total_baggages: z.number(),
      nonfree_baggages: z.number(),
      insurance: z.enum(["yes", "no"]),
    }),
    () => reservations.K7QX2M,
  ),
  tool(
    "CancelReservation",
    "Cancels a whole reservation and refunds it to the payment methods it was paid with.",
    z.object({ reservation_id: id }),
    ({ reservation_id }: { reservation_id: string }) => ({
      ...found(reservation_id),
      status: "cancelled",
    }),
  ),
  tool(
    "UpdateFlights",
    "Changes a reservation's flights or cabin. All flights must be named, those that stay too.",
    z.object({ reservation_id: id, cabin, flights: z.array(leg), payment_id: payment }),
    () => reservation("K7QX2M", "SEA", "JFK", ["HAT136", "HAT194"]),
  ),
  tool(
    "UpdateBaggage",
    "Changes how many bags a reservation has.",
    z.object({
      reservation_id: id,
      total_baggages: z.number(),
      nonfree_baggages: z.number(),
      payment_id: payment,
    }),
    () => ({ ...reservation("K7QX2M", "SEA", "JFK", ["HAT136", "HAT194"]), total_baggages: 3 }),
  ),
  tool(
    "UpdatePassengers",
    "Changes the passengers' details; their number stays.",
    z.object({ reservation_id: id, passengers: z.array(passenger) }),
    () => reservations.K7QX2M,
  ),
  tool(
    "SendCertificate",
    "Sends the user a certificate of an amount.",
    z.object({ user_id: z.string(), amount: z.number() }),
    () => "Sent.",
  ),
  tool("ListAirports", "All airports with their cities.", z.object({}), () => []),
  tool(
    "Calculate",
    "The value of an arithmetic expression.",
    z.object({ expression: z.string().describe("e.g. 2 * (3 + 4).") }),
    () => "42",
  ),
  tool(
    "TransferToPerson",
    "Transfers the user to a human agent, with a summary.",
    z.object({ summary: z.string() }),
    () => "Transferred.",
  ),
];
