import type { Changed, ChangeWriting } from '../feed/change-writing.js';

/**
 * Changes as Electric's clients read them. They merge an update into what they have, which would keep attributes that are
 * gone: so an item that may be there already comes as a deletion and an insertion. What comes together is shown together.
 */
export const electricWriting: ChangeWriting = {
  put(changed, item, tx) {
    // There is no transaction in a snapshot, whose items are not there yet.
    if (tx === undefined) return messageOf(changed, item, '"operation":"insert"');
    const insertion = messageOf(changed, item, `"operation":"insert",${txidsOf(tx)}`);
    return `${messageOf(changed, keyOnly(changed), '"operation":"delete"')},${insertion}`;
  },
  deletion: (changed, tx) => messageOf(changed, keyOnly(changed), `"operation":"delete",${txidsOf(tx)}`),
};

function messageOf({ key }: Changed, value: string, headers: string): string {
  return `{"key":${JSON.stringify(key)},"value":${value},"headers":{${headers}}}`;
}

function keyOnly({ key }: Changed): string {
  return `{"key":${JSON.stringify(key)}}`;
}

/** Clients wait for the number of a transaction of their own: `Number(tx)` of its `tx`. */
function txidsOf(tx: string): string {
  return `"txids":[${numberOf(tx)}]`;
}

function numberOf(tx: string): string {
  return tx.replace(/^0+(?=\d)/, '');
}

/** The client has a snapshot, which has all transactions before this `tx`: nobody waits for them any more. */
export function snapshotEnd(tx: string): string {
  const number = numberOf(tx);
  return `{"headers":{"control":"snapshot-end","xmin":"${number}","xmax":"${number}","xip_list":[]}}`;
}

/** What a client has now is all that there is. */
export const upToDate = '{"headers":{"control":"up-to-date"}}';

/** What a client has is of no use: it begins again. */
export const mustRefetch = '[{"headers":{"control":"must-refetch"}}]';

/** Items have no columns. A client takes values of columns that it does not know as they are. */
export const schema = '{"key":{"type":"text","not_null":true,"pk_index":0}}';
