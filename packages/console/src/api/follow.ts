import type { ProjectChangesOptions } from 'basedrive-client';
import { client } from './session.js';

/**
 * Follows what changes while the tab is in view: a connection is one of the few that a browser opens. `onChange` gets the
 * JSON of a change; `onPause` is called after those that came together. Without the feed it does nothing. Gives how it is ended.
 */
export function followInView(
  options: ProjectChangesOptions,
  onChange: (text: string) => void,
  onPause: () => void,
): () => void {
  let since: string | undefined;
  let ended = new AbortController();

  const follow = async (signal: AbortSignal) => {
    for await (const { text, cursor } of client().changeLines({ ...options, since, signal })) {
      if (signal.aborted) return;
      if (text !== undefined) onChange(text);
      if (cursor === undefined) continue;
      since = cursor;
      onPause();
    }
  };
  const look = () => {
    ended.abort();
    if (document.visibilityState === 'hidden') return;
    ended = new AbortController();
    const { signal } = ended;
    follow(signal).catch(() => {
      // What is too old, or not kept, is seen when the page is read again.
      if (!signal.aborted) since = undefined;
    });
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    ended.abort();
  };
}
