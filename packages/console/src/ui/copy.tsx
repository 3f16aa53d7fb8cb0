import { useState } from 'preact/hooks';
import { PageError } from '../api/page-error.js';
import { IconButton } from './button.js';
import { tell, tellFailure } from './toast.js';

const confirmedMs = 1500;
const refused = 'The browser does not let the page copy: select the text and copy it with the keyboard';

/** A button that copies a text, and shows whether it did. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState<boolean | undefined>(undefined);
  const copy = async () => {
    setCopied(await put(text));
    setTimeout(() => setCopied(undefined), confirmedMs);
  };
  return (
    <IconButton
      icon={isCopied === undefined ? 'copy' : isCopied ? 'check' : 'circle-alert'}
      label={isCopied === undefined ? label : isCopied ? 'Copied' : refused}
      onClick={() => void copy()}
    />
  );
}

/** Copies a text and says it, or that the browser refused. Gives whether it is copied. */
export async function copyText(text: string, done?: string): Promise<boolean> {
  const isCopied = await put(text);
  if (!isCopied) tellFailure(new PageError(refused));
  else if (done !== undefined) tell(done);
  return isCopied;
}

/** A page that came over plain HTTP from another machine has no clipboard, only the old command. */
async function put(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard === undefined) return putWithCommand(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function putWithCommand(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.className = 'hidden-label';
  area.value = text;
  // What is behind a modal dialog cannot be selected.
  const place = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body;
  place.append(area);
  area.select();
  // It copies another selection, or nothing, without a word if this one was refused.
  const isCopied = document.activeElement === area && document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return isCopied;
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
