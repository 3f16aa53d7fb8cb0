import type { Random } from '../random.js';
import { type EntriesRequest, jsonOf } from './entries-model.js';
import { type ItemChoice, itemOf, putOf, randomExpiry, randomItem } from './items.js';
import { afterSteps, type Entries, type EntryChange } from './known-entries.js';
import { expectStatus, WrongAnswer } from './model.js';

/** One operation of a transaction: what it changes, or the status with which it fails. */
interface Operation {
  readonly sent: object;
  readonly outcome: readonly EntryChange[] | number;
}

const maxOperations = 6;

/**
 * A transaction on random items, each operation on what those before it left (docs/http.md#transactions). All of it is
 * one step, or nothing is changed.
 */
export function transactionOn(choice: ItemChoice, current: Entries, random: Random): EntriesRequest {
  const sent: object[] = [];
  const changes: EntryChange[] = [];
  const count = 1 + random.int(maxOperations);
  let status = 200;
  while (sent.length < count && status === 200) {
    const { sent: operation, outcome } = chooseOperation(choice, afterSteps(current, [changes]), random);
    sent.push(operation);
    if (typeof outcome === 'number') status = outcome;
    else changes.push(...outcome);
  }
  const what = `transaction in ${choice.base}`;
  return {
    method: 'POST',
    path: `${choice.base}/transactions`,
    body: { operations: sent },
    steps: status === 200 ? [changes] : [],
    check(reply) {
      expectStatus(what, reply.status, status);
      if (status !== 200) return;
      const { results } = jsonOf<{ results: unknown[] }>(reply);
      if (results.length !== count) throw new WrongAnswer(`${what}: ${results.length} of ${count} results`);
    },
  };
}

/** Seven of eight conditions are met, so that most transactions of several operations succeed. */
function chooseOperation(choice: ItemChoice, entries: Entries, random: Random): Operation {
  const key = random.pick(choice.keys);
  const item = itemOf(entries, key);
  const put = randomItem(choice, key, random);
  const { member, changeOf } = randomExpiry(random);
  const isMet = random.int(8) > 0;
  if (item === undefined) {
    if (!isMet) return { sent: { update: { key, increment: { n: 1 } } }, outcome: 404 };
    const kind = random.int(3);
    if (kind === 0) return { sent: { put, ...member }, outcome: [changeOf(put)] };
    if (kind === 1) return { sent: { insert: put, ...member }, outcome: [changeOf(put)] };
    return { sent: { check: { key, if: null } }, outcome: [] };
  }
  const condition = { n: isMet ? item.n : item.n + 1 };
  const kind = random.int(4);
  const sent = [
    { update: { key, if: condition, increment: { n: 5 } } },
    { delete: { key, if: condition } },
    { check: { key, if: condition } },
    isMet ? { put, ...member } : { insert: put, ...member },
  ][kind] as object;
  const outcomes = [
    [putOf({ ...item, n: item.n + 5 })],
    [{ name: key, next: undefined }],
    [],
    [changeOf(put)],
  ];
  const failure = kind === 3 ? 409 : 412;
  return { sent, outcome: isMet ? (outcomes[kind] as readonly EntryChange[]) : failure };
}
