import { For, Show } from "solid-js";
import { useApp } from "../state/app-state.ts";

import { WholeArguments } from "../approvals/arguments-view.tsx";
import { formatDuration } from "../format/duration.ts";
import { prettyJson } from "../format/json-text.ts";
import type { CallState } from "../run/call-state.ts";
import { TextSection } from "../shell/text-section.tsx";
import { ContentParts } from "../shell/content-parts.tsx";
import { decisionText, reviewText } from "./decision-text.ts";
import { notePicture } from "./note-picture.ts";
import { Button } from "../shell/button.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { callsTexts } from "../texts/calls.ts";

/** The maximum number of characters that are shown of an event's data. */
const noteChars = 2_000;

/** The details of a call: arguments, repairs, decision, output, and the result that the model saw. */
export function CallDetails(props: { readonly id: string; readonly call: CallState }) {
  const { isExpert, showVariable } = useApp();
  const args = () => {
    const { args: resolved, argumentsText } = props.call;
    return resolved === null
      ? prettyJson(argumentsText || "{}")
      : JSON.stringify(resolved, null, 2);
  };
  const title = () => (props.call.edited ? callsTexts.editedArguments : callsTexts.arguments);
  const output = () => props.call.outputs.map(({ text }) => text).join("");
  const result = () => props.call.result;
  const numbers = () => {
    const settled = result();
    if (settled === null) return "";

    const time =
      props.call.startedAt === null || props.call.status === "outcome_unknown"
        ? []
        : [formatDuration(settled.durationMs)];
    return [...time, ...(isExpert() ? [callsTexts.numbers(settled.tokens)] : [])].join(" · ");
  };

  return (
    <div class="call-details stack" id={props.id} data-testid="call-details">
      <Show
        when={isExpert() ? null : props.call.args}
        fallback={<TextSection title={title()} text={args()} testId="call-arguments" />}
      >
        {(plain) => (
          <section data-testid="call-arguments">
            <div class="section-head spread">
              <h3>{title()}</h3>
            </div>
            <WholeArguments args={plain()} />
          </section>
        )}
      </Show>
      <Show when={props.call.repairs.length > 0}>
        <section>
          <div class="section-head spread">
            <h3>{callsTexts.repairs}</h3>
          </div>
          <ul class="repairs" data-testid="call-repairs">
            <For each={props.call.repairs}>
              {(repair) => (
                <li>
                  <VisibleText text={repair} />
                </li>
              )}
            </For>
          </ul>
        </section>
      </Show>
      <Show when={props.call.decision}>
        {(decision) => (
          <p class="decision breaks" data-testid="call-decision">
            <VisibleText text={decisionText(decision())} />
          </p>
        )}
      </Show>
      <Show when={props.call.reviewed}>
        {(reviewed) => (
          <p class="decision breaks" data-testid="call-reviewed">
            <VisibleText text={reviewText(reviewed())} />
          </p>
        )}
      </Show>
      <Show when={output() !== ""}>
        <TextSection title={callsTexts.output} text={output()} />
      </Show>
      <For each={props.call.notes}>
        {(note) => (
          <Show
            when={notePicture(note.data)}
            fallback={
              <Show when={isExpert()}>
                <p class="call-note breaks">
                  <code>
                    <VisibleText isLine text={note.name} />
                  </code>{" "}
                  <VisibleText text={JSON.stringify(note.data).slice(0, noteChars)} />
                </p>
              </Show>
            }
          >
            {(picture) => <ContentParts parts={[picture()]} tool={props.call.name} />}
          </Show>
        )}
      </For>
      <Show when={result()}>
        {(settled) => (
          <>
            <TextSection
              title={settled().isTruncated ? callsTexts.truncatedResult : callsTexts.result}
              text={settled().finalText}
              testId="call-result"
            />
            <ContentParts parts={settled().parts ?? []} tool={props.call.name} />
            <div class="call-foot spread">
              <Show when={settled().cacheVarResult}>
                {(name) => (
                  <Button data-testid="open-variable" onClick={() => showVariable(name())}>
                    {callsTexts.openValue}{" "}
                    <code>
                      <VisibleText isLine text={name()} />
                    </code>
                  </Button>
                )}
              </Show>
              <span class="faint">{numbers()}</span>
            </div>
          </>
        )}
      </Show>
    </div>
  );
}
