import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { explain } from '../api/errors.js';
import type { CodeMirror } from './code-mirror.js';

interface JsonEditorProps {
  readonly label: string;
  readonly text: string;
  readonly hasFocus?: boolean;
  onChange(text: string): void;
  /** Ctrl Enter, or Command Enter. */
  onSubmit(): void;
}

/** An editor for JSON. Its code is loaded when the first one is shown. */
export function JsonEditor({ label, text, hasFocus = false, onChange, onSubmit }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeMirror | undefined>(undefined);
  const latest = useRef({ text, onChange, onSubmit });
  latest.current = { text, onChange, onSubmit };
  const [failure, setFailure] = useState<unknown>();

  useEffect(() => {
    let isGone = false;
    const open = async () => {
      const { openCodeMirror } = await import('./code-mirror.js');
      if (isGone || host.current === null) return;
      editor.current = openCodeMirror(host.current, {
        label,
        text: latest.current.text,
        onChange: (changed) => latest.current.onChange(changed),
        onSubmit: () => latest.current.onSubmit(),
      });
      if (hasFocus) editor.current.focus();
    };
    open().catch(setFailure);
    return () => {
      isGone = true;
      editor.current?.destroy();
    };
  }, [label, hasFocus]);

  // At once, before another key is pressed: later, this text could be older than that of the editor, and would take back
  // what was typed.
  useLayoutEffect(() => editor.current?.setText(text), [text]);

  return (
    <div
      class="json-editor"
      role="group"
      aria-label={label}
      onKeyDown={(event) => {
        // Escape within the editor must not close what is around it, and lose the text.
        if (event.key === 'Escape') event.stopPropagation();
      }}
    >
      {failure !== undefined && <p class="problem">{explain(failure)}</p>}
      <div ref={host} class="json-editor-host" />
    </div>
  );
}
