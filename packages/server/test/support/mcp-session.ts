import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { main, type RunningServer, startServer } from './run-cli.js';

export const key = 'demo_s3cret';

/** A server with data in memory, which accepts `key`. */
export async function startService(context: TestContext): Promise<RunningServer> {
  return await startServer(context, ['--memory', '--key', key]);
}

export interface Session {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  /** The names of the tools. */
  tools(): Promise<readonly string[]>;
  /** Calls a tool. */
  call(name: string, given: object): Promise<CallToolResult>;
  /** Calls a tool and gives the JSON in the first text of its result, which must be no error. */
  read<T>(name: string, given: object): Promise<T>;
  /** Calls a tool, which must fail, and gives the text of its result. */
  refusal(name: string, given: object): Promise<string>;
  /** What the command has written to standard error. */
  err(): string;
}

/** A session of the SDK's client with the real command, over standard input and output. */
export async function openSession(
  context: TestContext,
  url: string,
  { options = ['--write'], withKey = key }: { options?: readonly string[]; withKey?: string } = {},
): Promise<Session> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, 'mcp', '--url', url, ...options],
    env: { PATH: process.env.PATH ?? '', BASEDRIVE_KEY: withKey },
    stderr: 'pipe',
  });
  let err = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const client = new Client({ name: 'test', version: '1' });
  context.after(() => client.close());
  await client.connect(transport);
  return { ...callsOf(client), transport, err: () => err };
}

/** The calls of a client that is connected. */
export function callsOf(client: Client): Omit<Session, 'transport' | 'err'> {
  const call = async (name: string, given: object) =>
    await client.callTool({ name, arguments: given as Record<string, unknown> });
  return {
    client,
    call,
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    async read<T>(name: string, given: object) {
      const result = await call(name, given);
      assert.ok(!result.isError, textOf(result));
      return JSON.parse(textOf(result)) as T;
    },
    async refusal(name, given) {
      const result = await call(name, given);
      assert.equal(result.isError, true, textOf(result));
      return textOf(result);
    },
  };
}

/** The first text of a result. */
export function textOf({ content }: CallToolResult): string {
  const [first] = content;
  assert.ok(first?.type === 'text');
  return first.text;
}

/** Sends a request to the API, and expects success. */
export async function request(url: string, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', ...init.headers };
  const answer = await fetch(`${url}/v1/demo/${path}`, { ...init, headers });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return await answer.json();
}

/** Makes a limited key (docs/http.md#create-key). */
export async function limitedKey(url: string, limits: object): Promise<{ id: string; key: string }> {
  const body = JSON.stringify(limits);
  return (await request(url, 'keys', { method: 'POST', body })) as { id: string; key: string };
}
