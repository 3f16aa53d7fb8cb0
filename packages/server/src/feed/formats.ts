import { cursorOf, type Position, type Sending } from './position.js';

/** How changes are sent, as long as the reader stays (docs/http.md#streams-of-changes). */
export interface StreamFormat {
  readonly type: string;
  /** What a stream begins with. */
  readonly head: string;
  /** The text of changes. Whoever has read it whole can go on from its cursor. */
  changesText(sending: Sending): string;
  /** What is sent when all that was there at the beginning has been given. */
  liveText(position: Position): string;
  /** What is sent when nothing has come for a while, so that nobody on the way takes the connection for dead. */
  quietText(position: Position): string;
}

/** A change a line, and a line with the cursor after each batch. */
export const lines: StreamFormat = {
  type: 'application/x-ndjson',
  head: '',
  changesText: ({ changes, position }) =>
    `${changes.map((change) => `${change}\n`).join('')}${cursorLine(position)}`,
  liveText: (position) => `{"cursor":"${cursorOf(position)}","live":true}\n`,
  quietText: cursorLine,
};

function cursorLine(position: Position): string {
  return `{"cursor":"${cursorOf(position)}"}\n`;
}

const retryMs = 1000;

/**
 * Server-sent events. Only the last event of a batch has an id, since a browser that has read it has read all before it.
 * Browsers take the id of an event without data, too.
 */
export const events: StreamFormat = {
  type: 'text/event-stream',
  head: `retry: ${retryMs}\n\n`,
  changesText({ changes, position }) {
    const last = changes.length - 1;
    return changes.map((change, at) => `${at === last ? idLine(position) : ''}data: ${change}\n\n`).join('');
  },
  liveText: (position) => `event: live\n${idLine(position)}data: {}\n\n`,
  quietText: (position) => `${idLine(position)}: nothing new\n\n`,
};

function idLine(position: Position): string {
  return `id: ${cursorOf(position)}\n`;
}
