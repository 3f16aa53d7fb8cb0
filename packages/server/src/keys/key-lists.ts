import { shareRuns } from '../lib/concurrency/share-runs.js';
import { runInSlices, type Steps } from '../lib/concurrency/time-slices.js';
import type { KeyInfo } from './key-administration.js';
import { detailsOf } from './key-details.js';
import type { KeyRing } from './key-ring.js';

/** What the operations of docs/http.md#limited-keys work with. */
export interface KeyServices {
  readonly keys: KeyRing;
  readonly keyLists: KeyLists;
}

/** The lists of the keys of each project, as they are answered. */
export interface KeyLists {
  textOf(project: string): Promise<Buffer>;
}

const keysPerStep = 32;

/** Requests at the same time share a list, because it may have some megabytes in several forms. */
export function createKeyLists(keys: Pick<KeyRing, 'list'>): KeyLists {
  const texts = new Map<string, () => Promise<Buffer>>();
  return {
    textOf(ofProject) {
      let text = texts.get(ofProject);
      if (text === undefined) {
        text = shareRuns(async () => {
          const infos = await keys.list();
          return await runInSlices(writeList(infos.filter(({ project }) => project === ofProject)));
        });
        texts.set(ofProject, text);
      }
      return text();
    },
  };
}

function* writeList(infos: readonly KeyInfo[]): Steps<Buffer> {
  const texts: string[] = [];
  for (const info of infos) {
    texts.push(JSON.stringify(detailsOf(info)));
    if (texts.length % keysPerStep === 0) yield;
  }
  return Buffer.from(`{"keys":[${texts.join()}]}`);
}
