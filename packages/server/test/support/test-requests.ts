import type { TestServer } from '../../src/testing/test-server.js';

export interface Requests {
  /** Sends a request below `/v1/{project}`, with the key; `body` as JSON, unless it is text. */
  send(method: string, path: string, body?: unknown): Promise<Response>;
  /** The status of a GET. */
  status(path: string): Promise<number>;
}

/** Requests to a server for tests. */
export function requestsTo({ url, key, project }: Pick<TestServer, 'url' | 'key' | 'project'>): Requests {
  async function send(method: string, path: string, body?: unknown): Promise<Response> {
    const isText = typeof body === 'string';
    const headers = { 'X-API-Key': key, 'Content-Type': isText ? 'text/plain' : 'application/json' };
    const sent = body === undefined ? null : isText ? body : JSON.stringify(body);
    return await fetch(`${url}/v1/${project}${path}`, { method, headers, body: sent });
  }

  return {
    send,
    async status(path) {
      const answer = await send('GET', path);
      await answer.arrayBuffer();
      return answer.status;
    },
  };
}
