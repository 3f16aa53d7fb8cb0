import type { ChangeWriting } from '../feed/change-writing.js';

/**
 * Changes as Electric's clients read them. They merge an update into what they have, which would keep attributes that are
 * gone: so an item that may be there already comes as a deletion and an insertion. What comes together is shown together.
 */
export const electricWriting: ChangeWriting = {
  put({ key }, item, tx) {
    const insertion = `{"key":${JSON.stringify(key)},"value":${item},"headers":{"operation":"insert"}}`;
    // There is no transaction in a snapshot, whose items are not there yet.
    return tx === undefined ? insertion : `${deletionOf(key)},${insertion}`;
  },
  deletion: ({ key }) => deletionOf(key),
};

function deletionOf(key: string): string {
  const text = JSON.stringify(key);
  return `{"key":${text},"value":{"key":${text}},"headers":{"operation":"delete"}}`;
}

/** What a client has now is all that there is. */
export const upToDate = '{"headers":{"control":"up-to-date"}}';

/** What a client has is of no use: it begins again. */
export const mustRefetch = '[{"headers":{"control":"must-refetch"}}]';

/** Items have no columns. A client takes values of columns that it does not know as they are. */
export const schema = '{"key":{"type":"text","not_null":true,"pk_index":0}}';
