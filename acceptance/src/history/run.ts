import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { NoAnswer } from '../model/client.js';
import { createRandom } from '../random.js';
import { trackNames } from './names.js';
import { trackRegister, versionKey } from './register.js';
import type { Row, Transactor } from './transactor.js';

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

export interface HistoryReport {
  /** Transactions that were done, and that failed with 404, 409, 412 or 429. */
  done: number;
  refused: number;
  /** Steps without an answer. */
  inDoubt: number;
  /** Snapshots that a reader could confirm by a transaction of checks. */
  snapshots: number;
  /** What no order of the transactions explains. */
  readonly findings: string[];
}

const accounts = Array.from({ length: 8 }, (_, n) => `account-${n}`);
const startBalance = 20;
const total = accounts.length * startBalance;
const names = 40;
const doctors = ['doctor-a', 'doctor-b'];
const refusals = [404, 409, 412, 429];
/** More requests to an unavailable service would show nothing more. */
const retryDelayMs = 25;

/**
 * Lets writers do transactions on one base, and checks what they and readers see:
 * transfers keep the sum of all accounts, and no account is overdrawn; of those who insert a name, one gets it; of two
 * doctors, one at least is on call; the versions of a register are claimed once each, and in real time. A step without
 * an answer has happened or not, at any time after it began.
 */
export async function runHistory(run: HistoryRun): Promise<HistoryReport> {
  const { transactors, writers, isOver, quiesce, paddingBytes = 0, seed = Date.now() } = run;
  const random = createRandom(seed);
  const report: HistoryReport = { done: 0, refused: 0, inDoubt: 0, snapshots: 0, findings: [] };
  const { findings } = report;
  const register = trackRegister(findings);
  const owners = trackNames(findings);

  /** Returns whether all operations were done. */
  async function transact(transactor: Transactor, ...operations: object[]): Promise<boolean> {
    const status = await transactor.transact(operations);
    if (status === 200) report.done++;
    else if (refusals.includes(status)) report.refused++;
    else findings.push(`a transaction failed with ${status}`);
    return status === 200;
  }

  function expectSum(rows: readonly Row[], by: string): void {
    const balances = rows.map(({ balance }) => balance as number);
    const sum = balances.reduce((left, right) => left + right, 0);
    if (sum !== total) findings.push(`${by}: the accounts hold ${sum}, not ${total}`);
    if (balances.some((balance) => balance < 0)) findings.push(`${by}: an account is overdrawn`);
  }

  async function transfer(transactor: Transactor): Promise<void> {
    const from = random.pick(accounts);
    const to = random.pick(accounts.filter((key) => key !== from));
    const amount = 1 + random.int(startBalance);
    await transact(
      transactor,
      { update: { key: from, if: { 'balance?gte': amount }, increment: { balance: -amount } } },
      { update: { key: to, increment: { balance: amount } } },
    );
  }

  /** Reads the accounts one by one, and then asks whether all of that was true at one moment. */
  async function audit(transactor: Transactor): Promise<void> {
    const rows = await Promise.all(accounts.map((key) => transactor.get(key)));
    const found = rows.filter((row) => row !== undefined);
    const checks = found.map(({ key, balance }) => ({ check: { key, if: { balance } } }));
    if (!(await transact(transactor, ...checks))) return;
    report.snapshots++;
    expectSum(found, 'a reader by checks');
  }

  async function auditByQuery(transactor: Transactor): Promise<void> {
    expectSum(await transactor.read('account-'), 'a reader by a query');
    const onCall = (await transactor.read('doctor-')).filter(({ isOnCall }) => isOnCall === true);
    if (onCall.length === 0) findings.push('no doctor is on call');
  }

  /** Takes a name, and writes its owner elsewhere. */
  async function takeName(transactor: Transactor, writer: number): Promise<void> {
    const name = `name-${random.int(names)}`;
    try {
      const isDone = await transact(
        transactor,
        { insert: { key: `owner-${writer}-${name}`, name } },
        { insert: { key: name, owner: writer } },
      );
      if (isDone) owners.granted(name, writer);
    } catch (cause) {
      owners.inDoubt(name, writer);
      throw cause;
    }
  }

  async function changeShift(transactor: Transactor): Promise<void> {
    const [own = '', other = ''] = random.int(2) === 0 ? doctors : doctors.toReversed();
    await transact(
      transactor,
      { check: { key: other, if: { isOnCall: true } } },
      { update: { key: own, set: { isOnCall: false } } },
    );
    await transact(transactor, { update: { key: other, set: { isOnCall: true } } });
  }

  /** Reads the version of the register, and claims the next one if it is still the same. */
  async function claimVersion(transactor: Transactor, writer: number): Promise<void> {
    const step = register.begin();
    const seen = (await transactor.get('register'))?.version as number;
    const version = seen + 1;
    try {
      const isDone = await transact(
        transactor,
        { check: { key: 'register', if: { version: seen } } },
        { put: { key: versionKey(version), writer } },
        { update: { key: 'register', increment: { version: 1 } } },
      );
      if (isDone) step.claimed(version, writer);
    } catch (cause) {
      step.inDoubt(version, writer);
      throw cause;
    }
  }

  async function readVersion(transactor: Transactor): Promise<void> {
    const step = register.begin();
    const version = (await transactor.get('register'))?.version as number;
    if (await transact(transactor, { check: { key: 'register', if: { version } } })) step.saw(version);
  }

  const actions = [
    transfer,
    transfer,
    audit,
    auditByQuery,
    takeName,
    changeShift,
    claimVersion,
    claimVersion,
    readVersion,
  ];

  async function write(writer: number): Promise<void> {
    for (let step = 0; !isOver(step); step++) {
      try {
        await random.pick(actions)(random.pick(transactors), writer);
      } catch (cause) {
        if (!(cause instanceof NoAnswer)) throw cause;
        report.inDoubt++;
        await wait(retryDelayMs);
      }
      // Over rows in memory the others would wait until this writer is done.
      await nextTurn();
    }
  }

  const [first] = transactors;
  if (first === undefined) throw new Error('a history needs a base');
  await first.put([
    ...accounts.map((key) => ({ key, balance: startBalance, padding: 'x'.repeat(paddingBytes) })),
    ...doctors.map((key) => ({ key, isOnCall: true })),
    { key: 'register', version: 0 },
  ]);
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));

  await quiesce?.();
  await auditByQuery(first);
  owners.check(await first.read('name-'), await first.read('owner-'));
  register.check(await first.read('version-'), (await first.get('register'))?.version);
  return report;
}
