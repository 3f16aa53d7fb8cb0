import { createFairSemaphores } from '../lib/concurrency/semaphore.js';
import { runInSlices, type Steps } from '../lib/concurrency/time-slices.js';
import type { KeyPage, KeyPosition } from './key-administration.js';
import { detailsOf } from './key-details.js';
import type { KeyRing } from './key-ring.js';

/** What the operations of docs/http.md#limited-keys work with. */
export interface KeyServices {
  readonly keys: KeyRing;
  readonly keyLists: KeyLists;
  /** For how many seconds a link may be valid. */
  readonly maxLinkSeconds: number;
}

/** A page of the keys of a project. */
export interface ProjectKeys {
  readonly project: string;
  readonly limit: number;
  /** Only those after this position. */
  readonly after: KeyPosition | undefined;
}

const keysPerStep = 32;

/** The lists of the keys of projects, as they are answered. */
export type KeyLists = ReturnType<typeof createKeyLists>;

/**
 * One page is read at a time, in turns of the projects, because it may have some megabytes in several forms. Requests for
 * the same page that wait share it.
 */
export function createKeyLists(keys: Pick<KeyRing, 'list'>) {
  const oneAtATime = createFairSemaphores(() => 1);
  const waiting = new Map<string, Promise<Buffer>>();
  return {
    textOf(range: ProjectKeys) {
      const id = JSON.stringify(range);
      let text = waiting.get(id);
      if (text === undefined) {
        let hasBegun = false;
        text = oneAtATime(range.project)(async () => {
          hasBegun = true;
          waiting.delete(id);
          return await runInSlices(writePage(await keys.list(range)));
        });
        if (!hasBegun) waiting.set(id, text);
      }
      return text;
    },
  };
}

function* writePage({ keys, last }: KeyPage): Steps<Buffer> {
  const texts: string[] = [];
  for (const info of keys) {
    texts.push(JSON.stringify(detailsOf(info)));
    if (texts.length % keysPerStep === 0) yield;
  }
  const paging =
    last === undefined ? '' : `"paging":${JSON.stringify({ size: keys.length, last: positionText(last) })},`;
  return Buffer.from(`{${paging}"keys":[${texts.join()}]}`);
}

function positionText({ createdSeconds, id }: KeyPosition): string {
  return `${createdSeconds}.${id}`;
}

/** Reads `paging.last` of a page of a project. Gives undefined for any other text. */
export function readPosition(project: string, text: string): KeyPosition | undefined {
  const [, created, id] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(text) ?? [];
  return id === undefined ? undefined : { project, createdSeconds: Number(created), id };
}
