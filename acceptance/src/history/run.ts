import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { NoAnswer } from '../model/client.js';
import { createRandom } from '../random.js';
import { actions, auditByQuery, firstRows, type History, type HistoryReport } from './actions.js';
import { trackNames } from './names.js';
import { trackRegister } from './register.js';
import type { Transactor } from './transactor.js';

export interface HistoryRun {
  /** Each works on the same base: that of one process, or of several. */
  readonly transactors: readonly Transactor[];
  readonly writers: number;
  /** Whether a writer has done enough after so many steps. */
  isOver(steps: number): boolean;
  /** Called when the writers have stopped: resolves when nothing that was sent before can still take effect. */
  readonly quiesce?: () => Promise<void>;
  /** Of each account; default 0. Large items are changed in another way than small ones. */
  readonly paddingBytes?: number;
  readonly seed?: number;
}

/** More requests to an unavailable service would show nothing more. */
const retryDelayMs = 25;

/**
 * Lets writers do transactions on one base, and checks what they and readers see:
 * transfers keep the sum of all accounts, and no account is overdrawn; of those who insert a name, one gets it; of two
 * doctors, one at least is on call; the versions of a register are claimed once each, and in real time. A step without
 * an answer has happened or not, at any time after it began.
 */
export async function runHistory(run: HistoryRun): Promise<HistoryReport> {
  const { transactors, writers, quiesce, paddingBytes = 0, seed = Date.now() } = run;
  const [first] = transactors;
  if (first === undefined) throw new Error('a history needs a base');
  const findings: string[] = [];
  const history: History = {
    report: { done: 0, refused: 0, inDoubt: 0, snapshots: 0, findings },
    random: createRandom(seed),
    register: trackRegister(findings),
    owners: trackNames(findings),
  };
  await first.put(firstRows(paddingBytes));
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(run, history, writer)));

  await quiesce?.();
  await auditByQuery(history, first);
  history.owners.check(await first.read('name-'), await first.read('owner-'));
  history.register.check(await first.read('version-'), (await first.get('register'))?.version);
  return history.report;
}

async function write({ transactors, isOver }: HistoryRun, history: History, writer: number): Promise<void> {
  const { random, report } = history;
  for (let step = 0; !isOver(step); step++) {
    try {
      await random.pick(actions)(history, random.pick(transactors), writer);
    } catch (cause) {
      if (!(cause instanceof NoAnswer)) throw cause;
      report.inDoubt++;
      await wait(retryDelayMs);
    }
    // Over rows in memory the others would wait until this writer is done.
    await nextTurn();
  }
}
