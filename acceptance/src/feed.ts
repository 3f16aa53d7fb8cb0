import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Api } from './api.js';

/** A change as the feed gives it. */
export interface Change {
  readonly base?: string;
  readonly key?: string;
  readonly drive?: string;
  readonly name?: string;
  readonly type: 'put' | 'delete';
  readonly item?: unknown;
  readonly file?: { readonly etag: string; readonly size: number };
  readonly tx?: string;
}

export interface ChangesPage {
  readonly changes: readonly Change[];
  readonly cursor: string;
  readonly live: boolean;
}

/** The path of the feed with these parameters. */
export function changesPath(api: Api, parameters: Readonly<Record<string, string | number>> = {}): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `/v1/${api.target.project}/changes?${pairs.join('&')}`;
}

/** A stream of the feed, line by line. */
export interface FeedStream {
  readonly status: number;
  readonly type: string;
  /** Lines as they come; it ends with the connection. */
  readonly lines: AsyncIterator<string>;
  /** Cuts the connection. */
  cut(): void;
}

/** Opens a stream of the feed of this media type. It ends with the API at the latest. */
export function openFeed(
  api: Api,
  path: string,
  {
    accept,
    headers = {},
    key = api.target.key,
  }: { accept: string; headers?: Record<string, string>; key?: string | null },
): Promise<FeedStream> {
  const { target } = api;
  const open = target.url.protocol === 'https:' ? secureRequest : request;
  const { hostname: host, port } = target.url;
  return new Promise((resolve, reject) => {
    const outgoing = open(
      {
        host,
        port,
        path,
        agent: false,
        signal: api.closed,
        ca: target.authority,
        // As a proxy asks: on a connection that may serve others afterwards.
        headers: {
          Connection: 'keep-alive',
          Accept: accept,
          ...(key !== null && { 'X-API-Key': key }),
          ...headers,
        },
      },
      (response) => {
        response.setEncoding('utf8');
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          lines: linesOf(response),
          cut: () => outgoing.destroy(),
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** The next change of a stream of lines. What says only how far the stream is may come at any time. */
export async function nextChange({ lines }: FeedStream): Promise<Change> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error('the stream has ended');
    const line = JSON.parse(value) as Partial<Change>;
    if (line.type !== undefined) return line as Change;
  }
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of chunks) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch {
    // The connection was cut.
  }
}

/** A copy of bases and drives that is kept by what the feed says. */
export class Follower {
  readonly items = new Map<string, unknown>();
  readonly files = new Map<string, string>();

  apply({ base, key, drive, name, type, item, file }: Change): void {
    if (base !== undefined) {
      const id = JSON.stringify([base, key]);
      if (type === 'put') this.items.set(id, item);
      else this.items.delete(id);
    } else {
      const id = JSON.stringify([drive, name]);
      if (type === 'put') this.files.set(id, file?.etag ?? '');
      else this.files.delete(id);
    }
  }
}
