import { Show } from "solid-js";
import { createImports } from "../import/import-state.ts";
import { Button } from "../shell/button.tsx";
import { Icon } from "../shell/icon.tsx";
import { useApp } from "../state/app-state.ts";
import { importTexts } from "../texts/import.ts";
import { SharedChats } from "../sharing/shared-chats.tsx";
import { sharingTexts } from "../texts/sharing.ts";
import { settingsTexts } from "../texts/settings.ts";

const texts = settingsTexts.data;

/** Imports continue while the settings are closed. */
const imports = createImports();

/** The user's data: its retention, and the import of chats. */
export function DataSection() {
  const app = useApp();
  const retention = () => app.catalog.info.value()?.retention;
  return (
    <>
      <section class="setting">
        <h3 class="setting-title">{texts.retention}</h3>
        <Show when={retention()}>
          {(rule) => (
            <p class="setting-about" data-testid="retention">
              {texts.kept(rule().days, rule().megabytes)}
            </p>
          )}
        </Show>
      </section>
      <section class="setting">
        <h3 class="setting-title">{sharingTexts.list}</h3>
        <SharedChats />
      </section>
      <section class="setting">
        <h3 class="setting-title">{importTexts.title}</h3>
        <p class="setting-about">{importTexts.about}</p>
        <Import />
      </section>
    </>
  );
}

function Import() {
  const { state } = imports;
  let field!: HTMLInputElement;
  const isBusy = () => ["reading", "running", "undoing"].includes(state().type);
  const running = () => {
    const now = state();
    return now.type === "running" ? now : undefined;
  };
  const note = () => {
    const now = state();
    if (now.type === "reading") return importTexts.reading;
    if (now.type === "running") return importTexts.progress(now.done, now.all);
    if (now.type === "undoing") return importTexts.undoing;
    if (now.type === "unfinished") return importTexts.unfinished;
    return "message" in now ? now.message : "";
  };
  return (
    <div class="import">
      <input
        ref={(element) => (field = element)}
        type="file"
        hidden
        aria-label={importTexts.choose}
        accept=".zip,.json,application/zip,application/json"
        data-testid="import-file"
        onChange={() => {
          const [file] = field.files ?? [];
          field.value = "";
          if (file !== undefined) void imports.start(file);
        }}
      />
      <div class="flow import-actions">
        <Button disabled={isBusy()} data-testid="choose-import" onClick={() => field.click()}>
          <Icon name="file" size={16} /> {importTexts.choose}
        </Button>
        <Show when={state().type === "running"}>
          <Button look="danger" data-testid="stop-import" onClick={() => imports.stop()}>
            {importTexts.stop}
          </Button>
        </Show>
        <Show when={imports.canUndo()}>
          <Button look="danger" data-testid="undo-import" onClick={() => void imports.undo()}>
            {importTexts.undo}
          </Button>
        </Show>
      </div>
      <Show when={running()}>
        {(now) => (
          <progress
            class="import-progress"
            max={now().all}
            value={now().done}
            aria-label={importTexts.title}
          />
        )}
      </Show>
      <p
        class="soft"
        classList={{ danger: state().type === "failed" }}
        role="status"
        data-testid="import-note"
      >
        {note()}
      </p>
    </div>
  );
}
