import type { Readable, Writable } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type McpServerFactory,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Line, LineSplitter } from '../lib/text/line-splitter.js';
import { maxMessageBytes } from './bounds.js';
import { boundsProblem, outlineOf } from './json-bounds.js';
import { readMessage } from './read-message.js';

/**
 * Serves one client over the standard streams of this process, until the client closes its end and what it asked is
 * answered. `report` gets a line for each message that is not of the protocol.
 */
export async function serveOverStdio(
  createServer: McpServerFactory,
  report: (line: string) => void,
): Promise<void> {
  const transport = createStdioTransport(process.stdin, process.stdout);
  const handle = serveStdio(createServer, { transport, onerror: ({ message }) => report(message) });
  await transport.ended;
  await handle.close();
}

interface StdioTransport extends Transport {
  /**
   * Resolves once the input is at its end and every call is answered, or a minute later; at once when the output takes no
   * more.
   */
  readonly ended: Promise<void>;
}

/** A client that was killed must not leave behind a command whose call hangs. */
const answerWithinMs = 60_000;

const parseError = { code: -32700, message: 'Parse error' };
const invalidRequest = { code: -32600, message: 'Invalid Request' };
const tooLarge = { code: -32600, message: `The message is larger than ${maxMessageBytes} bytes` };

/**
 * One client over streams, with a message a line (docs/agents.md). That of the SDK drops the calls in progress when the
 * input ends, and is silent about a line that is no message: this one answers both.
 */
export function createStdioTransport(input: Readable, output: Writable): StdioTransport {
  const lines = new LineSplitter(maxMessageBytes);
  const calls = new Set<string | number>();
  let isInputEnded = false;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  const settle = (id: unknown) => {
    calls.delete(id as string | number);
    if (isInputEnded && calls.size === 0) end();
  };
  const send = async (text: string) =>
    await new Promise<void>((resolve, reject) => {
      output.write(text, (cause) => (cause ? reject(cause) : resolve()));
    });
  const refuse = (id: string | number | null, error: typeof parseError) => {
    transport.onerror?.(new Error(`A line of the client is no message: ${error.message}`));
    send(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`).catch(end);
  };

  const take = ({ bytes }: Line) => {
    if (bytes === undefined) return refuse(null, tooLarge);
    const text = bytes.toString();
    const outline = outlineOf(text);
    const problem = boundsProblem(outline);
    if (problem !== undefined)
      return refuse(outline.id, { ...invalidRequest, message: `message: ${problem}` });
    const value = readMessage(text);
    if (value === undefined) return refuse(null, parseError);
    const message = messageOf(value);
    if (message === undefined) {
      const { id, result, error } = Object(value) as Record<string, unknown>;
      // An answer to a wrong answer could go on for ever.
      if (result !== undefined || error !== undefined) return;
      return refuse(
        typeof id === 'string' || Number.isSafeInteger(id) ? (id as string) : null,
        invalidRequest,
      );
    }
    // A subscription lasts as long as the client does.
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') calls.add(message.id);
    // What was cancelled gets no answer.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
      settle(message.params?.requestId);
    transport.onmessage?.(message);
  };
  const onData = (chunk: Buffer) => {
    for (const line of lines.split(chunk)) take(line);
  };
  const onEnd = () => {
    if (isInputEnded) return;
    for (const line of lines.end()) take(line);
    isInputEnded = true;
    setTimeout(end, answerWithinMs);
    settle(undefined);
  };

  const transport: StdioTransport = {
    ended,
    async start() {
      input.on('data', onData).once('end', onEnd).once('close', onEnd).once('error', onEnd);
      output.once('close', end).once('error', end);
    },
    async send(message: JSONRPCMessage) {
      await send(serializeMessage(message));
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) settle(message.id);
    },
    async close() {
      input.off('data', onData).pause();
      transport.onclose?.();
    },
  };
  return transport;
}

function messageOf(value: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return undefined;
  }
}
