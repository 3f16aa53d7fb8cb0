import type { Change, ChangesPage } from '../feed.js';
import type { Random } from '../random.js';
import type { AnyServer } from './any-server.js';
import type { FollowedCopy } from './followed-copy.js';

export interface Following {
  readonly server: AnyServer;
  readonly int: Random['int'];
  /** Nothing is written any more: the stream that is open then is cut off, and the following ends with what is there. */
  readonly quiet: AbortSignal;
  /** The run is over, whatever has come: servers may be gone for good. */
  readonly over: AbortSignal;
  take(copy: FollowedCopy, change: Change): void;
}

/** Follows page by page, until it is quiet and nothing more is there, or the run is over. */
export async function followPages(
  { server, int, quiet, over, take }: Following,
  copy: FollowedCopy,
  begin: string,
): Promise<void> {
  for (let since = begin; !over.aborted; ) {
    const wasQuiet = quiet.aborted;
    const text = await server.send(
      'GET',
      `changes?since=${since}&limit=${1 + int(60)}&wait=${wasQuiet ? 0 : 1}`,
    );
    if (text === undefined) continue;
    const { changes, cursor, live } = JSON.parse(text) as ChangesPage;
    for (const change of changes) take(copy, change);
    copy.reach(live);
    since = cursor;
    if (wasQuiet && live) return;
  }
}

/** The same with streams of lines, which are cut off after some. */
export async function followLines(
  { server, int, quiet, over, take }: Following,
  copy: FollowedCopy,
  begin: string,
): Promise<void> {
  for (let since = begin; !over.aborted; ) {
    const wasQuiet = quiet.aborted;
    const cutting = new AbortController();
    const { signal } = cutting;
    for (const end of [quiet, over])
      end.addEventListener('abort', () => cutting.abort(), { once: true, signal });
    const lines = await server.ask('GET', `changes?since=${since}`, {
      signal,
      headers: { Accept: 'application/x-ndjson' },
    });
    let left = 1 + int(400);
    for await (const text of linesOf(lines)) {
      const line = JSON.parse(text) as Change & { cursor?: string; live?: true };
      if (line.cursor === undefined) take(copy, line);
      else {
        since = line.cursor;
        copy.reach(line.live === true);
        if (wasQuiet && line.live) return cutting.abort();
      }
      if (!wasQuiet && --left === 0) break;
    }
    cutting.abort();
    copy.cut();
  }
}

/** The lines of an answer, until it is cut off. */
async function* linesOf(answer: Response | undefined): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of answer?.body ?? []) {
      const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch {
    // It was cut off.
  }
}
