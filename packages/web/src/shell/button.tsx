import { splitProps, type JSX } from "solid-js";
import { Icon, type IconName } from "./icon.tsx";

type ButtonProps = JSX.ButtonHTMLAttributes<HTMLButtonElement> & {
  /** CSS classes, for example `primary small`. */
  readonly look?: string;
};

export function Button(props: ButtonProps) {
  const [own, rest] = splitProps(props, ["look"]);
  return <button type="button" {...rest} class={`button ${own.look ?? ""}`.trim()} />;
}

/** A button with only an icon; screen readers announce the label. */
export function IconButton(
  props: ButtonProps & {
    readonly icon: IconName;
    readonly label: string;
    readonly size?: number;
  },
) {
  const [own, rest] = splitProps(props, ["look", "icon", "label", "size"]);
  return (
    <button
      type="button"
      {...rest}
      class={`icon-button ${own.look ?? ""}`.trim()}
      aria-label={own.label}
    >
      <Icon name={own.icon} size={own.size ?? 18} />
    </button>
  );
}
