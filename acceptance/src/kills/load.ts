import { setTimeout as wait } from 'node:timers/promises';
import { type Client, NoAnswer } from '../model/client.js';
import { counterSubject } from '../model/counter-model.js';
import { fileSubject } from '../model/file-model.js';
import { itemSubject } from '../model/item-model.js';
import { type Subject, WrongAnswer } from '../model/model.js';
import { uploadSubject } from '../model/upload-model.js';
import { createRandom, type Random } from '../random.js';
import type { Tally } from './tally.js';

export interface Crew {
  readonly random: Random;
  readonly own: readonly Subject[];
  readonly shared: readonly Subject[];
}

const mib = 1024 * 1024;
/** On both sides of where a byte engine may cut a large body into pieces of its own. */
const largeSizes = [700_000, 3 * mib, 9 * mib];
/** One read in so many steps; a subject in doubt is only read. */
const readsOneIn = 4;
/** Behind a refusal: a client that hammers a service which is away tells nothing more. */
const pauseMs = 25;

/** Writers with subjects of their own, and counters that all of them increment. */
export function createCrews(seed: number, workers: number): Crew[] {
  const shared = ['visits', 'likes'].map((name) => counterSubject('counters', name));
  return Array.from({ length: workers }, (_, n) => {
    const name = (kind: string, at: number) => `w${n}/${kind}${at}`;
    const items = [0, 1, 2, 3].map((at) => itemSubject(`base${n % 3}`, name('item', at)));
    const files = [0, 1].map((at) => fileSubject(`drive${n % 2}`, name('file', at)));
    const uploads = [0, 1].map((at) => uploadSubject(`drive${n % 2}`, name('upload', at)));
    const large = n % 4 === 0 ? [fileSubject(`drive${n % 2}`, name('large', 0), largeSizes)] : [];
    const random = createRandom(seed + n + 1);
    return { random, own: [...items, ...files, ...uploads, ...large], shared };
  });
}

export function subjectsOf(crews: readonly Crew[]): Subject[] {
  return [...crews.flatMap(({ own }) => own), ...(crews[0]?.shared ?? [])];
}

/** Writes and reads until it is told to stop, whatever is away meanwhile. Every answer counts. */
export async function work(
  client: Client,
  { random, own, shared }: Crew,
  tally: Tally,
  stop: AbortSignal,
): Promise<void> {
  const subjects = [...own, ...shared];
  while (!stop.aborted) {
    const subject = random.pick(subjects);
    const reads = subject.isInDoubt || random.int(readsOneIn) === 0;
    try {
      if (reads) await compare(subject, tally, () => subject.look(client));
      else {
        await subject.act(client, random);
        tally.current.acknowledged++;
      }
    } catch (cause) {
      if (!(cause instanceof NoAnswer)) {
        report(subject, cause, tally);
        continue;
      }
      if (!reads) tally.current.inDoubt++;
      await wait(pauseMs);
    }
  }
}

/** Compares each subject at rest with what was acknowledged. */
export async function checkAll(
  client: Client,
  subjects: readonly Subject[],
  tally: Tally,
  atOnce: number,
): Promise<void> {
  for (let at = 0; at < subjects.length; at += atOnce) {
    await Promise.all(
      subjects.slice(at, at + atOnce).map(async (subject) => {
        try {
          await compare(subject, tally, () => subject.check(client));
        } catch (cause) {
          report(subject, cause, tally);
        }
      }),
    );
  }
}

async function compare(
  subject: Subject,
  tally: Tally,
  look: () => ReturnType<Subject['look']>,
): Promise<void> {
  const findings = await look();
  tally.current.comparisons++;
  for (const { kind, text } of findings) tally.find(kind, subject.name, text);
}

function report(subject: Subject, cause: unknown, tally: Tally): void {
  const kind = cause instanceof WrongAnswer ? cause.kind : 'wrong';
  tally.find(kind, subject.name, `${subject.name}: ${String(cause)}`);
}
