import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.js';

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'type'> {
  /** What it says. */
  readonly text: ComponentChildren;
  readonly icon?: IconName | undefined;
  /** `primary` once in a view; `quiet` has no border until it is pointed at. */
  readonly variant?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean | undefined;
  /** Shows that its work is in progress, and takes no further clicks. */
  readonly busy?: boolean | undefined;
}

/** A button with a text. */
export function Button(props: ButtonProps) {
  const { text, icon, variant = 'plain', type = 'button', busy = false, disabled, ...rest } = props;
  return (
    <button {...rest} type={type} class={`button ${variant}`} disabled={disabled || busy} aria-busy={busy}>
      {busy ? <span class="spinner" aria-hidden="true" /> : icon !== undefined && <Icon name={icon} />}
      <span>{text}</span>
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'label' | 'type'> {
  readonly icon: IconName;
  /** Its name for screen readers, and its tooltip. */
  readonly label: string;
  readonly disabled?: boolean | undefined;
}

/** A button with an icon alone. */
export function IconButton({ icon, label, ...rest }: IconButtonProps) {
  return (
    <button {...rest} type="button" class="button icon-button quiet" aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}
