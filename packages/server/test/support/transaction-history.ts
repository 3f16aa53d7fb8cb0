import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BaseService } from '../../src/base/service.js';
import type { TransactionOperation } from '../../src/base/transaction-operation.js';
import { readPut, readQuery, readTransaction } from './read-bodies.js';

/** What a base has of transactions: the checker may be given one with a fault. */
export type Transactor = Pick<BaseService, 'get' | 'put' | 'query' | 'transact'>;

export interface HistoryRun {
  /** Each works on the same rows: those of one process, or of several. */
  readonly services: readonly Transactor[];
  readonly base: string;
  readonly writers: number;
  /** Of each writer. */
  readonly steps: number;
  /** Of each account; default 0. Large items are changed in another way than small ones. */
  readonly paddingBytes?: number;
}

export interface HistoryReport {
  /** Transactions that were done, and that failed with 404, 409 or 412. */
  done: number;
  refused: number;
  /** Snapshots that a reader could confirm by a transaction of checks. */
  snapshots: number;
  /** What no order of the transactions explains. */
  readonly findings: string[];
}

type Row = Readonly<Record<string, unknown>> & { readonly key: string };

/** A step that claimed or saw a version of the register, from when to when. */
interface Seen {
  readonly version: number;
  readonly begin: number;
  readonly end: number;
  readonly isWrite: boolean;
}

const project = 'p';
const accounts = Array.from({ length: 8 }, (_, n) => `account-${n}`);
const startBalance = 20;
const total = accounts.length * startBalance;
const names = 40;
const doctors = ['doctor-a', 'doctor-b'];

/**
 * Lets writers do transactions on one base, and checks what they and readers see:
 * transfers keep the sum of all accounts, and no account is overdrawn; of those who insert a name, one gets it; of two
 * doctors, one at least is on call; the versions of a register are claimed once each, and in real time.
 */
export async function runHistory(run: HistoryRun): Promise<HistoryReport> {
  const { services, base, writers, steps, paddingBytes = 0 } = run;
  const report: HistoryReport = { done: 0, refused: 0, snapshots: 0, findings: [] };
  const register: Seen[] = [];
  const owners = new Map<string, number>();
  let clock = 0;

  /** Undefined if it was done, else the status of the first that failed. */
  async function transact(service: Transactor, ...operations: object[]): Promise<number | undefined> {
    const read: readonly TransactionOperation[] = readTransaction(JSON.stringify({ operations }));
    const failure = await service.transact(project, base, read);
    if (failure === undefined) report.done++;
    else if ([404, 409, 412].includes(failure.error.status)) report.refused++;
    else report.findings.push(`a transaction failed with ${failure.error.status}`);
    return failure?.error.status;
  }

  async function get(service: Transactor, key: string): Promise<Row | undefined> {
    const row = await service.get(project, base, key);
    return row === undefined ? undefined : (JSON.parse(row.toString()) as Row);
  }

  async function page(service: Transactor, prefix: string): Promise<Row[]> {
    const query = readQuery(JSON.stringify({ query: { 'key?pfx': prefix } }));
    const { items } = await service.query(project, base, query);
    return JSON.parse(items.finish('[', ']').toString()) as Row[];
  }

  function expectSum(rows: readonly Row[], by: string): void {
    const balances = rows.map(({ balance }) => balance as number);
    const sum = balances.reduce((left, right) => left + right, 0);
    if (sum !== total) report.findings.push(`${by}: the accounts hold ${sum}, not ${total}`);
    if (balances.some((balance) => balance < 0)) report.findings.push(`${by}: an account is overdrawn`);
  }

  async function transfer(service: Transactor): Promise<void> {
    const from = pick(accounts);
    const to = pick(accounts.filter((key) => key !== from));
    const amount = 1 + random(startBalance);
    await transact(
      service,
      { update: { key: from, if: { 'balance?gte': amount }, increment: { balance: -amount } } },
      { update: { key: to, increment: { balance: amount } } },
    );
  }

  /** Reads the accounts one by one, and then asks whether all of that was true at one moment. */
  async function audit(service: Transactor): Promise<void> {
    const rows = await Promise.all(accounts.map((key) => get(service, key)));
    const found = rows.filter((row) => row !== undefined);
    const checks = found.map(({ key, balance }) => ({ check: { key, if: { balance } } }));
    if ((await transact(service, ...checks)) !== undefined) return;
    report.snapshots++;
    expectSum(found, 'a reader by checks');
  }

  async function auditByQuery(service: Transactor): Promise<void> {
    expectSum(await page(service, 'account-'), 'a reader by a query');
    const onCall = (await page(service, 'doctor-')).filter(({ isOnCall }) => isOnCall === true);
    if (onCall.length === 0) report.findings.push('no doctor is on call');
  }

  /** Takes a name, and writes its owner elsewhere. */
  async function takeName(service: Transactor, writer: number): Promise<void> {
    const name = `name-${random(names)}`;
    const status = await transact(
      service,
      { insert: { key: `owner-${writer}-${name}`, name } },
      { insert: { key: name, owner: writer } },
    );
    if (status !== undefined) return;
    if (owners.has(name)) report.findings.push(`${name} was given to ${owners.get(name)} and to ${writer}`);
    owners.set(name, writer);
  }

  async function changeShift(service: Transactor): Promise<void> {
    const [own = '', other = ''] = random(2) === 0 ? doctors : doctors.toReversed();
    await transact(
      service,
      { check: { key: other, if: { isOnCall: true } } },
      { update: { key: own, set: { isOnCall: false } } },
    );
    await transact(service, { update: { key: other, set: { isOnCall: true } } });
  }

  /** Reads the version of the register, and claims the next one if it is still the same. */
  async function claimVersion(service: Transactor, writer: number): Promise<void> {
    const begin = clock++;
    const seen = (await get(service, 'register'))?.version as number;
    const version = seen + 1;
    const status = await transact(
      service,
      { check: { key: 'register', if: { version: seen } } },
      { put: { key: `version-${String(version).padStart(6, '0')}`, writer } },
      { update: { key: 'register', increment: { version: 1 } } },
    );
    if (status === undefined) register.push({ version, begin, end: clock++, isWrite: true });
  }

  async function readVersion(service: Transactor): Promise<void> {
    const begin = clock++;
    const version = (await get(service, 'register'))?.version as number;
    const status = await transact(service, { check: { key: 'register', if: { version } } });
    if (status === undefined) register.push({ version, begin, end: clock++, isWrite: false });
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
    for (let step = 0; step < steps; step++) {
      await pick(actions)(pick(services), writer);
      // Over rows in memory the others would wait until this writer is done.
      await nextTurn();
    }
  }

  const [first] = services;
  if (first === undefined) throw new Error('a history needs a service');
  const start = [
    ...accounts.map((key) => ({ key, balance: startBalance, padding: 'x'.repeat(paddingBytes) })),
    ...doctors.map((key) => ({ key, isOnCall: true })),
    { key: 'register', version: 0 },
  ];
  await first.put(project, base, readPut(JSON.stringify({ items: start })));
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));

  await auditByQuery(first);
  checkOwners(await page(first, 'owner-'), await page(first, 'name-'), report.findings);
  checkRegister(register, await page(first, 'version-'), report.findings);
  return report;
}

/** Each name has the owner that it was given to, and who did not get a name has left nothing. */
function checkOwners(owners: readonly Row[], taken: readonly Row[], findings: string[]): void {
  const expected = taken.map(({ key, owner }) => `owner-${owner}-${key}`).sort();
  const found = owners.map(({ key }) => key).sort();
  if (expected.join() !== found.join()) findings.push(`names of ${expected.join()}, owners ${found.join()}`);
}

/** Every version was claimed once, is stored, and was seen at no time before or after its own. */
function checkRegister(seen: readonly Seen[], stored: readonly Row[], findings: string[]): void {
  const writes = seen.filter(({ isWrite }) => isWrite).sort((a, b) => a.version - b.version);
  if (writes.some(({ version }, index) => version !== index + 1)) {
    findings.push(`the versions ${writes.map(({ version }) => version).join()} were claimed`);
  }
  if (stored.length !== writes.length) findings.push(`${stored.length} versions, ${writes.length} claimed`);
  const byVersion = seen.toSorted((a, b) => a.version - b.version || Number(b.isWrite) - Number(a.isWrite));
  /** When the last one began that saw an earlier version, or claimed this one. */
  let earlierBegin = -1;
  let sameBegin = -1;
  let version = 0;
  for (const one of byVersion) {
    if (one.version > version) {
      earlierBegin = Math.max(earlierBegin, sameBegin);
      version = one.version;
    }
    if (one.end < earlierBegin) findings.push(`version ${version} was seen, and an earlier one after it`);
    sameBegin = Math.max(sameBegin, one.begin);
    if (one.isWrite) earlierBegin = Math.max(earlierBegin, one.begin);
  }
}

function random(below: number): number {
  return Math.floor(Math.random() * below);
}

function pick<T>(list: readonly T[]): T {
  return list[random(list.length)] as T;
}
