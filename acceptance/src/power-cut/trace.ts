import type { Sent } from './answers.js';

/** What a process did to its files and sockets, in the order that `strace` recorded. */
export type TraceEvent =
  | { readonly kind: 'create'; readonly path: string }
  | { readonly kind: 'mkdir'; readonly path: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'unlink'; readonly path: string }
  /** `at` is the position in the file; undefined: after the last write that had no position. */
  | { readonly kind: 'write'; readonly path: string; readonly bytes: Buffer; readonly at: number | undefined }
  /** A sync of a file or folder covers what was done before it began, and takes effect when it ends. */
  | { readonly kind: 'sync-begins'; readonly path: string; readonly id: number }
  | { readonly kind: 'sync-ends'; readonly path: string; readonly id: number }
  /** A piece of an answer counts from the moment when the write to the socket begins. */
  | ({ readonly kind: 'sent' } & Sent);

/** The system calls to record, for `strace -e trace=`. */
export const tracedCalls =
  'openat,creat,write,writev,pwrite64,pwritev,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,ftruncate,sendto,sendmsg';

interface Call {
  readonly name: string;
  readonly text: string;
}

/** Reads the lines that `strace -f -y -xx -o FILE` wrote: with `-xx`, every string is in hexadecimal escapes. */
export async function parseTrace(lines: AsyncIterable<string>): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  const unfinished = new Map<string, { call: string; syncId: number | undefined }>();
  let syncs = 0;

  function begin(call: string): number | undefined {
    const { name, text } = callOf(call);
    if (name === 'fsync' || name === 'fdatasync') {
      syncs++;
      events.push({ kind: 'sync-begins', path: descriptorPath(text), id: syncs });
      return syncs;
    }
    const sent = sentBy({ name, text });
    if (sent !== undefined) events.push({ kind: 'sent', ...sent });
    return undefined;
  }

  function end(call: string, syncId: number | undefined): void {
    const { name, text } = callOf(call);
    if (/\) += -1 /.test(text) || !/\) += \d/.test(text)) return;
    if (syncId === undefined) events.push(...changesOf({ name, text }));
    else events.push({ kind: 'sync-ends', path: descriptorPath(text), id: syncId });
  }

  for await (const line of lines) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    if (resumed !== null) {
      const started = unfinished.get(thread);
      unfinished.delete(thread);
      if (started !== undefined) end(started.call + (resumed[1] ?? ''), started.syncId);
    } else if (rest.endsWith('<unfinished ...>')) {
      const call = rest.slice(0, -'<unfinished ...>'.length);
      unfinished.set(thread, { call, syncId: begin(call) });
    } else if (/^\w+\(/.test(rest)) {
      end(rest, begin(rest));
    }
  }
  return events;
}

function callOf(text: string): Call {
  return { name: text.slice(0, text.indexOf('(')), text };
}

function decode(escaped: string): string {
  return Buffer.from(escaped.replaceAll('\\x', ''), 'hex').toString('latin1');
}

/** The path that `-y` shows after a file descriptor: `21<…>`. */
function descriptorPath(text: string): string {
  return decode(/^\w+\(\d+<((?:\\x[0-9a-f]{2})*)>/.exec(text)?.[1] ?? '');
}

function stringsOf(text: string): string[] {
  return Array.from(text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g), ([, escaped = '']) => decode(escaped));
}

function isWrite(name: string): boolean {
  return name === 'write' || name === 'writev' || name === 'pwrite64' || name === 'pwritev';
}

function positionOf({ name, text }: Call): number | undefined {
  if (!name.startsWith('pwrite')) return undefined;
  const [, position] = /, (\d+) *\) += \d+$/.exec(text) ?? [];
  if (position === undefined) throw new Error(`No position in ${text.slice(-80)}`);
  return Number(position);
}

function sentBy({ name, text }: Call): Sent | undefined {
  if (!isWrite(name) && name !== 'sendto' && name !== 'sendmsg') return undefined;
  const socket = descriptorPath(text);
  return socket.startsWith('socket:') ? { socket, text: stringsOf(text).join('') } : undefined;
}

function changesOf({ name, text }: Call): TraceEvent[] {
  const strings = stringsOf(text);
  const [first = '', second = ''] = strings;
  if (isWrite(name)) {
    const path = descriptorPath(text);
    const bytes = Buffer.from(strings.join(''), 'latin1');
    return path.startsWith('/') ? [{ kind: 'write', path, bytes, at: positionOf({ name, text }) }] : [];
  }
  if (name === 'openat' || name === 'creat') {
    return text.includes('O_CREAT') || name === 'creat' ? [{ kind: 'create', path: first }] : [];
  }
  if (name.startsWith('rename')) return [{ kind: 'rename', from: first, to: second }];
  if (name.startsWith('unlink')) return [{ kind: 'unlink', path: first }];
  if (name.startsWith('mkdir')) return [{ kind: 'mkdir', path: first }];
  if (/^(link|linkat|ftruncate|sendto|sendmsg)$/.test(name)) {
    // The service does not call these for its files. If it ever does, the model of the disk must support them.
    if (name.startsWith('send') || !/^\w+\((\d+<\\x2f|")/.test(text)) return [];
    throw new Error(`The model of the disk does not support ${text.slice(0, 200)}`);
  }
  return [];
}
