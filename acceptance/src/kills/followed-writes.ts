import type { Random } from '../random.js';
import type { AnyServer } from './any-server.js';
import { type NamedPair, pairKeys } from './followed-copy.js';

/** What writers of a run have in common. */
export interface FollowedWrites {
  readonly server: AnyServer;
  readonly random: Pick<Random, 'int' | 'pick'>;
  readonly progress: { written: number; isOver: boolean };
  /** The pairs whose transactions were answered are added to it. */
  readonly named: NamedPair[];
}

const writers = 6;
const pairWriters = 3;
export const [base, drive] = ['base', 'drive'];

/** Writes until it is over. */
export async function writeAll(writes: FollowedWrites): Promise<void> {
  await Promise.all([
    ...Array.from({ length: writers }, (_, writer) => writeNames(writes, writer)),
    ...Array.from({ length: pairWriters }, (_, writer) => writePairs(writes, writer)),
  ]);
}

/** Changes items and files of few names. */
async function writeNames(
  { server, progress, random: { int, pick } }: FollowedWrites,
  writer: number,
): Promise<void> {
  for (let n = 0; !progress.isOver; n++) {
    const [one, other] = [`k${int(30)}`, `l${int(30)}`];
    const item = { key: one, writer, n };
    const operations = [{ put: { ...item, key: other } }, { delete: { key: one } }];
    const [method, path, json] = pick<[string, string, object?]>([
      ['DELETE', `${base}/items/${one}`],
      ['POST', `${base}/transactions`, { operations }],
      ['POST', `${drive}/files?name=${one}`, { writer, n }],
      ['DELETE', `${drive}/files`, { names: [one] }],
      ['POST', `${drive}/files/copy`, { files: [{ from: one, to: other }] }],
      ['PUT', `${base}/items`, { items: [item] }],
    ]);
    if ((await server.send(method, path, json)) !== undefined) progress.written++;
  }
}

/** Puts pairs. One that may still be stored, since it was not answered, is not put again. */
async function writePairs({ server, progress, named }: FollowedWrites, writer: number): Promise<void> {
  for (let n = 1, id = `p${writer}`; !progress.isOver; n++) {
    const operations = pairKeys(id).map((of) => ({ put: { key: of, n } }));
    const body = JSON.stringify({ operations });
    const answer = await server.ask('POST', `${base}/transactions`, { body, headers: { Prefer: 'tx' } });
    if (answer === undefined) id = `p${writer}-${n}`;
    else {
      await answer.text().catch(() => {});
      const tx = answer.headers.get('preference-applied')?.slice('tx='.length) ?? '';
      named.push({ tx, id, n });
      progress.written++;
    }
  }
}
