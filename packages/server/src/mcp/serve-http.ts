import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import {
  bearerAuthChallengeResponse,
  createMcpHandler,
  type McpServerFactory,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokenVerifier,
  verifyBearerToken,
} from '@modelcontextprotocol/server';
import { maxMessageBytes } from './bounds.js';
import { boundConnections } from './close-quiet.js';
import { boundsProblem, outlineOf } from './json-bounds.js';
import { readMessage } from './read-message.js';

export interface HttpOptions {
  /** The token that each request must have. Undefined for none: then only this machine may reach the address. */
  readonly token: string | undefined;
  readonly report: (line: string) => void;
}

/** An agent needs a few. */
const maxConnections = 256;

/** The path at which clients find the service. */
export const mcpPath = '/mcp';

/**
 * Makes a service for any number of clients over Streamable HTTP. It answers none that a web page of another origin
 * sends, and only those with the token. Without a token it answers only requests for a name of this machine
 * (docs/agents.md#over-http).
 */
export function createHttpService(createServer: McpServerFactory, { token, report }: HttpOptions) {
  const onerror = ({ message }: Error) => report(message);
  const handler = createMcpHandler(createServer, { onerror, maxRequestBodySize: maxMessageBytes });
  const bounded = { fetch: bound((request, parsedBody) => handler.fetch(request, { parsedBody })) };
  const answer = toNodeHandler(bounded, { onerror, maxRequestBodySize: maxMessageBytes });
  // A page whose name was pointed to this machine sends that name, but it does not know the token: with a token, the
  // service may have any name.
  const isHostRight = token === undefined ? localhostHostValidation() : () => true;
  const isOriginRight = localhostOriginValidation();
  const hasToken = createTokenCheck(token);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isHostRight(request, response) || !isOriginRight(request, response)) return;
    // Before the token: a client that was refused looks for other paths, and 404 says that they do not exist.
    if (request.url?.split('?', 1)[0] !== mcpPath) {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"errors":["Not found"]}');
    } else if (await hasToken(request, response)) {
      await answer(request, response);
    }
  }

  const http = createHttpServer((request, response) => {
    serve(request, response).catch((cause: Error) => {
      onerror(cause);
      response.destroy();
    });
  });
  boundConnections(http, maxConnections);
  return {
    /** Listens nowhere yet. */
    http,
    async stop() {
      http.close();
      await handler.close();
      http.closeAllConnections();
    },
  };
}

/** Answers a message that breaks a rule in place of `answer`. The body of a request is in memory already. */
function bound(
  answer: (request: Request, message?: unknown) => Promise<Response>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.body === null) return await answer(request);
    const body = await request.text();
    const outline = outlineOf(body);
    const problem = boundsProblem(outline);
    if (problem === undefined) return await answer(new Request(request, { body }), readMessage(body));
    const error = { code: -32600, message: `message: ${problem}` };
    return Response.json({ jsonrpc: '2.0', id: outline.id, error }, { status: 400 });
  };
}

/** Gives true for a request with the token. Answers any other request with 401. */
type CheckToken = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** Makes the check of `Authorization: Bearer …` (docs/agents.md#over-http). Without a token, every request passes. */
function createTokenCheck(token: string | undefined): CheckToken {
  if (token === undefined) return async () => true;
  const expected = digest(token);
  const verifier: OAuthTokenVerifier = {
    async verifyAccessToken(given) {
      // Digests have one length, so comparing them takes the same time wherever they differ.
      if (!timingSafeEqual(digest(given), expected)) {
        throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token is not the one of this service');
      }
      return { token: given, clientId: '', scopes: [], expiresAt: Number.POSITIVE_INFINITY };
    },
  };
  return async ({ headers }, response) => {
    try {
      await verifyBearerToken(headers.authorization, { verifier });
      return true;
    } catch (cause) {
      const answer = bearerAuthChallengeResponse(cause);
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
      return false;
    }
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
