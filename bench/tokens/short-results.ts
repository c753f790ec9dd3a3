import type { Message } from "@capstan/core";
import type { ScriptedCall } from "@capstan/core/testing";
import { airlineTools, reservations, user } from "./airline.ts";
import { prose } from "./text.ts";
import type { Workload } from "./workload.ts";

const call = (name: string, args: object): ScriptedCall => ({ name, args });
const reservation = (reservation_id: string) => call("GetReservation", { reservation_id });
const change = {
  reservation_id: "K7QX2M",
  cabin: "economy",
  flights: [
    { flight_number: "HAT136", date: "2026-05-21" },
    { flight_number: "HAT194", date: "2026-05-25" },
  ],
  payment_id: "credit_card_7815826",
};

/** If a result that the model needs is no longer shown, the model reads it again. */
function again(before: readonly Message[], name: string, result: object) {
  const text = JSON.stringify(result);
  const isShown = before.some(({ role, content }) => role === "tool" && content.startsWith(text));
  return isShown ? [] : [{ calls: [call("ReadVar", { name })] }];
}

/** An airline's service desk: many short turns, results of a few hundred tokens, a long policy. */
export const shortResults: Workload = {
  name: "short results (an airline's desk)",
  instructions: `You serve the customers of an airline. Keep to its policy.\n\n${prose(41, 6_000)}`,
  tools: airlineTools,
  turns: [
    { user: "Hello, I need to change a trip.", steps: () => ["Gladly. May I have your user id?"] },
    {
      user: "It is ingrid_solheim_4417.",
      steps: () => [
        { calls: [call("GetUser", { user_id: "ingrid_solheim_4417" })] },
        prose(42, 250),
      ],
    },
    {
      user: "The one to New York, I do not know its number.",
      steps: () => [
        { calls: ["K7QX2M", "P3WVTA", "ZC81LD"].map(reservation) },
        `It is K7QX2M: HAT083 on 2026-05-21 and HAT194 back on 2026-05-25, economy. ${prose(43, 250)}`,
      ],
    },
    {
      user: "I would rather leave in the afternoon that day. What is there?",
      steps: () => [
        {
          calls: [
            call("SearchDirectFlights", { origin: "SEA", destination: "JFK", date: "2026-05-21" }),
          ],
        },
        `HAT136 leaves at 14:00 for 145 in economy, HAT222 at 18:00 for 159. ${prose(44, 200)}`,
      ],
    },
    {
      user: "The one at two, with my Visa card.",
      steps: (_column, before) => [
        // The card's id is in the profile.
        ...again(before, "GetUser_1", user),
        { calls: [call("UpdateFlights", change)] },
        prose(45, 300),
      ],
    },
    {
      user: "And two bags more, please, on the same card.",
      steps: () => [
        {
          calls: [
            call("UpdateBaggage", {
              reservation_id: "K7QX2M",
              total_baggages: 3,
              nonfree_baggages: 2,
              payment_id: "credit_card_7815826",
            }),
          ],
        },
        prose(46, 250),
      ],
    },
    {
      user: "My trip to Denver is off: cancel it if I get the money back.",
      steps: (_column, before) => [
        ...again(before, "GetReservation_2", reservations.P3WVTA),
        { calls: [call("CancelReservation", { reservation_id: "P3WVTA" })] },
        prose(47, 300),
      ],
    },
    { user: "When will I have it?", steps: () => [prose(48, 150)] },
    { user: "Thank you, that is all.", steps: () => ["You are welcome. Have a good trip!"] },
  ],
};
