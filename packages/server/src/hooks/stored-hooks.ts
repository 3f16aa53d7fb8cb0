import type { ItemStore } from '../engines/item-store.js';
import { scanBatches } from '../engines/scan-batches.js';
import { createSemaphores } from '../lib/concurrency/semaphore.js';
import { randomId } from '../lib/random-id.js';
import { hooksSpace, hooksSpaceOf } from '../spaces.js';
import type { Hook } from './hook.js';

/** The maximum number of webhooks of a project. */
const maxHooksPerProject = 50;

const changedKey = 'changed';
/**
 * The row with the id of the webhook of a project that was made last. They are counted before the transaction that makes one,
 * which then sees whether another server has made one in the meantime. It is not among the webhooks of the project, where
 * earlier versions take each row for one.
 */
const lastMadeKey = (project: string) => `${project}/last-made`;

/** The webhooks of a store, as rows. */
export interface StoredHooks {
  /** The webhooks of a project, the oldest first. */
  list(project: string): Promise<readonly Hook[]>;
  get(project: string, id: string): Promise<Hook | undefined>;
  /** Gives false if the project has as many as it may have. */
  create(hook: Hook): Promise<boolean>;
  /** Changes one in one step; `change` gives undefined to leave it. Gives it as it is then; undefined if it is not changed. */
  change(
    hook: Pick<Hook, 'project' | 'id'>,
    change: (before: Hook) => Hook | undefined,
  ): Promise<Hook | undefined>;
  delete(project: string, id: string): Promise<boolean>;
  /** The webhooks of all projects. */
  all(): AsyncIterable<Hook>;
  /** Differs whenever `announce` was called, on any server. */
  version(): Promise<string>;
  /** Tells other servers that webhooks were made, changed or deleted by somebody. */
  announce(): Promise<void>;
}

export function createStoredHooks(items: ItemStore): StoredHooks {
  const oneAtATime = createSemaphores(1);

  async function* inSpace(space: string): AsyncGenerator<Hook> {
    for await (const batch of scanBatches(items, space)) for (const { value } of batch) yield readHook(value);
  }

  async function list(project: string): Promise<readonly Hook[]> {
    const hooks: Hook[] = [];
    for await (const hook of inSpace(hooksSpaceOf(project))) hooks.push(hook);
    return hooks.sort((a, b) => a.createdSeconds - b.createdSeconds);
  }

  /** Gives false if another server has made one since. */
  async function putUnlessMade(hook: Hook, lastMade: string | undefined): Promise<boolean> {
    const { id, project } = hook;
    const space = hooksSpaceOf(project);
    const made = rowOf(hook);
    if (items.transactAcross === undefined)
      return await items.transact(space, [], () => ({ puts: [made], result: true }));
    const key = lastMadeKey(project);
    const second = { space, locked: [id], read: [] };
    return await items.transactAcross(hooksSpace, [key], second, ([row]) => {
      if (row?.toString() !== lastMade) return { result: false };
      return { puts: [{ key, value: Buffer.from(id) }], second: [made], result: true };
    });
  }

  return {
    list,
    async get(project, id) {
      const row = await items.get(hooksSpaceOf(project), id);
      return row && readHook(row);
    },
    create: (hook) =>
      oneAtATime(hook.project)(async () => {
        for (;;) {
          const lastMade = await items.get(hooksSpace, lastMadeKey(hook.project));
          if ((await list(hook.project)).length >= maxHooksPerProject) return false;
          if (await putUnlessMade(hook, lastMade?.toString())) return true;
        }
      }),
    change: ({ project, id }, change) =>
      items.transact<Hook | undefined>(hooksSpaceOf(project), [id], ([row]) => {
        const after = row && change(readHook(row));
        return after === undefined ? { result: undefined } : { puts: [rowOf(after)], result: after };
      }),
    delete: (project, id) =>
      items.transact(hooksSpaceOf(project), [id], ([row]) =>
        row === undefined ? { result: false } : { deletes: [id], result: true },
      ),
    async *all() {
      for await (const space of items.spaces(hooksSpaceOf(''))) yield* inSpace(space);
    },
    version: async () => (await items.get(hooksSpace, changedKey))?.toString() ?? '',
    async announce() {
      if (!items.isShared) return;
      const puts = [{ key: changedKey, value: Buffer.from(randomId()) }];
      await items.transact(hooksSpace, [], () => ({ puts, result: undefined }));
    },
  };
}

function readHook(row: Buffer): Hook {
  return JSON.parse(row.toString()) as Hook;
}

function rowOf(hook: Hook) {
  return { key: hook.id, value: Buffer.from(JSON.stringify(hook)) };
}
