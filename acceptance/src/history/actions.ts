import type { Random } from '../random.js';
import type { Names } from './names.js';
import { type Register, versionKey } from './register.js';
import type { Row, Transactor } from './transactor.js';

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

/** What the actions of all writers share. */
export interface History {
  readonly report: HistoryReport;
  readonly random: Random;
  readonly register: Register;
  readonly owners: Names;
}

type Action = (history: History, transactor: Transactor, writer: number) => Promise<void>;

const accounts = Array.from({ length: 8 }, (_, n) => `account-${n}`);
const startBalance = 20;
const total = accounts.length * startBalance;
const names = 40;
const doctors = ['doctor-a', 'doctor-b'];
const refusals = [404, 409, 412, 429];

/** What the base has before the first action. `paddingBytes`: of each account. */
export function firstRows(paddingBytes: number): readonly Row[] {
  return [
    ...accounts.map((key) => ({ key, balance: startBalance, padding: 'x'.repeat(paddingBytes) })),
    ...doctors.map((key) => ({ key, isOnCall: true })),
    { key: 'register', version: 0 },
  ];
}

/** What a writer does, one of them at random. */
export const actions: readonly Action[] = [
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

/** Returns whether all operations were done. */
async function transact({ report }: History, transactor: Transactor, ...operations: object[]) {
  const status = await transactor.transact(operations);
  if (status === 200) report.done++;
  else if (refusals.includes(status)) report.refused++;
  else report.findings.push(`a transaction failed with ${status}`);
  return status === 200;
}

async function transfer(history: History, transactor: Transactor): Promise<void> {
  const { random } = history;
  const from = random.pick(accounts);
  const to = random.pick(accounts.filter((key) => key !== from));
  const amount = 1 + random.int(startBalance);
  await transact(
    history,
    transactor,
    { update: { key: from, if: { 'balance?gte': amount }, increment: { balance: -amount } } },
    { update: { key: to, increment: { balance: amount } } },
  );
}

/** Reads the accounts one by one, and then asks whether all of that was true at one moment. */
async function audit(history: History, transactor: Transactor): Promise<void> {
  const rows = await Promise.all(accounts.map((key) => transactor.get(key)));
  const found = rows.filter((row) => row !== undefined);
  const checks = found.map(({ key, balance }) => ({ check: { key, if: { balance } } }));
  if (!(await transact(history, transactor, ...checks))) return;
  history.report.snapshots++;
  expectSum(history.report, found, 'a reader by checks');
}

export async function auditByQuery({ report }: History, transactor: Transactor): Promise<void> {
  expectSum(report, await transactor.read('account-'), 'a reader by a query');
  const onCall = (await transactor.read('doctor-')).filter(({ isOnCall }) => isOnCall === true);
  if (onCall.length === 0) report.findings.push('no doctor is on call');
}

function expectSum({ findings }: HistoryReport, rows: readonly Row[], by: string): void {
  const balances = rows.map(({ balance }) => balance as number);
  const sum = balances.reduce((left, right) => left + right, 0);
  if (sum !== total) findings.push(`${by}: the accounts hold ${sum}, not ${total}`);
  if (balances.some((balance) => balance < 0)) findings.push(`${by}: an account is overdrawn`);
}

/** Takes a name, and writes its owner elsewhere. */
async function takeName(history: History, transactor: Transactor, writer: number): Promise<void> {
  const name = `name-${history.random.int(names)}`;
  try {
    const isDone = await transact(
      history,
      transactor,
      { insert: { key: `owner-${writer}-${name}`, name } },
      { insert: { key: name, owner: writer } },
    );
    if (isDone) history.owners.granted(name, writer);
  } catch (cause) {
    history.owners.inDoubt(name, writer);
    throw cause;
  }
}

async function changeShift(history: History, transactor: Transactor): Promise<void> {
  const [own = '', other = ''] = history.random.int(2) === 0 ? doctors : doctors.toReversed();
  await transact(
    history,
    transactor,
    { check: { key: other, if: { isOnCall: true } } },
    { update: { key: own, set: { isOnCall: false } } },
  );
  await transact(history, transactor, { update: { key: other, set: { isOnCall: true } } });
}

/** Reads the version of the register, and claims the next one if it is still the same. */
async function claimVersion(history: History, transactor: Transactor, writer: number): Promise<void> {
  const step = history.register.begin();
  const seen = (await transactor.get('register'))?.version as number;
  const version = seen + 1;
  try {
    const isDone = await transact(
      history,
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

async function readVersion(history: History, transactor: Transactor): Promise<void> {
  const step = history.register.begin();
  const version = (await transactor.get('register'))?.version as number;
  const check = { check: { key: 'register', if: { version } } };
  if (await transact(history, transactor, check)) step.saw(version);
}
