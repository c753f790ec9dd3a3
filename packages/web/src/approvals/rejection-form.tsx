import type { Accessor } from "solid-js";
import { AnswerButton } from "./answer-button.tsx";
import { Form } from "../shell/form.tsx";

/** A form to reject a call or withhold a result, with an optional reason for the model. */
export function RejectionForm(props: {
  /** The text of the button. */
  readonly word: string;
  readonly placeholder: string;
  readonly label: string;
  readonly testIds: { readonly reason: string; readonly refuse: string };
  readonly hasKeys: Accessor<boolean>;
  readonly isLocked: boolean;
  /** The label of the reason's field. */
  readonly ref: (element: HTMLInputElement) => void;
  readonly onRefuse: (reason: { readonly reason?: string }) => void;
}) {
  let field!: HTMLInputElement;
  return (
    <Form
      class="approval-refuse"
      onSubmit={() => {
        const reason = field.value.trim();
        props.onRefuse(reason === "" ? {} : { reason });
      }}
    >
      <input
        ref={(element) => props.ref((field = element))}
        class="field"
        placeholder={props.placeholder}
        aria-label={props.label}
        data-testid={props.testIds.reason}
      />
      <AnswerButton
        type="submit"
        letter="R"
        class="danger"
        testId={props.testIds.refuse}
        isDisabled={props.isLocked}
        hasKeys={props.hasKeys}
      >
        {props.word}
      </AnswerButton>
    </Form>
  );
}
