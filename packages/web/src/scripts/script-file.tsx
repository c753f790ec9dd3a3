import type { ScriptCheckView, ScriptDetail, ScriptProblemView } from "@capstan/contract";
import { createEffect, createSignal, For, Match, on, onCleanup, Show, Switch } from "solid-js";
import { hasStatus, isAbort, messageOf } from "../api/api-error.ts";
import { client } from "../api/client.ts";

import { ApprovalPart } from "./approval-part.tsx";
import { CallsPart } from "./calls-part.tsx";
import { type Draft, draftOf, forgetDraft } from "./editor/drafts.ts";
import { scriptBadge } from "./script-badge.ts";
import { SourcePart } from "./source-part.tsx";
import { ToolsPart } from "./tools-part.tsx";
import { ErrorNotice } from "../shell/error-text.tsx";
import { Icon } from "../shell/icon.tsx";
import { scriptsTexts } from "../texts/scripts.ts";

interface ScriptFileProps {
  readonly id: string;
  /** Increases whenever the file may have changed. */
  readonly revision: number;
  readonly onChanged: () => void;
}

const tabs = scriptsTexts.file.tabs;
type Tab = keyof typeof tabs;
/** Milliseconds without typing before the edited text is checked. */
const checkDelay = 400;

/** One file: its problems, tools, text, permissions and recent calls. */
export function ScriptFile(props: ScriptFileProps) {
  const [file, setFile] = createSignal<ScriptDetail | null>(null);
  const [failure, setFailure] = createSignal<string | null>(null);
  const [isGone, setGone] = createSignal(false);
  const [draft, setDraft] = createSignal<Draft | null>(null);
  const [checked, setChecked] = createSignal<ScriptCheckView | null>(null);
  const [tab, setTab] = createSignal<Tab>("tools");
  const [goTo, setGoTo] = createSignal<{ line: number; column: number } | null>(null);
  let reading = new AbortController();
  onCleanup(() => reading.abort());

  const show = (read: ScriptDetail) => {
    setFile(read);
    setDraft(draftOf(read));
    setFailure(null);
    setGone(false);
  };
  async function load(): Promise<void> {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    try {
      const read = await client.script(props.id, signal);
      if (!signal.aborted) show(read);
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      if (hasStatus(error, 404)) setGone(true);
      else setFailure(messageOf(error));
    }
  }
  createEffect(
    on(
      () => props.revision,
      () => void load(),
    ),
  );

  // Edited text is checked while the user types; the server has already checked the saved text.
  createEffect(() => {
    const text = draft()?.text();
    const name = file()?.name;
    setChecked(null);
    if (text === undefined || name === undefined || draft()?.isDirty() !== true) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      client
        .checkScript({ name, source: text }, stop.signal)
        .then(setChecked)
        .catch(() => {});
    }, checkDelay);
    onCleanup(() => {
      clearTimeout(timer);
      stop.abort();
    });
  });

  const problems = () => checked()?.problems ?? file()?.problems ?? [];
  const changed = (read: ScriptDetail) => {
    show(read);
    props.onChanged();
  };
  const goToPlace = (place: { readonly line: number; readonly column: number }) => {
    setTab("source");
    setGoTo({ ...place });
  };

  return (
    <article class="script-file" aria-label={scriptsTexts.file.label} data-testid="script-file">
      <a class="script-back" href="#/scripts">
        {scriptsTexts.file.all}
      </a>
      <ErrorNotice message={failure()} />
      <Show when={isGone()}>
        <p class="notice" role="status" data-testid="script-gone">
          {scriptsTexts.file.gone}{" "}
          <Show when={draft()?.isDirty()}> {scriptsTexts.file.goneUnsaved}</Show>{" "}
          <a href="#/scripts" onClick={() => forgetDraft(props.id)}>
            {draft()?.isDirty() === true ? scriptsTexts.file.discard : scriptsTexts.file.all}
          </a>
        </p>
      </Show>
      <Show when={file()}>
        {(known) => (
          <>
            <header class="script-head flow">
              <h2>{known().name}</h2>
              <span class={`script-face ${scriptBadge(known()).tone}`} data-testid="script-face">
                {scriptBadge(known()).label}
              </span>
              <span class="script-place soft breaks">
                {scriptsTexts.file.place(known().title, known().folder)}
              </span>
            </header>
            <Show when={problems().length > 0}>
              <ProblemList problems={problems()} onGoTo={goToPlace} />
            </Show>
            <Tabs
              chosen={tab()}
              note={(name) => {
                if (name === "tools") return String(known().tools.length);
                if (name === "source") return draft()?.isDirty() === true ? "●" : "";
                return "";
              }}
              onChoose={(name) => {
                setTab(name);
                // When the user returns to the text, the cursor does not move to the earlier position.
                setGoTo(null);
              }}
            />
            <div
              role="tabpanel"
              id={`script-panel-${tab()}`}
              aria-labelledby={`script-tab-${tab()}`}
              class="script-panel"
            >
              <Switch>
                <Match when={tab() === "tools"}>
                  <ToolsPart file={known()} />
                </Match>
                <Match when={tab() === "source"}>
                  <SourcePart
                    file={known()}
                    draft={draft()}
                    problems={problems()}
                    checked={checked()}
                    goTo={goTo()}
                    onSaved={changed}
                    onStale={() => void load()}
                    onDeleted={props.onChanged}
                  />
                </Match>
                <Match when={tab() === "permissions"}>
                  <ApprovalPart
                    file={known()}
                    isDirty={draft()?.isDirty() === true}
                    onChanged={changed}
                    onStale={() => void load()}
                  />
                </Match>
                <Match when={tab() === "calls"}>
                  <CallsPart id={known().id} />
                </Match>
              </Switch>
            </div>
            <p class="visually-hidden" role="status">
              {checked() === null
                ? ""
                : scriptsTexts.file.checked(problems().length, checked()?.tools.length ?? 0)}
            </p>
          </>
        )}
      </Show>
    </article>
  );
}

/** The parts of a file; arrow keys go from one to the next. */
function Tabs(props: {
  readonly chosen: Tab;
  readonly note: (tab: Tab) => string;
  readonly onChoose: (tab: Tab) => void;
}) {
  let list!: HTMLDivElement;
  const names = Object.keys(tabs) as Tab[];
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = names.at((names.indexOf(props.chosen) + step) % names.length) ?? "tools";
    props.onChoose(next);
    list.querySelector<HTMLElement>(`#script-tab-${next}`)?.focus();
  };
  return (
    <div
      ref={(element) => (list = element)}
      class="script-tabs"
      role="tablist"
      aria-label={scriptsTexts.file.tabList}
      onKeyDown={onKey}
    >
      <For each={names}>
        {(name) => (
          <button
            type="button"
            role="tab"
            id={`script-tab-${name}`}
            aria-selected={props.chosen === name}
            aria-controls={props.chosen === name ? `script-panel-${name}` : undefined}
            tabindex={props.chosen === name ? 0 : -1}
            onClick={() => props.onChoose(name)}
          >
            {tabs[name]} <span class="tab-note">{props.note(name)}</span>
          </button>
        )}
      </For>
    </div>
  );
}

/** The problems of a file; a problem with a line links to it. */
function ProblemList(props: {
  readonly problems: readonly ScriptProblemView[];
  readonly onGoTo: (place: { readonly line: number; readonly column: number }) => void;
}) {
  return (
    <ul class="problems" aria-label={scriptsTexts.file.problems} data-testid="problems">
      <For each={props.problems}>
        {(problem) => (
          <li class={`problem ${problem.severity}`} data-testid="problem">
            <Icon name={problem.severity === "error" ? "cross" : "alert"} size={16} />
            <span class="visually-hidden">
              {problem.severity === "error"
                ? scriptsTexts.file.error
                : scriptsTexts.file.warning}{" "}
            </span>
            <Show when={problem.line} fallback={<span>{problem.message}</span>}>
              {(line) => (
                <button
                  type="button"
                  class="problem-place bare"
                  onClick={() => props.onGoTo({ line: line(), column: problem.column ?? 1 })}
                >
                  <span class="problem-line">{scriptsTexts.file.line(line())}</span>{" "}
                  {problem.message}
                </button>
              )}
            </Show>
          </li>
        )}
      </For>
    </ul>
  );
}
