import type { UsageView } from "@capstan/contract";
import { createEffect, createSignal, For, on, Show } from "solid-js";
import { client } from "../api/client.ts";
import { ErrorNotice } from "../shell/error-text.tsx";
import { useApp } from "../state/app-state.ts";
import { createLoaded } from "../state/loaded.ts";
import { formatCost, formatCount, formatShort } from "../texts/numbers/count.ts";
import { settingsTexts } from "../texts/settings.ts";
import { sumByDay, sumByModel, sumOf, type UsageSum } from "./usage-sums.ts";

const texts = settingsTexts.usage;
const periods = [7, 30, 90] as const;

/** The tokens and costs of the user, by day and by model. */
export function UsageSection() {
  const { isExpert } = useApp();
  const [days, setDays] = createSignal<number>(30);
  const usage = createLoaded<readonly UsageView[]>([], () =>
    client.usage({ days: days(), utcOffset: -new Date().getTimezoneOffset() }),
  );
  createEffect(on(days, () => void usage.refresh()));
  const total = () => sumOf(usage.value());

  return (
    <>
      <div class="spread usage-head">
        <p class="panel-text">{texts.about}</p>
        <label class="visually-hidden" for="usage-period">
          {texts.period}
        </label>
        <select
          id="usage-period"
          class="select"
          data-testid="usage-period"
          onChange={(event) => setDays(Number(event.currentTarget.value))}
        >
          <For each={periods}>
            {(period) => (
              <option value={period} selected={period === days()}>
                {texts.days(period)}
              </option>
            )}
          </For>
        </select>
      </div>
      <ErrorNotice message={usage.error()} />
      <Show
        when={usage.isReady()}
        fallback={
          <p class="empty" role="status">
            {texts.loading}
          </p>
        }
      >
        <Show
          when={usage.value().length > 0}
          fallback={
            <p class="empty" data-testid="usage-empty">
              {texts.empty}
            </p>
          }
        >
          <dl class="usage-total flow" data-testid="usage-total">
            <Figure name={texts.cost} value={costText(total())} />
            <Show when={isExpert()}>
              <Figure
                name={texts.input}
                value={formatShort(total().input)}
                title={formatCount(total().input)}
              />
              <Figure
                name={texts.output}
                value={formatShort(total().output)}
                title={formatCount(total().output)}
              />
            </Show>
            <Figure name={texts.answers} value={formatCount(total().runs)} />
          </dl>
          <Show when={isExpert()} fallback={<p class="faint usage-note">{texts.inExpertMode}</p>}>
            <Days days={sumByDay(usage.value(), days(), Date.now())} />
          </Show>
          <Models models={sumByModel(usage.value())} />
          <Show when={total().isPartial}>
            <p class="faint usage-note">{texts.unpriced}</p>
          </Show>
        </Show>
      </Show>
    </>
  );
}

function Figure(props: { readonly name: string; readonly value: string; readonly title?: string }) {
  return (
    <div class="usage-figure">
      <dt>{props.name}</dt>
      <dd title={props.title}>{props.value}</dd>
    </div>
  );
}

/** A bar for each day. The table below has the same figures for screen readers. */
function Days(props: { readonly days: readonly (UsageSum & { readonly day: string })[] }) {
  const most = () => Math.max(1, ...props.days.map((day) => day.input + day.output));
  const width = () => 100 / props.days.length;
  return (
    <figure class="usage-days">
      <svg
        viewBox="0 0 100 40"
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.chart(props.days.length)}
      >
        <For each={props.days}>
          {(day, index) => {
            const height = () => (40 * (day.input + day.output)) / most();
            return (
              <rect
                class="usage-bar"
                x={index() * width() + width() * 0.12}
                y={40 - height()}
                width={width() * 0.76}
                height={height()}
              >
                <title>
                  {texts.day(day.day, formatCount(day.input + day.output), costText(day))}
                </title>
              </rect>
            );
          }}
        </For>
      </svg>
      <figcaption class="spread faint">
        <span>{props.days[0]?.day}</span>
        <span>{texts.perDay}</span>
        <span>{props.days.at(-1)?.day}</span>
      </figcaption>
    </figure>
  );
}

function Models(props: { readonly models: readonly (UsageSum & { readonly model: string })[] }) {
  const { isExpert } = useApp();
  return (
    <div class="usage-table" tabindex="0" role="region" aria-label={texts.byModel}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.model}</th>
            <th scope="col">{texts.answers}</th>
            <Show when={isExpert()}>
              <th scope="col">{texts.input}</th>
              <th scope="col">{texts.output}</th>
            </Show>
            <th scope="col">{texts.cost}</th>
          </tr>
        </thead>
        <tbody>
          <For each={props.models}>
            {(model) => (
              <tr data-testid="usage-model">
                <th scope="row" class="breaks">
                  {model.model}
                </th>
                <td>{formatCount(model.runs)}</td>
                <Show when={isExpert()}>
                  <td title={texts.cached(formatCount(model.cached))}>
                    {formatCount(model.input)}
                  </td>
                  <td>{formatCount(model.output)}</td>
                </Show>
                <td>{costText(model)}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
}

function costText({ cost, isPartial }: UsageSum): string {
  if (cost === null) return texts.unknown;
  return isPartial ? texts.atLeast(formatCost(cost)) : formatCost(cost);
}
