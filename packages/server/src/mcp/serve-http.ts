import { createServer as createHttpServer, type Server } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import { maxMessageBytes } from './bounds.js';

export interface HttpService {
  /** Listens nowhere yet. */
  readonly http: Server;
  stop(): Promise<void>;
}

/** The path at which clients find the service. */
export const mcpPath = '/mcp';

/**
 * Makes a service for any number of clients over Streamable HTTP, on an address of this machine. It answers only
 * requests for a name of this machine, and none that a web page of another origin sends (docs/agents.md#over-http).
 */
export function createHttpService(
  createServer: McpServerFactory,
  report: (line: string) => void,
): HttpService {
  const onerror = ({ message }: Error) => report(message);
  const handler = createMcpHandler(createServer, { onerror, maxRequestBodySize: maxMessageBytes });
  const answer = toNodeHandler(handler, { onerror, maxRequestBodySize: maxMessageBytes });
  const isHostRight = localhostHostValidation();
  const isOriginRight = localhostOriginValidation();
  const http = createHttpServer((request, response) => {
    if (!isHostRight(request, response) || !isOriginRight(request, response)) return;
    if (request.url?.split('?', 1)[0] === mcpPath) return void answer(request, response);
    response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"errors":["Not found"]}');
  });
  return {
    http,
    async stop() {
      http.close();
      await handler.close();
      http.closeAllConnections();
    },
  };
}
