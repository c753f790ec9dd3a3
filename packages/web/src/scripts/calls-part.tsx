import type { ScriptCallList, ScriptCallView } from "@capstan/contract";
import { onMount, Show } from "solid-js";
import { client } from "../api/client.ts";
import { decisionText } from "../calls/decision-text.ts";
import { formatDateTime } from "../texts/numbers/date.ts";
import { formatDuration } from "../format/duration.ts";
import { argumentsLine, prettyJson } from "../format/json-text.ts";
import { KeyedFor } from "../shell/keyed-for.tsx";
import { createLoaded } from "../state/loaded.ts";
import { tracebackOf } from "./traceback.ts";
import { ErrorNotice } from "../shell/error-text.tsx";
import { Button } from "../shell/button.tsx";
import { scriptsTexts } from "../texts/scripts.ts";
import { formatList } from "../texts/numbers/count.ts";

/** The user's recent calls of a file's tools, made by a model or tried here. */
export function CallsPart(props: { readonly id: string }) {
  const calls = createLoaded<Pick<ScriptCallList, "data" | "unreadable">>(
    { data: [], unreadable: [] },
    () => client.scriptCalls(props.id),
  );
  onMount(() => void calls.refresh());
  return (
    <>
      <div class="section-head spread">
        <h3>{scriptsTexts.calls.title}</h3>
        <Button look="small" onClick={() => void calls.refresh()}>
          {scriptsTexts.calls.refresh}
        </Button>
      </div>
      <ErrorNotice message={calls.error()} />
      <Show when={calls.value().unreadable.length > 0}>
        <p class="notice" data-testid="unreadable-calls">
          {scriptsTexts.calls.unreadable(formatList(calls.value().unreadable))}
        </p>
      </Show>
      <ul class="last-calls" data-testid="last-calls">
        <KeyedFor each={calls.value().data} by={({ run, id }) => `${run} ${id}`}>
          {(call) => <LastCall call={call()} />}
        </KeyedFor>
      </ul>
      <Show when={calls.isReady() && calls.value().data.length === 0}>
        <p class="empty">{scriptsTexts.calls.empty}</p>
      </Show>
    </>
  );
}

function LastCall(props: { readonly call: ScriptCallView }) {
  const tone = () => {
    const { status } = props.call;
    return status === "succeeded"
      ? "good"
      : status === "failed" || status === "timed_out"
        ? "bad"
        : "";
  };
  const took = () => {
    const { startedAt, result } = props.call;
    return startedAt === undefined || result === undefined ? "" : formatDuration(result.durationMs);
  };
  const args = () => props.call.args;
  return (
    <li class="last-call" data-testid="last-call" data-status={props.call.status}>
      <details>
        <summary>
          <span class="last-call-line">
            <code>{props.call.name}</code>
            <span class={`tag ${tone()}`}>{props.call.status.replaceAll("_", " ")}</span>
            <span class="parameter-type faint breaks">
              <time datetime={new Date(props.call.proposedAt).toISOString()}>
                {formatDateTime(props.call.proposedAt)}
              </time>
              {took() === "" ? "" : ` · ${took()}`} ·{" "}
              {props.call.made_by === "person"
                ? scriptsTexts.calls.triedHere
                : scriptsTexts.calls.byModel}
            </span>
            <span class="last-call-arguments soft breaks">
              {argumentsLine(args() ?? {}) || props.call.argumentsText.slice(0, 120)}
            </span>
          </span>
        </summary>
        <Show when={props.call.decision}>
          {(decision) => <p class="parameter-type faint breaks">{decisionText(decision())}</p>}
        </Show>
        <pre class="value" tabindex="0" aria-label={scriptsTexts.calls.arguments}>
          {args() === undefined
            ? prettyJson(props.call.argumentsText)
            : JSON.stringify(args(), null, 2)}
        </pre>
        <Show when={props.call.result}>
          {(result) => (
            <pre class="value" tabindex="0" aria-label={scriptsTexts.calls.result}>
              {tracebackOf(result().error) ?? result().finalText}
            </pre>
          )}
        </Show>
      </details>
    </li>
  );
}
