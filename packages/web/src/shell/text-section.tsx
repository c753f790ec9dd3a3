import { Dynamic } from "solid-js/web";
import { CopyButton } from "./copy-button.tsx";
import { VisibleText } from "./visible-text.tsx";
import { shellTexts } from "../texts/shell.ts";

/** A text under its title, to be read and copied. */
export function TextSection(props: {
  readonly title: string;
  readonly text: string;
  /** @default "h3" */
  readonly heading?: "h3" | "h4";
  readonly testId?: string;
}) {
  return (
    <section>
      <div class="section-head spread">
        <Dynamic component={props.heading ?? "h3"}>{props.title}</Dynamic>
        <CopyButton text={props.text} label={shellTexts.copyOf(props.title)} />
      </div>
      <pre class="value" tabindex="0" data-testid={props.testId}>
        <VisibleText text={props.text} />
      </pre>
    </section>
  );
}
