import { splitProps, type JSX, type ValidComponent } from "solid-js";
import { Dynamic } from "solid-js/web";
import { Button } from "./button.tsx";
import { FieldError } from "./error-text.tsx";
import { shellTexts } from "../texts/shell.ts";

/** A form that stays in the page when it is sent. */
export function Form(
  props: Omit<JSX.FormHTMLAttributes<HTMLFormElement>, "onSubmit"> & {
    readonly onSubmit: () => void;
    readonly onEscape?: () => void;
  },
) {
  const [own, rest] = splitProps(props, ["onSubmit", "onEscape"]);
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        own.onSubmit();
      }}
      // `on:` does not delegate the event: otherwise the surrounding panel would close first and lose the text.
      on:keydown={(event) => {
        if (own.onEscape === undefined || event.key !== "Escape" || event.isComposing) return;
        event.preventDefault();
        own.onEscape();
      }}
    />
  );
}

/** The buttons at the end of a form. */
export function FormActions(props: {
  readonly isBusy: boolean;
  readonly onCancel: () => void;
  readonly look?: string;
  readonly testId?: string;
  /** The text of the submit button. @default "Save" */
  readonly word?: string;
}) {
  const look = (own: string) => `${own} ${props.look ?? ""}`.trim();
  return (
    <div class="dialog-actions">
      <Button look={look("quiet")} onClick={() => props.onCancel()}>
        {shellTexts.cancel}
      </Button>
      <Button
        type="submit"
        look={look("primary")}
        disabled={props.isBusy}
        data-testid={props.testId}
      >
        {props.word ?? shellTexts.save}
      </Button>
    </div>
  );
}

/** A field with its label and its error; all other attributes are passed to the field. */
export function Field(props: {
  readonly id: string;
  readonly label: JSX.Element;
  /** @default "input" */
  readonly as?: "input" | "select" | "textarea";
  readonly look?: "code";
  readonly error?: string | null | undefined;
  readonly onValue?: (value: string) => void;
  readonly ref?: (element: HTMLInputElement & HTMLTextAreaElement) => void;
  readonly children?: JSX.Element;
  readonly [attribute: string]: unknown;
}) {
  const [own, rest] = splitProps(props, ["label", "as", "look", "error", "onValue"]);
  const tag = (): ValidComponent => own.as ?? "input";
  const errorId = () => `${props.id}-error`;
  return (
    <>
      <label class="label" for={props.id}>
        {own.label}
      </label>
      <Dynamic
        component={tag()}
        data-testid={props.id}
        {...rest}
        class={own.look === undefined ? "field" : `field ${own.look}`}
        aria-invalid={own.error != null}
        aria-describedby={own.error == null ? undefined : errorId()}
        onInput={({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
          own.onValue?.(currentTarget.value)
        }
      />
      <FieldError id={errorId()} message={own.error} />
    </>
  );
}
