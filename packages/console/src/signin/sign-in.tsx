import { useEffect, useRef, useState } from 'preact/hooks';
import { explain, statusOf } from '../api/errors.js';
import { checkKey, endedBecause, signIn } from '../api/session.js';
import { Mark } from '../shell/top-bar.js';
import { Button } from '../ui/button.js';
import { CheckField } from '../ui/check-field.js';
import { Form } from '../ui/form.js';
import { Problem } from '../ui/problem.js';

/** A key as it is copied from a file of settings: the quotes are not part of it. */
function withoutQuotes(text: string): string {
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;
}

/** The first screen: one field for the key. */
export function SignIn() {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState(endedBecause.value);
  const [isKept, setKept] = useState(false);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);

  async function submit(): Promise<void> {
    const candidate = withoutQuotes(text.trim());
    if (candidate === '') return setProblem('Paste a key.');
    setBusy(true);
    setProblem(undefined);
    try {
      await checkKey(candidate);
      signIn(candidate, { isKept });
    } catch (cause) {
      setProblem(statusOf(cause) === 401 ? 'This key is not valid.' : explain(cause));
      setBusy(false);
    }
  }

  return (
    <main class="sign-in">
      <Form class="sign-in-box" onSubmit={() => void submit()}>
        <Mark size={40} />
        <h1>Basedrive</h1>
        <label class="field">
          <span>Key</span>
          <input
            ref={field}
            class="input mono"
            type="password"
            name="key"
            autocomplete="off"
            spellcheck={false}
            placeholder="project_secret"
            value={text}
            aria-invalid={problem !== undefined}
            aria-describedby="sign-in-note"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <CheckField text="Stay signed in on this device" checked={isKept} onChange={setKept} />
        <Problem text={problem} />
        <Button text="Sign in" variant="primary" type="submit" busy={busy} />
        <p id="sign-in-note" class="hint">
          {isKept
            ? 'The key stays in this browser, and new tabs do not ask for it. Anyone who uses the browser can do what the key may do, until you sign out.'
            : 'The key stays in this tab and is forgotten when you close it.'}{' '}
          The server prints a first key when it starts; <code>basedrive keys create</code> makes another.
        </p>
      </Form>
    </main>
  );
}
