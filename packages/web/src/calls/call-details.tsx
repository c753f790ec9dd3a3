import { For, Show, type JSX } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { formatCount } from "../format/count.ts";
import { formatDuration } from "../format/duration.ts";
import { prettyJson } from "../format/json-text.ts";
import type { CallState } from "../run/call-state.ts";
import { CopyButton } from "../shell/copy-button.tsx";
import { ContentParts } from "../shell/content-parts.tsx";
import { decisionText, reviewText } from "./decision-text.ts";
import { notePicture } from "./note-picture.ts";
import { Button } from "../shell/button.tsx";

/** Characters of an event's data that are shown. */
const noteChars = 2_000;

/** All there is to a call: arguments, what was repaired, who decided, what it said, what the model saw. */
export function CallDetails(props: { readonly id: string; readonly call: CallState }) {
  const { showVariable } = useApp();
  const args = () => {
    const { args: resolved, argumentsText } = props.call;
    return resolved === null
      ? prettyJson(argumentsText || "{}")
      : JSON.stringify(resolved, null, 2);
  };
  const output = () => props.call.outputs.map(({ text }) => text).join("");
  const result = () => props.call.result;
  const numbers = () => {
    const settled = result();
    if (settled === null) return "";
    const { shown, withheld, arguments: args } = settled.tokens;
    const time =
      props.call.startedAt === null || props.call.status === "outcome_unknown"
        ? ""
        : `${formatDuration(settled.durationMs)} · `;
    return `${time}${formatCount(shown)} tokens shown to the model · ${formatCount(withheld)} withheld from it · ${formatCount(args)} of arguments`;
  };

  return (
    <div class="call-details stack" id={props.id} data-testid="call-details">
      <Section
        title={props.call.edited ? "Arguments, as you changed them" : "Arguments"}
        copy={args()}
      >
        <pre class="value" tabindex="0" data-testid="call-arguments">
          {args()}
        </pre>
      </Section>
      <Show when={props.call.repairs.length > 0}>
        <Section title="Repaired in the arguments">
          <ul class="repairs" data-testid="call-repairs">
            <For each={props.call.repairs}>{(repair) => <li>{repair}</li>}</For>
          </ul>
        </Section>
      </Show>
      <Show when={props.call.decision}>
        {(decision) => (
          <p class="decision breaks" data-testid="call-decision">
            {decisionText(decision())}
          </p>
        )}
      </Show>
      <Show when={props.call.reviewed}>
        {(reviewed) => (
          <p class="decision breaks" data-testid="call-reviewed">
            {reviewText(reviewed())}
          </p>
        )}
      </Show>
      <Show when={output() !== ""}>
        <Section title="What it said while it ran" copy={output()}>
          <pre class="value" tabindex="0">
            {output()}
          </pre>
        </Section>
      </Show>
      <For each={props.call.notes}>
        {(note) => (
          <Show
            when={notePicture(note.data)}
            fallback={
              <p class="call-note breaks">
                <code>{note.name}</code> {JSON.stringify(note.data).slice(0, noteChars)}
              </p>
            }
          >
            {(picture) => <ContentParts parts={[picture()]} />}
          </Show>
        )}
      </For>
      <Show when={result()}>
        {(settled) => (
          <>
            <Section
              title={
                settled().isTruncated
                  ? "Result, as the model saw it (cut)"
                  : "Result, as the model saw it"
              }
              copy={settled().finalText}
            >
              <pre class="value" tabindex="0" data-testid="call-result">
                {settled().finalText}
              </pre>
            </Section>
            <ContentParts parts={settled().parts ?? []} />
            <div class="call-foot spread">
              <Show when={settled().cacheVarResult}>
                {(name) => (
                  <Button data-testid="open-variable" onClick={() => showVariable(name())}>
                    Open the whole value: <code>{name()}</code>
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

function Section(props: {
  readonly title: string;
  readonly copy?: string;
  readonly children: JSX.Element;
}) {
  return (
    <section class="call-section">
      <div class="section-head spread">
        <h3>{props.title}</h3>
        <Show when={props.copy}>
          {(text) => <CopyButton text={text()} label={`Copy: ${props.title}`} />}
        </Show>
      </div>
      {props.children}
    </section>
  );
}
