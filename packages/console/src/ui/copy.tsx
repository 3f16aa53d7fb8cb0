import { useState } from 'preact/hooks';
import { IconButton } from './button.js';

const confirmedMs = 1500;

/** A button that copies a text, and shows that it did. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), confirmedMs);
  };
  return (
    <IconButton
      icon={copied ? 'check' : 'copy'}
      label={copied ? 'Copied' : label}
      onClick={() => void copy()}
    />
  );
}

/** Copies a text. A page that came over plain HTTP from another machine has no clipboard, only the old command. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

interface CodeBlockProps {
  readonly code: string;
  readonly label: string;
  /** Whether long lines are broken, where it must be seen whole. */
  readonly isWrapped?: boolean;
}

/** A piece of code to copy. */
export function CodeBlock({ code, label, isWrapped = false }: CodeBlockProps) {
  return (
    <div class={isWrapped ? 'code-block wrapped' : 'code-block'}>
      <pre tabIndex={0} aria-label={label}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={`Copy ${label}`} />
    </div>
  );
}
