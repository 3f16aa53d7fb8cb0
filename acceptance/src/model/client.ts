import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The connection broke before the whole answer had arrived: the operation may have happened or not. */
export class NoAnswer extends Error {
  override readonly name: string = 'NoAnswer';
}

/** The connection broke after the status of the answer had arrived. */
export class CutOff extends NoAnswer {
  override readonly name = 'CutOff';
}

export type RequestHeaders = Readonly<Record<string, string>>;

export interface Client {
  /** Sends bytes as they are and an object as JSON. `headers` are added, or replace those that every request has. */
  send(method: string, path: string, body?: Buffer | object, headers?: RequestHeaders): Promise<Reply>;
  close(): void;
}

/** A client of one project over kept-alive connections. It never sends a request twice. */
export function createClient(port: number, key: string, connections: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const project = key.slice(0, key.indexOf('_'));
  return {
    send(method, path, body, added) {
      const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
      const headers = {
        'X-API-Key': key,
        'Content-Type': bytes === body ? 'application/octet-stream' : 'application/json',
        'Content-Length': bytes?.length ?? 0,
        ...added,
      };
      const target = `/v1/${project}/${path}`;
      return new Promise((resolve, reject) => {
        const sent = request(
          { agent, host: '127.0.0.1', port, method, path: target, headers },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.on('end', () => {
              const { statusCode: status = 0, headers } = response;
              if (response.complete) resolve({ status, headers, body: Buffer.concat(chunks) });
              else reject(new CutOff('cut off'));
            });
            response.on('error', (cause) => reject(new CutOff('cut off', { cause })));
          },
        );
        sent.on('error', (cause) => reject(new NoAnswer('no connection', { cause })));
        sent.end(bytes);
      });
    },
    close: () => agent.destroy(),
  };
}
