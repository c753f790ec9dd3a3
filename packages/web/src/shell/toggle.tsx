import { Show } from "solid-js";
import "./toggle.css";

interface ToggleProps {
  readonly label: string;
  readonly detail?: string;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly testId?: string;
  readonly onChange: (on: boolean) => void;
}

/** A setting that is on or off, with a sentence about it. */
export function Toggle(props: ToggleProps) {
  return (
    <label class="switch plain-switch at-top" classList={{ disabled: props.isDisabled === true }}>
      <span class="grow">
        <span class="setting-title">{props.label}</span>
        <Show when={props.detail}>{(detail) => <span class="setting-about">{detail()}</span>}</Show>
      </span>
      <input
        type="checkbox"
        role="switch"
        aria-label={props.label}
        checked={props.isOn}
        disabled={props.isDisabled === true}
        data-testid={props.testId}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span class="switch-track" aria-hidden="true" />
    </label>
  );
}
